"""Collect the rows that a day's events need, as they were when the day began."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Model, Q, QuerySet

from core.draws import documents as draw_documents
from core.draws.models import Draw
from core.payoffice.models import Claim
from core.premises.models import Authorisation, Game
from core.proofs.models import LogEntry
from core.reports.parts import Span
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest, ContestLeg, DisplayAcknowledgement
from lototrot.models.programme import Runner
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.models.sealing import Amendment, Seal
from lototrot.models.settlement import Lapse, PaymentOrder, Prize, SettlementCategory
from lototrot.models.tickets import Block, Ticket, Void
from lototrot.selectors.draws import subject_of
from lototrot.selectors.retired import need_all
from lototrot.services.contest.published_terms import OPENING

State = Contest.State


def context(span: Span) -> Iterator[Model]:
    """Yield the authorisations to sell, the ends of bet types and the contests of a day, as they
    were when it began.

    A contest comes with all its tickets. If its payment was ordered before the day, it comes with
    the tickets that it still owed money for. Raises TicketsArchived where some left since.
    """
    yield from Authorisation.objects.filter(game=Game.LOTOTROT)
    yield from GameEnd.objects.filter(ended_at__lt=span.since)
    for contest in _contests(span):
        state = state_at(contest, span.since)
        yield _as_of(contest, state)
        yield from _course(contest, span.since)
        if state == State.ORDERED:
            yield from _owed(contest, span)
        else:
            need_all(contest.pk)
            yield from _undecided(contest, span.since)
        yield from _settled(contest, span.since)


def _contests(span: Span) -> QuerySet[Contest]:
    """Return the contests created before the day's end that still mattered when it began."""
    ordered_before = Q(payment_order__ordered_at__lt=span.since)
    ended = ordered_before & Q(lapse__lapsed_at__lt=span.since)
    open_claims = Claim.objects.filter(game=Game.LOTOTROT).filter(
        ~Q(state__in=Claim.OVER) | Q(opened_at__gte=span.since) | Q(changed_at__gte=span.since)
    )
    claimed = Ticket.objects.filter(pk__in=open_claims.values("document_id")).values("contest")
    refunds = Void.objects.exclude(reason=Void.Reason.ERROR).values("ticket__contest")
    contests = Contest.objects.filter(created_at__lt=span.until)
    contests = contests.filter(~ended | Q(pk__in=claimed) | Q(pk__in=refunds))
    return contests.select_related("bet_type", "takings_account").order_by("day", "pk")


def state_at(contest: Contest, instant: datetime) -> str:
    """Return the state that a contest had at an instant."""
    if PaymentOrder.objects.filter(contest=contest, ordered_at__lt=instant).exists():
        return State.ORDERED
    settlements = contest.settlements.filter(settled_at__lt=instant)
    if settlements.filter(Q(reversed_at=None) | Q(reversed_at__gte=instant)).exists():
        return State.SETTLED
    if contest.closed_at and contest.closed_at < instant:
        return State.CLOSED
    if contest.state == State.DISCARDED:  # the day before, too, or two would be of one day
        return State.DISCARDED
    return State.OPEN if contest.opened_at and contest.opened_at < instant else State.DRAFT


def _as_of(contest: Contest, state: str) -> Contest:
    row: Contest = Contest.objects.get(pk=contest.pk)
    row.state = state
    if state in (State.OPEN, *Contest.NEVER_ON_SALE):
        row.closed_at, row.closing_cause = None, ""
    if state in Contest.NEVER_ON_SALE:
        row.opened_at = row.opening = None
    return row


def _course(contest: Contest, instant: datetime) -> Iterator[Model]:
    """Yield the programme, and what had happened at the racecourse by an instant."""
    legs = ContestLeg.objects.filter(contest=contest)
    races = list(legs.values_list("race_id", flat=True))
    yield from legs
    yield from DisplayAcknowledgement.objects.filter(contest=contest)
    yield from Runner.objects.filter(race__in=races)
    for withdrawal in Withdrawal.objects.filter(race__in=races, entered_at__lt=instant):
        reversed_at = withdrawal.reversed_at
        stands = reversed_at is None or reversed_at >= instant
        yield standing(withdrawal) if stands else withdrawal
    yield from RaceStart.objects.filter(race__in=races, recorded_at__lt=instant)
    yield from RaceDeclaration.objects.filter(race__in=races, recorded_at__lt=instant)
    for row in Classification.objects.filter(race__in=races, confirmed_at__lt=instant):
        correction = Classification.objects.filter(corrects=row).first()
        row.in_force = correction is None or correction.confirmed_at >= instant
        yield row
    draws = Draw.objects.filter(subject__in=[subject_of(race) for race in races])
    for draw in draws.filter(certificate__certified_at__lt=instant):
        yield from draw_rows(draw)


def standing(withdrawal: Withdrawal) -> Withdrawal:
    """Return a withdrawal as it was before it was reversed, if it ever was."""
    withdrawal.reversed_at = withdrawal.reversal = None
    withdrawal.reversed_reason = ""
    return withdrawal


def draw_rows(draw: Draw) -> Iterator[Model]:
    """Yield a draw and the rows of its steps, in their order, the certificate last.

    Its minutes in the public log come with it, because a settlement names them.
    """
    yield draw
    yield from LogEntry.objects.filter(kind=draw_documents.MINUTES, subject=str(draw.uuid))
    yield from draw.attendances.all()
    for step in ("field", "commitment", "outcome", "certificate"):
        row = getattr(draw, step, None)
        if row is not None:
            yield row


def _undecided(contest: Contest, instant: datetime) -> Iterator[Model]:
    """Yield the tickets sold and voided by an instant, and the seal with its amendments.

    The published terms of the contest come with them, as a settlement compares them.
    """
    yield from LogEntry.objects.filter(kind=OPENING, subject=f"contest:{contest.pk}")
    yield from Ticket.objects.filter(contest=contest, sold_at__lt=instant).order_by("pk").iterator()
    yield from Void.objects.filter(ticket__contest=contest, voided_at__lt=instant).order_by("pk")
    yield from Seal.objects.filter(contest=contest, sealed_at__lt=instant)
    amended = Amendment.objects.filter(seal__contest=contest)
    yield from amended.filter(proposal__decision__decided_at__lt=instant)


def _settled(contest: Contest, instant: datetime) -> Iterator[Model]:
    """Yield the settlements stored by an instant, the payment order, the lapse and the blocks.

    The prizes of a settlement in force come with it unless its payment was ordered before.
    """
    ordered = PaymentOrder.objects.filter(contest=contest, ordered_at__lt=instant).exists()
    for settlement in contest.settlements.filter(settled_at__lt=instant):
        if settlement.reversed_at is not None and settlement.reversed_at >= instant:
            settlement.in_force = True
            settlement.reversed_at = settlement.reversed_by = None
        yield settlement
        yield from SettlementCategory.objects.filter(settlement=settlement)
        if settlement.in_force and not ordered:  # an order of the day values and pays them
            yield from Prize.objects.filter(settlement=settlement).order_by("pk").iterator()
    yield from PaymentOrder.objects.filter(contest=contest, ordered_at__lt=instant)
    yield from Lapse.objects.filter(contest=contest, lapsed_at__lt=instant)
    yield from Block.objects.filter(ticket__contest=contest, blocked_at__lt=instant)


def _owed(contest: Contest, span: Span) -> Iterator[Model]:
    """Yield the unpaid prizes and refunds of a contest whose payment is ordered."""
    ended = Claim.objects.filter(game=Game.LOTOTROT, state__in=Claim.OVER, opened_at__lt=span.since)
    ended_before = ended.exclude(changed_at__gte=span.since).values("document_id")
    prizes = Prize.objects.filter(
        settlement__payment_order__contest=contest, prize_cents__gt=0
    ).exclude(ticket__in=ended_before)
    for prize in prizes.select_related("ticket").order_by("pk").iterator():
        yield prize.ticket
        yield prize
    voids = Void.objects.filter(ticket__contest=contest).exclude(reason=Void.Reason.ERROR)
    for void in voids.exclude(ticket__in=ended_before).select_related("ticket"):
        yield void.ticket
        yield void
