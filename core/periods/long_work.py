"""List the long work of periods: counting a month's rows, and proposing to close it."""

from django.utils.translation import gettext_lazy as _

from core.longwork.kinds import Content, Outcome, Text, WorkKind
from core.longwork.models import LongWork
from core.longwork.services import work_ask
from core.periods import powers
from core.periods.services import FIGURES, need_proposable, period_propose
from core.staff.actor import StaffActor

PROPOSING = "periods.propose"


def closing_ask(*, by: StaffActor) -> LongWork:
    """Ask a worker to count the next month and to propose, for this person, to close it.

    Raises PowerMissing, NothingToClose, ProposalPending, WorkBusy.
    """
    first = need_proposable(by)
    return work_ask(kind=PROPOSING, by=by, content={"month": f"{first:%Y-%m}"})


def _propose(by: StaffActor, content: Content) -> Outcome:
    proposal = period_propose(by=by, month=content["month"])
    return Outcome({"proposal": str(proposal.uuid)})


def _step(name: str) -> Text:
    return _("Counting the rows of the month") if name == FIGURES else _("What is not finished")


KINDS: tuple[WorkKind, ...] = (
    WorkKind(
        name=PROPOSING,
        title=_("Proposal to close a month"),
        power=powers.CLOSE,
        run=_propose,
        about=lambda content: content["month"],
        step_title=_step,
    ),
)
