"""The state of a presented ticket (rulebook: *Codes*, C4, D5)."""

import dataclasses
import datetime
import enum

from django.conf import settings

from core.database import clock
from core.kernel import codes
from core.kernel.days import natural_day
from core.kernel.errors import NotFound
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Prize
from lototrot.models.tickets import Ticket, Void


class TicketNotFound(NotFound):
    code = "ticket_not_found"
    message = "No ticket has that code."


class TicketState(enum.StrEnum):
    """What a ticket is at an instant."""

    SOLD = "sold"
    AWAITING_RESULTS = "awaiting_results"
    AWAITING_ORDER = "awaiting_order"
    VOID = "void"
    REFUND_DUE = "refund_due"
    BARRED = "barred"
    NO_PRIZE = "no_prize"
    PRIZE = "prize"
    PRIZE_NOT_YET = "prize_not_yet"
    PERIOD_OVER = "period_over"


@dataclasses.dataclass(frozen=True, slots=True)
class TicketStatus:
    """A ticket and what it is worth. Days are natural days of Europe/Madrid; cents."""

    ticket: Ticket
    state: TicketState
    prize_cents: int = 0
    winning_bets: tuple[tuple[int, int], ...] = ()
    first_pay_day: datetime.date | None = None
    last_claim_day: datetime.date | None = None


def ticket_by_code(presented: str) -> Ticket:
    """The ticket of a scanned or typed code.

    Raises CodeMalformed, CodeMistyped or CodeForged before anything is looked up, TicketNotFound.
    """
    code = codes.parse(presented, settings.CODE_KEYS, codes.TICKET)
    ticket = (
        Ticket.objects.select_related("contest")
        .filter(code_digest=settings.CODE_KEYS.digest(code))
        .first()
    )
    if ticket is None:
        raise TicketNotFound
    return ticket


def ticket_status(ticket: Ticket) -> TicketStatus:
    """What the ticket is now. Prizes show only once payment has been ordered (14.III.8.2)."""
    void = Void.objects.filter(ticket=ticket).first()
    if void is not None:
        due = void.reason == Void.Reason.BREACH
        return TicketStatus(ticket, TicketState.REFUND_DUE if due else TicketState.VOID)
    contest = ticket.contest
    now = clock.now()
    if contest.state == Contest.State.OPEN and now < contest.scheduled_close_at:
        return TicketStatus(ticket, TicketState.SOLD)
    order = PaymentOrder.objects.filter(contest=contest).first()
    if order is None:
        settled = contest.state == Contest.State.SETTLED
        state = TicketState.AWAITING_ORDER if settled else TicketState.AWAITING_RESULTS
        return TicketStatus(ticket, state)
    return _after_order(ticket, order, natural_day(now))


def _after_order(ticket: Ticket, order: PaymentOrder, today: datetime.date) -> TicketStatus:
    prize = Prize.objects.filter(ticket=ticket, settlement_id=order.settlement_id).first()
    if prize is None or not prize.prize_cents:
        return TicketStatus(ticket, TicketState.NO_PRIZE)
    state = TicketState.PRIZE
    if hasattr(ticket, "bar"):
        state = TicketState.BARRED
    elif today < order.first_pay_day:
        state = TicketState.PRIZE_NOT_YET
    elif today > order.last_claim_day:
        state = TicketState.PERIOD_OVER
    top = len(ticket.legs())
    won = tuple((top - place, bets) for place, bets in enumerate(prize.winning_bets) if bets)
    return TicketStatus(
        ticket, state, prize.prize_cents, won, order.first_pay_day, order.last_claim_day
    )
