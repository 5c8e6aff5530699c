"""Contribute the closed periods to the administration."""

import datetime

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.admin_support.columns import day
from core.admin_support.contents import Administration, Place, ProposalWords, Section
from core.admin_support.proposal_texts import rows_linked
from core.periods.models import ClosedPeriod, Retirement
from core.periods.names import KINDS
from core.staff.models import Proposal


def _days(proposal: Proposal) -> str:
    """Return the first and the last day of a month."""
    written = (proposal.content[field] for field in ("first_day", "last_day"))
    return " – ".join(day(datetime.date.fromisoformat(each)) for each in written)


def _names(proposal: Proposal) -> str:
    many = sum(len(keys) for keys in proposal.content.values())
    return ngettext("%(n)s name", "%(n)s names", many) % {"n": many}


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
    proposal_words={
        "periods.closing": ProposalWords("first_day", _days),
        "periods.retirement": ProposalWords("first_day", _days),
        "periods.names": ProposalWords("names_of_staff", _names),
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
