"""Contribute the closed periods to the administration."""

from django.utils.translation import gettext_lazy as _

from core.admin_support.contents import Administration, Place, Section
from core.admin_support.proposal_texts import rows_linked
from core.periods.models import ClosedPeriod, Retirement
from core.periods.names import KINDS

ADMINISTRATION = Administration(
    sections=(
        Section(
            _("Closed periods"),
            78,
            Place.MONEY,
            ((ClosedPeriod, "lock_clock"), (Retirement, "inventory_2")),
        ),
    ),
    kind_titles={
        "periods.closing": _("Closing of a month"),
        "periods.retirement": _("Retirement of a month's rows"),
        "periods.names": _("Erasing names of persons who left"),
    },
    content_readers={field: rows_linked(model) for field, model in KINDS.items()},
    key_names={
        "last_day": _("to"),
        "over_time": _("over the time of keeping"),
        "month": _("month"),
        "names_of_staff": _("names of staff"),
        "names_of_operators": _("names of operators"),
    },
)
