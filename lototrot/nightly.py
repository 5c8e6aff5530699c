"""Contribute Lototrot's nightly jobs: unsettled contests, unconfirmed prints, and the audit."""

from dataclasses import asdict
from datetime import date

from django.utils.translation import gettext_lazy as _

from core.database.snapshot import snapshot
from core.kernel.days import day_bounds
from core.kernel.errors import Conflict
from core.nights.jobs import MOST_LISTED, Job, Outcome
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.selectors.breaches import breach_pending
from lototrot.services.settlement.auditing import SettlementsDiffer, audit_contests
from lototrot.services.settlement.settling import BreachPending, settleable

MOST_NAMED = 20


def unsettled(day: date) -> Outcome:
    """List closed contests that are not settled, each with the code of the obstacle."""
    waiting = []
    for contest in Contest.objects.filter(state=Contest.State.CLOSED).order_by("day", "pk"):
        try:
            settleable(contest)
        except Conflict as obstacle:
            code = obstacle.code
        else:
            code = BreachPending.code if breach_pending(contest.pk) else ""
        row = {"contest": contest.pk, "day": contest.day.isoformat(), "code": code}
        waiting.append(row)
    return Outcome({"waiting": len(waiting)}, {"not_settled": waiting})


def unprinted(day: date) -> Outcome:
    """List tickets sold on the day without a confirmed print, which are incidents [E5]."""
    first, after = day_bounds(day)
    rows = Ticket.objects.filter(
        sold_at__gte=first, sold_at__lt=after, print_confirmation=None, void=None
    )
    listed = [
        {
            "ticket": str(ticket.uuid),
            "terminal": ticket.terminal.code,
            "sold_at": ticket.sold_at.isoformat(),
        }
        for ticket in rows.select_related("terminal").order_by("pk")[:MOST_LISTED]
    ]
    return Outcome({"unconfirmed": rows.count()}, {"unconfirmed_prints": listed})


def audit(day: date) -> Outcome:
    """Compute every settlement again from tickets and results, in one snapshot."""
    with snapshot():
        result = audit_contests()
    if result.findings:
        raise SettlementsDiffer(
            differing=len(result.findings), found=[asdict(f) for f in result.findings[:MOST_NAMED]]
        )
    return Outcome(
        {"contests": result.contests, "tickets": result.tickets, "prizes": result.prizes}
    )


JOBS: tuple[Job, ...] = (
    Job(
        name="lototrot.unsettled",
        title=_("Contests that wait to be settled"),
        order=40,
        run=unsettled,
    ),
    Job(
        name="lototrot.prints",
        title=_("Tickets without a confirmed print"),
        order=40,
        run=unprinted,
    ),
    Job(
        name="lototrot.audit",
        title=_("Settlements computed again"),
        order=90,
        run=audit,
        whole=False,
        recounts=True,
    ),
)
