"""Make bets in breach of a contest's limits, and read which ones were found."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from core.database import clock
from core.ledger import services as ledger
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket, Void
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


def set_of(tickets: Iterable[Ticket]) -> dict[str, str]:
    """Return how a proposal names a set of tickets: by the digest of their ids in order."""
    lines = "".join(f"{each}\n" for each in sorted(ticket.pk for ticket in tickets))
    return {"digest": hashlib.sha256(lines.encode()).hexdigest()}


@transaction.atomic
def voided(tickets: Iterable[Ticket]) -> Proposal:
    """Void tickets of one closed contest as in breach, in the act in which two persons decide it.

    Nothing is posted. Return the proposal.
    """
    chosen = list(tickets)
    subject = f"contest:{chosen[0].contest_id}"
    proposal = f.proposal("lototrot.breach_void", subject, set_of(chosen))
    Void.objects.bulk_create(
        Void(ticket=each, reason="breach", note="x", voided_at=clock.now(), proposal=proposal)
        for each in chosen
    )
    return proposal


def organiser() -> StaffActor:
    return f.staff(Role.ORGANISER)
