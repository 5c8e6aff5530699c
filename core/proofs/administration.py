"""Contribute proofs to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.proofs.models import LogEntry, Receiver, SigningKey

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Proofs"),
            85,
            Place.PROOF,
            (
                (LogEntry, "verified"),
                (SigningKey, "key"),
                (Receiver, "outbox"),
            ),
        ),
    ),
)
