"""Lototrot's part of a day file: tickets, the course, settlements, lapses, and their figures."""

import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Model, Q, QuerySet, Sum

from core.draws.models import Draw
from core.kernel.days import add_days
from core.ledger import services as ledger
from core.ledger.services import liability
from core.payoffice.day_parts import as_of
from core.payoffice.models import Claim
from core.premises.models import Authorisation, Game
from core.reports.parts import Event, Part, Span, nothing, post
from lototrot import accounts, postings
from lototrot.engine.distribution import Takings, distribute
from lototrot.models.contest import Contest, ContestLeg, DisplayAcknowledgement
from lototrot.models.programme import Runner
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.models.sealing import Amendment, Seal
from lototrot.models.settlement import (
    CarryOver,
    Lapse,
    PaymentOrder,
    Prize,
    Settlement,
    SettlementCategory,
)
from lototrot.models.tickets import Block, Ticket, Void
from lototrot.selectors.draws import subject_of
from lototrot.services.contest.contests import rules_of
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.races.results import contest_results
from lototrot.services.settlement.counting import Counting, count
from lototrot.services.settlement.settling import contest_settle

Data = Mapping[str, Any]
State = Contest.State


# --- What was there when the day began ------------------------------------------------------------


def context(span: Span) -> Iterator[Model]:
    """Who might sell; contests as they stood, with all tickets of those whose payment was not
    ordered, and of the others what they still owed."""
    yield from Authorisation.objects.filter(game=Game.LOTOTROT)
    for contest in _contests(span):
        state = _state_at(contest, span.since)
        yield _as_of(contest, state, span.since)
        yield from _course(contest, span.since)
        if state == State.ORDERED:
            yield from _owed(contest, span)
        else:
            yield from _undecided(contest, span.since)
        yield from _settled(contest, span.since)


def _contests(span: Span) -> QuerySet[Contest]:
    """Those that were there before the day's end, and were not done with when it began."""
    ordered_before = Q(payment_order__ordered_at__lt=span.since)
    done = ordered_before & Q(lapse__lapsed_at__lt=span.since)
    unpaid = Claim.objects.filter(game=Game.LOTOTROT).filter(
        ~Q(state__in=_OVER) | Q(opened_at__gte=span.since) | Q(changed_at__gte=span.since)
    )
    touched = Ticket.objects.filter(pk__in=unpaid.values("document_id")).values("contest")
    refunds = Void.objects.filter(reason=Void.Reason.BREACH).values("ticket__contest")
    found = Contest.objects.filter(created_at__lt=span.until)
    found = found.filter(~done | Q(pk__in=touched) | Q(pk__in=refunds))
    return found.select_related("bet_type", "takings_account").order_by("day", "pk")


_OVER = (Claim.State.PAID, Claim.State.EXCHANGED, Claim.State.LAPSED, Claim.State.REFUSED)


def _state_at(contest: Contest, instant: datetime) -> str:
    order = PaymentOrder.objects.filter(contest=contest, ordered_at__lt=instant)
    if order.exists():
        return State.ORDERED
    settled = contest.settlements.filter(settled_at__lt=instant).filter(
        Q(reversed_at=None) | Q(reversed_at__gte=instant)
    )
    if settled.exists():
        return State.SETTLED
    if contest.closed_at and contest.closed_at < instant:
        return State.CLOSED
    return State.OPEN if contest.opened_at and contest.opened_at < instant else State.DRAFT


def _as_of(contest: Contest, state: str, instant: datetime) -> Contest:
    found: Contest = Contest.objects.get(pk=contest.pk)
    found.state = state
    if state in (State.OPEN, State.DRAFT):
        found.closed_at, found.closing_cause = None, ""
        found.opened_at = found.opened_at if state == State.OPEN else None
    return found


def _course(contest: Contest, instant: datetime) -> Iterator[Model]:
    """The programme, and what had happened on the course."""
    legs = ContestLeg.objects.filter(contest=contest)
    races = list(legs.values_list("race_id", flat=True))
    yield from legs
    yield from DisplayAcknowledgement.objects.filter(contest=contest)
    yield from Runner.objects.filter(race__in=races)
    yield from Withdrawal.objects.filter(race__in=races, entered_at__lt=instant)
    yield from RaceStart.objects.filter(race__in=races, recorded_at__lt=instant)
    yield from RaceDeclaration.objects.filter(race__in=races, recorded_at__lt=instant)
    for each in Classification.objects.filter(race__in=races, confirmed_at__lt=instant):
        later = Classification.objects.filter(corrects=each).first()
        each.in_force = later is None or later.confirmed_at >= instant
        yield each
    for draw in _draws(races).filter(certificate__certified_at__lt=instant):
        yield from _whole(draw)


def _draws(races: list[int]) -> QuerySet[Draw]:
    return Draw.objects.filter(subject__in=[subject_of(race) for race in races])


def _whole(draw: Draw) -> Iterator[Model]:
    """A certified draw with its steps."""
    yield draw
    yield from draw.attendances.all()
    for step in ("field", "commitment", "outcome", "certificate"):
        found = getattr(draw, step, None)
        if found is not None:
            yield found


def _undecided(contest: Contest, instant: datetime) -> Iterator[Model]:
    """Every ticket sold so far, what was voided, and the seal."""
    yield from Ticket.objects.filter(contest=contest, sold_at__lt=instant).order_by("pk").iterator()
    yield from Void.objects.filter(ticket__contest=contest, voided_at__lt=instant).order_by("pk")
    yield from Seal.objects.filter(contest=contest, sealed_at__lt=instant)
    amended = Amendment.objects.filter(seal__contest=contest)
    yield from amended.filter(proposal__decision__decided_at__lt=instant)


def _settled(contest: Contest, instant: datetime) -> Iterator[Model]:
    """The settlement that stood, its prizes that nobody had had yet, and its dates."""
    for each in contest.settlements.filter(settled_at__lt=instant):
        if each.reversed_at is not None and each.reversed_at >= instant:
            each.in_force, each.reversed_at, each.reversed_by = True, None, None
        yield each
        yield from SettlementCategory.objects.filter(settlement=each)
    yield from PaymentOrder.objects.filter(contest=contest, ordered_at__lt=instant)
    yield from Lapse.objects.filter(contest=contest, lapsed_at__lt=instant)
    yield from Block.objects.filter(ticket__contest=contest, blocked_at__lt=instant)


def _owed(contest: Contest, span: Span) -> Iterator[Model]:
    """The prizes and refunds of an ordered contest that were still to be had."""
    gone = Claim.objects.filter(game=Game.LOTOTROT, state__in=_OVER, opened_at__lt=span.since)
    over = gone.exclude(changed_at__gte=span.since).values("document_id")
    prizes = Prize.objects.filter(
        settlement__payment_order__contest=contest, prize_cents__gt=0
    ).exclude(ticket__in=over)
    for prize in prizes.select_related("ticket").order_by("pk").iterator():
        yield prize.ticket
        yield prize
    voids = Void.objects.filter(ticket__contest=contest, reason=Void.Reason.BREACH)
    for void in voids.exclude(ticket__in=over).select_related("ticket"):
        yield void.ticket
        yield void


# --- What happened --------------------------------------------------------------------------------


def events(span: Span) -> Iterator[Event]:
    day = {"gte": span.since, "lt": span.until}

    def of(model: type[Model], at: str) -> QuerySet[Any]:
        return model._default_manager.filter(**{f"{at}__{op}": v for op, v in day.items()})

    for kind, model, at in (
        ("lototrot.sale", Ticket, "sold_at"),
        ("lototrot.void", Void, "voided_at"),
        ("lototrot.withdrawal", Withdrawal, "entered_at"),
        ("lototrot.start", RaceStart, "recorded_at"),
        ("lototrot.declaration", RaceDeclaration, "recorded_at"),
        ("lototrot.seal", Seal, "sealed_at"),
    ):
        for row in of(model, at).order_by(at, "pk").iterator():
            yield Event(getattr(row, at), kind, row)
    for row in of(Classification, "confirmed_at"):
        if row.corrects_id is not None:
            data = {"classification": row.corrects_id}
            yield Event(row.confirmed_at, "lototrot.corrected", data=data, order=-1)
        row.in_force = True
        yield Event(row.confirmed_at, "lototrot.classification", row)
    for row in of(Block, "blocked_at").select_related("ticket"):
        yield _block(row)
    for amendment in of(Amendment, "proposal__decision__decided_at"):
        decided = amendment.proposal.decision.decided_at
        yield Event(decided, "lototrot.amendment", amendment, order=2)
    for draw in of(Draw, "certificate__certified_at"):
        *first, last = _whole(draw)
        yield Event(draw.certificate.certified_at, "lototrot.draw", last, tuple(first))
    yield from _steps(span, of)


def _block(row: Block) -> Event:
    """A block opens a claim, holds one that was presented, or finds nothing to hold [C6]."""
    claim = Claim.objects.filter(game=Game.LOTOTROT, document_id=row.ticket_id).first()
    opens = claim is not None and claim.opened_at == row.blocked_at
    held = as_of(claim, Claim.State.HELD, None) if claim and opens else None
    data = {"opens": opens, "holds": claim.pk if claim and not opens else None}
    return Event(row.blocked_at, "lototrot.block", row, (held,) if held else (), data)


def _steps(span: Span, of: Any) -> Iterator[Event]:
    """What contests became, and what is worked out anew."""
    for contest in of(Contest, "opened_at"):
        yield _step(contest.opened_at, "lototrot.opened", contest)
    for contest in of(Contest, "closed_at"):
        yield _step(contest.closed_at, "lototrot.closed", contest, cause=contest.closing_cause)
    for settlement in of(Settlement, "settled_at"):
        yield _step(settlement.settled_at, "lototrot.settled", settlement.contest)
    for settlement in of(Settlement, "reversed_at"):
        yield _step(
            settlement.reversed_at,
            "lototrot.reversed",
            settlement.contest,
            by=settlement.reversed_by_id,
        )
    for order in of(PaymentOrder, "ordered_at"):
        names = ("results_day", "first_pay_day", "last_claim_day")
        yield Event(
            order.ordered_at,
            "lototrot.ordered",
            None,
            (order.proposal,),
            {
                "contest": order.contest_id,
                "proposal": order.proposal_id,
                "at": order.ordered_at.isoformat(),
                **{name: getattr(order, name).isoformat() for name in names},
            },
        )
    for each in of(Lapse, "lapsed_at"):
        yield _step(each.lapsed_at, "lototrot.lapsed", each.contest)
    for carried in of(CarryOver, "carried_at"):
        yield _step(carried.carried_at, "lototrot.carry_over", carried.contest)


def _step(at: datetime, kind: str, contest: Contest, **data: Any) -> Event:
    data |= {"contest": contest.pk, "at": at.isoformat()}
    return Event(at, kind, data=data, order=1)


# --- And again ------------------------------------------------------------------------------------


def _takings(contest: Contest) -> ledger.AccountCode:
    return liability(contest.takings_account.code)


def _sold(row: Any, data: Data) -> None:
    takings = _takings(row.contest)
    line = postings.sale(premises_id=row.premises_id, takings=takings, cents=row.amount_cents)
    post("lototrot.sale", row, [line])


def _voided(row: Any, data: Data) -> None:
    ticket = row.ticket
    takings, cents = _takings(ticket.contest), ticket.amount_cents
    if row.reason == Void.Reason.BREACH:
        line = postings.breach_void(contest_id=ticket.contest_id, takings=takings, cents=cents)
    else:
        line = postings.annulment(premises_id=ticket.premises_id, takings=takings, cents=cents)
    post("lototrot.void", row, [line])


def _blocked(row: Any, data: Data) -> None:
    """Hold the prize, unless it was held already [C6]."""
    contest = row.ticket.contest_id
    presented = Claim.objects.filter(pk=data["holds"], state=Claim.State.PRESENTED)
    presented.update(state=Claim.State.HELD, changed_at=row.blocked_at)
    if data["opens"]:
        line = postings.breach_block(contest_id=contest, cents=row.prize_cents)
        post("lototrot.block", row, [line])


def _uncorrected(row: Any, data: Data) -> None:
    Classification.objects.filter(pk=data["classification"]).update(in_force=False)


def _opened(row: Any, data: Data) -> None:
    contest = Contest.objects.filter(pk=data["contest"])
    contest.update(state=State.OPEN, opened_at=data["at"])


def _closed(row: Any, data: Data) -> None:
    Contest.objects.filter(pk=data["contest"]).update(
        state=State.CLOSED, closed_at=data["at"], closing_cause=data["cause"], code_secret=None
    )


def _settle(row: Any, data: Data) -> None:
    contest_settle(contest_id=data["contest"])


def _reverse(row: Any, data: Data) -> None:
    """Every transfer of the settlement backwards, as its tickets make it."""
    contest = Contest.objects.select_related("bet_type", "takings_account").get(pk=data["contest"])
    settlement = contest.settlements.get(in_force=True)
    rules = rules_of(contest.bet_type, contest.day)
    tally = count(Counting(contest.pk, contest_results(contest).right_masks, rules))
    d = distribute(
        Takings(
            takings=tally.takings_cents,
            winners=tally.winners,
            jackpot_in=settlement.jackpot_in_cents,
            reserve_in=settlement.reserve_in_cents,
            lapsed_in=settlement.lapsed_in_cents,
        ),
        rules,
    )
    lines = postings.settlement_lines(
        contest_id=contest.pk,
        bet_type_code=contest.bet_type_code,
        takings=_takings(contest),
        d=d,
        parts=accounts.organiser_share(contest.day).divide(d.organiser_share),
    )
    ledger.post(
        reference=uuid.uuid5(settlement.uuid, postings.REVERSAL),
        lines=postings.reversal(lines),
    )
    Settlement.objects.filter(pk=settlement.pk).update(
        in_force=False, reversed_at=data["at"], reversed_by=data["by"]
    )
    Contest.objects.filter(pk=contest.pk).update(state=State.CLOSED)


def _order(row: Any, data: Data) -> None:
    dates = ("results_day", "first_pay_day", "last_claim_day")
    settlement = Settlement.objects.get(contest=data["contest"], in_force=True)
    PaymentOrder.objects.create(
        contest_id=data["contest"],
        settlement=settlement,
        proposal_id=data["proposal"],
        ordered_at=data["at"],
        **{name: data[name] for name in dates},
    )
    Contest.objects.filter(pk=data["contest"]).update(state=State.ORDERED)


def _lapse(row: Any, data: Data) -> None:
    order = PaymentOrder.objects.get(contest=data["contest"])
    lapse(order.contest_id, add_days(order.last_claim_day, 1))


def _carry_over(row: Any, data: Data) -> None:
    lapsed_carry_over(contest_id=data["contest"])


# --- What it came to ------------------------------------------------------------------------------


def figures(span: Span) -> Iterator[tuple[str, Any]]:
    """Yield each settlement of the day with its prizes, the lapses and the carry-overs."""
    settled = Settlement.objects.filter(settled_at__gte=span.since, settled_at__lt=span.until)
    for each in settled.order_by("contest", "number"):
        prizes = Prize.objects.filter(settlement=each)
        yield (
            f"settlement {each.contest_id}.{each.number}",
            {
                "tickets": each.tickets,
                "bets": each.bets,
                "figures": each.figures,
                "races": each.races,
                "winning_tickets": prizes.count(),
                "prizes_cents": prizes.aggregate(cents=Sum("prize_cents"))["cents"] or 0,
            },
        )
    for lapsed in Lapse.objects.filter(lapsed_at__gte=span.since, lapsed_at__lt=span.until):
        yield f"lapse {lapsed.contest_id}", [lapsed.prizes, lapsed.cents]
    carried = CarryOver.objects.filter(carried_at__gte=span.since, carried_at__lt=span.until)
    for each_day in carried.order_by().values("contest", "day").annotate(cents=Sum("cents")):
        yield f"carried over {each_day['contest']} {each_day['day']}", each_day["cents"]


_ROW_ONLY = ("withdrawal", "start", "declaration", "classification", "seal", "amendment", "draw")
DAY_PARTS: tuple[Part, ...] = (
    Part(
        name="lototrot",
        context=context,
        events=events,
        figures=figures,
        replays={
            **{f"lototrot.{name}": nothing for name in _ROW_ONLY},
            "lototrot.sale": _sold,
            "lototrot.void": _voided,
            "lototrot.block": _blocked,
            "lototrot.corrected": _uncorrected,
            "lototrot.opened": _opened,
            "lototrot.closed": _closed,
            "lototrot.settled": _settle,
            "lototrot.reversed": _reverse,
            "lototrot.ordered": _order,
            "lototrot.lapsed": _lapse,
            "lototrot.carry_over": _carry_over,
        },
    ),
)
