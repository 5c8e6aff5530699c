"""Make bets in breach of a contest's limits, and read which ones were found."""

from datetime import datetime

from core.ledger import services as ledger
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.selectors.breaches import breach_list
from tests.support import factories as f


def sell(contest: Contest, point: f.Point, numbers=None) -> f.Sale:
    sale = f.sell(contest, point, numbers)
    assert sale.outcome == "sold"
    return sale


def started_at(contest: Contest, instant: datetime) -> None:
    """Start the first race at that instant, and close the contest."""
    f.started(f.races_of(contest)[0], at=instant)
    f.contest_closed(contest, cause="start")


def reasons(contest: Contest) -> dict[int, list[str]]:
    return {breach.ticket_id: breach.reasons for breach in breach_list(contest.pk)}


def takings_cents(contest: Contest) -> int:
    account = contest.takings_account
    return ledger.balance_cents(ledger.AccountCode(account.code, account.side))


def confirmed(proposal: Proposal) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))


def organiser() -> StaffActor:
    return f.staff(Role.ORGANISER)
