"""Contribute the journal to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.journal.models import Act, Batch, Change, RowForm, Source

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Journal"),
            95,
            Place.PROOF,
            (
                (Act, "history_edu"),
                (Source, "badge"),
                (Change, "difference"),
                (Batch, "inventory_2"),
                (RowForm, "table"),
            ),
        ),
    ),
)
