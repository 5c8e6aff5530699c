"""Contribute the ledger to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.ledger.admin import story
from core.ledger.models import Account, OpeningBalance, Transfer

ADMINISTRATION = Administration(
    story=story,
    sections=(
        Section(
            _("Ledger"),
            80,
            Place.MONEY,
            (
                (Account, "account_balance"),
                (Transfer, "swap_horiz"),
                (OpeningBalance, "start"),
            ),
        ),
    ),
)
