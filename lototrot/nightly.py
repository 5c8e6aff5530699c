"""Contribute Lototrot's nightly jobs: lists of what waits or came late, and the audit."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import date

from django.db.models import Exists, Min, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from core.database.reading import numbers, progress
from core.database.reading.snapshot import snapshot
from core.kernel.days import day_bounds
from core.kernel.errors import Conflict, InvariantBroken
from core.nights.code_again import code_again_job
from core.nights.jobs import MOST_LISTED, Job, Outcome
from core.nights.turns import counted, spans_of, turn_of
from lototrot.models.contest import Contest
from lototrot.models.retired import RetiredSales
from lototrot.models.sealing import Seal
from lototrot.models.tickets import Ticket, Void
from lototrot.selectors.breaches import (
    annulled_after_start,
    breach_pending,
    races_restated,
    voided_in_time,
)
from lototrot.selectors.retired import TicketsArchived
from lototrot.services.seal.sealing import seal_verify
from lototrot.services.settlement.auditing import SettlementsDiffer, audit_contests
from lototrot.services.settlement.auditing_lapses import Spans, within
from lototrot.services.settlement.settling import BreachPending, settleable

MOST_NAMED = 20
SEALS, AUDIT = "lototrot.seals", "lototrot.audit"
LEFT = RetiredSales.objects.filter(contest=OuterRef("contest"))
"""The sums of a contest of which tickets left: its seal is then made again from the archive."""


class SealsDiffer(InvariantBroken):
    """Tickets are not as they were sealed. `data["found"]` lists the contests."""

    code = "seals_differ"
    message = "The tickets of a contest are not as they were sealed."


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
    sold = numbers.within(Ticket, "sold_at", first, after)
    rows = Ticket.objects.filter(sold, print_confirmation=None, void=None)
    listed = [
        {
            "ticket": str(ticket.uuid),
            "terminal": ticket.terminal.code,
            "sold_at": ticket.sold_at.isoformat(),
        }
        for ticket in rows.select_related("terminal").order_by("pk")[:MOST_LISTED]
    ]
    return Outcome({"unconfirmed": rows.count()}, {"unconfirmed_prints": listed})


def annulled_late(day: date) -> Outcome:
    """List the tickets that were annulled after the start, with their operators [E4].

    They stay void: the paper was surrendered.
    """
    return _voids(day, annulled_after_start, "annulled", "annulled_after_start")


def voided_early(day: date) -> Outcome:
    """List the tickets that were voided as sold after a start which was stated too early [C6].

    They stay void: their price is due back, and who got it has no ticket any more.
    """
    return _voids(day, voided_in_time, "voided", "voided_in_time")


def _voids(
    day: date, select: Callable[[Contest], QuerySet[Void]], count: str, listed: str
) -> Outcome:
    """List voids of the day's contests, of earlier ones that are not settled, and of those whose
    starts or declarations were reported or put right on the day.
    """
    rows: list[dict[str, object]] = []
    total = 0
    unsettled = Q(day__lt=day, state=Contest.State.CLOSED)
    restated = Q(legs__race__in=races_restated(*day_bounds(day)))
    closed = Contest.objects.filter(Q(day=day) | unsettled | restated).exclude(closed_at=None)
    for contest in closed.distinct().order_by("day", "pk"):
        voids = select(contest)
        total += voids.count()
        rows += [
            {
                "ticket": str(void.ticket.uuid),
                "terminal": void.ticket.terminal.code,
                "operator": void.operator.number if void.operator else None,
                "voided_at": void.voided_at.isoformat(),
            }
            for void in voids.select_related("ticket__terminal", "operator").order_by("pk")[
                : MOST_LISTED - len(rows)
            ]
        ]
    return Outcome({count: total}, {listed: rows} if rows else {})


def audit(day: date) -> Outcome:
    """Compute settlements again from tickets and results, in one snapshot.

    Those of the last weeks and of one older period (`core.nights.turns`). `audit_everything` is for
    the command that audits all.
    """
    turn = turn_of(AUDIT, day, since=_first_day())
    outcome = _audited(spans_of(day, turn))
    return Outcome(dict(outcome.counts) | counted(turn))


def audit_everything() -> Outcome:
    """Compute every settlement again, in one snapshot."""
    return _audited(None)


def _audited(spans: Spans | None) -> Outcome:
    with snapshot():
        result = audit_contests(spans)
    if result.findings:
        raise SettlementsDiffer(
            differing=len(result.findings), found=[asdict(f) for f in result.findings[:MOST_NAMED]]
        )
    return Outcome(
        {"contests": result.contests, "tickets": result.tickets, "prizes": result.prizes}
    )


def seals(day: date) -> Outcome:
    """Compute seals again from the tickets: of the last weeks, and of one older period in turn."""
    turn = turn_of(SEALS, day, since=_first_day())
    outcome = _seals_verified(within("contest__day", spans_of(day, turn)))
    return Outcome(dict(outcome.counts) | counted(turn))


def seals_everything() -> Outcome:
    """Compute every seal again from the tickets."""
    return _seals_verified(Q())


def _seals_verified(which: Q) -> Outcome:
    sealed = Seal.objects.select_related("contest__meeting").filter(which)
    here = sealed.exclude(Exists(LEFT))
    faults = []
    every = list(here.order_by("pk"))
    for done, seal in enumerate(every):
        progress.tell(done, len(every))
        try:
            with snapshot():  # which waits for no act, and no act for it
                seal_verify(seal.contest)
        except TicketsArchived:  # meanwhile
            continue
        except InvariantBroken as error:
            faults.append({"contest": seal.contest_id, "code": error.code})
    if faults:
        raise SealsDiffer(found=faults[:MOST_NAMED])
    return Outcome({"seals": len(every), "seals_archived": sealed.count() - len(every)})


def _first_day() -> date | None:
    """Return the day of the first contest that was ever on sale."""
    opened = Contest.objects.exclude(state__in=Contest.NEVER_ON_SALE)
    first: date | None = opened.aggregate(first=Min("day"))["first"]
    return first


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
        name="lototrot.annulled_late",
        title=_("Tickets annulled after the start"),
        order=40,
        run=annulled_late,
    ),
    Job(
        name="lototrot.voided_early",
        title=_("Tickets voided after a start that was stated too early"),
        order=40,
        run=voided_early,
    ),
    code_again_job(
        "lototrot", repeats="lototrot_codegiven", copies="lototrot_reprint", key="ticket_id"
    ),
    Job(
        name=SEALS,
        title=_("Seals computed again"),
        order=90,
        run=seals,
        everything=seals_everything,
        whole=False,
        recounts=True,
    ),
    Job(
        name=AUDIT,
        title=_("Settlements computed again"),
        order=90,
        run=audit,
        everything=audit_everything,
        whole=False,
        recounts=True,
    ),
)
