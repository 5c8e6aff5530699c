"""Show breaches, settlements, winning tickets and the jackpot, and propose the acts on them."""

import structlog
from django.http import HttpResponse
from kombu.exceptions import OperationalError as BrokerError
from rest_framework import serializers
from rest_framework.request import Request

from core.api import pagination
from core.api.schema import operation
from core.api.shapes import (
    Cents,
    Choice,
    Day,
    Flag,
    Instant,
    PageQuery,
    Shape,
    Text,
    Uuid,
    Whole,
)
from core.api.views import StaffView
from core.looks.recording import look_at_list
from core.staff.api.proposals import TAKES_EFFECT, ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers, tasks
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.selectors import breaches
from lototrot.selectors.contests import ContestUnknown, contest_get
from lototrot.selectors.retired import TicketsArchived
from lototrot.selectors.settlement import settlements
from lototrot.selectors.settlement.results import DrawRequired, ResultsMissing
from lototrot.services.seal.sealing import ContestNotSealed
from lototrot.services.settlement import breach, checking, payment_order, settling

log = structlog.get_logger("settlement")


class CategoryOut(Shape):
    hits = Whole(help_text="Number of correct legs.")
    winning_bets = Whole()
    prize_cents = Cents(help_text="The prize of each winning bet.")
    total_cents = Cents()


class PaymentOrderOut(Shape):
    ordered_at = Instant()
    results_day = Day()
    first_pay_day = Day()
    last_claim_day = Day()


class SettlementOut(Shape):
    settlement = Uuid(source="uuid")
    contest = Whole(source="contest_id")
    day = Day(source="contest.day")
    number = Whole()
    in_force = Flag()
    settled_at = Instant()
    reversed_at = Instant(allow_null=True)
    tickets = Whole()
    bets = Whole()
    winning_tickets = Whole()
    takings_cents = Cents()
    jackpot_in_cents = Cents()
    reserve_in_cents = Cents()
    lapsed_in_cents = Cents()
    prizes_cents = Cents()
    jackpot_out_cents = Cents()
    reserve_out_cents = Cents()
    categories = CategoryOut(many=True, help_text="The highest first.")
    payment_order = PaymentOrderOut(allow_null=True, default=None)


class SettlementDetailOut(SettlementOut):
    figures = serializers.DictField(
        help_text="Every intermediate figure, in the shape of `manage.py whatif`."
    )
    rules = serializers.DictField(help_text="The bet type as applied.")
    races = serializers.ListField(
        child=serializers.DictField(), help_text="The results that it used."
    )


class SettlementRequestOut(Shape):
    contest = Whole()
    state = Choice(Contest.State.values)
    sent = Flag(
        help_text="True if a worker was told. If not, the sweeper finds the contest within seconds."
    )


class WinningTicketOut(Shape):
    ticket = Uuid(source="ticket.uuid")
    premises = serializers.CharField(source="ticket.premises.code")
    sold_at = Instant(source="ticket.sold_at")
    bets = Whole(source="ticket.bets")
    winning_bets = serializers.ListField(child=Whole(), help_text="By category, the highest first.")
    prize_cents = Cents()


class BreachOut(Shape):
    ticket = Uuid(source="uuid")
    sold_at = Instant()
    premises = serializers.CharField()
    terminal = serializers.CharField()
    bets = Whole()
    amount_cents = Cents()
    reasons = serializers.ListField(child=serializers.CharField())


class ChainOut(Shape):
    bet_type = serializers.CharField(source="bet_type_code")
    jackpot_cents = Cents()
    reserve_cents = Cents()
    next_contest = Whole(source="next_contest_id", allow_null=True)
    lapsed_cents = Cents(
        help_text="Unclaimed prizes carried over to the next contest so far (10.7)."
    )


class WinningTicketQuery(PageQuery):
    from_cents = Cents(
        min_value=0, default=0, help_text="Only tickets whose prize is at least this."
    )


class SettlementQuery(PageQuery):
    contest = Whole(required=False)
    bet_type = Text(max_length=40, required=False)
    in_force = Flag(default=True, help_text="If false, the list includes those that are reversed.")


class BreachList(StaffView):
    @operation(
        "List the bets in breach that are neither voided nor blocked yet [C6, E3]",
        answer=BreachOut,
        paged=True,
        problems=(ContestUnknown,),
        power=powers.WATCH,
    )
    def get(self, request: Request, contest: int) -> HttpResponse:
        look_at_list(Ticket, asked=request.path)
        page = pagination.page_of(
            lambda after, limit: breaches.breach_list(contest, after=after or 0, limit=limit),
            self.query(PageQuery),
            kind=int,
            position=lambda row: row.ticket_id,
        )
        return self.page(BreachOut, *page)


_BREACH_PROBLEMS = (
    ContestUnknown,
    breach.BreachNotNow,
    breach.BreachLimitUnknown,
    breach.NoBreach,
    breach.CorrectionWaits,
    ContestNotSealed,
    TicketsArchived,
    ProposalPending,
)


class BreachVoid(StaffView):
    @operation(
        "Propose to void all bets in breach, before the payment order",
        TAKES_EFFECT + " A settlement in force is then reversed, and run again [C9].",
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=_BREACH_PROBLEMS,
        power=powers.UNDO_BREACH,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)

        return self.created_once(ProposalOut, breach.breach_void, by=self.by, contest_id=contest)


class BreachBlock(StaffView):
    @operation(
        "Propose to block all tickets found in breach after the payment order",
        TAKES_EFFECT,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=_BREACH_PROBLEMS,
        power=powers.UNDO_BREACH,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)

        return self.created_once(ProposalOut, breach.breach_block, by=self.by, contest_id=contest)


class OneSettlement(StaffView):
    @operation(
        "The settlement in force, with every figure",
        answer=SettlementDetailOut,
        problems=(settlements.SettlementUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, contest: int) -> HttpResponse:
        return self.answer(SettlementDetailOut, settlements.settlement_in_force(contest))

    @operation(
        "Request the settlement of a contest",
        "A worker settles it; without a request the sweeper would do so, too. The request is "
        "refused with the reason when the contest cannot be settled yet. Nothing happens when "
        "it is settled already.",
        answer=SettlementRequestOut,
        status=202,
        problems=(
            ContestUnknown,
            settling.ContestNotClosed,
            settling.PreviousContestOpen,
            settling.LapsedNotCarriedOver,
            settling.PrintsOpen,
            settling.UnprintedPending,
            ResultsMissing,
            DrawRequired,
            settling.BreachPending,
        ),
        power=powers.REQUEST_SETTLEMENT,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)
        row = checking.settlement_request(by=self.by, contest_id=contest)
        sent = row.state == Contest.State.CLOSED and _sent(row)
        request_state = {"contest": row.pk, "state": row.state, "sent": sent}
        return self.answer(SettlementRequestOut, request_state, 202)


def _sent(contest: Contest) -> bool:
    try:
        tasks.settle.delay(contest.pk)
    except BrokerError as error:
        log.warning("broker out of reach", contest=contest.pk, cause=type(error).__name__)
        return False
    return True


class Settlements(StaffView):
    @operation(
        "List settlements, newest first: of all contests, of one, or of a bet type",
        "Each has the jackpot and the reserve before and after it. A contest has at most one that"
        " is in force [B14].",
        answer=SettlementOut,
        paged=True,
        query=SettlementQuery,
        problems=(ContestUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(SettlementQuery)
        rows = settlements.settlements()
        if "contest" in query:
            rows = rows.filter(contest=contest_get(query["contest"]))
        if "bet_type" in query:
            rows = rows.filter(contest__bet_type_code=query["bet_type"])
        if query["in_force"]:
            rows = rows.filter(in_force=True)
        return self.rows(SettlementOut, rows, query, newest_first=True)


class PaymentOrder(StaffView):
    @operation(
        "Propose the payment order (14.III.8.2)",
        TAKES_EFFECT + " It can never be withdrawn.",
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            ContestUnknown,
            payment_order.NothingToOrder,
            settling.BreachPending,
            breach.CorrectionWaits,
            ResultsMissing,
            ProposalPending,
        ),
        power=powers.ORDER_PAYMENT,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)

        return self.created_once(
            ProposalOut, payment_order.payment_order_propose, by=self.by, contest_id=contest
        )


class WinningTickets(StaffView):
    @operation(
        "The winning tickets of the settlement in force",
        answer=WinningTicketOut,
        paged=True,
        query=WinningTicketQuery,
        problems=(settlements.SettlementUnknown,),
        power=powers.LIST_PRIZES,
    )
    def get(self, request: Request, contest: int) -> HttpResponse:
        query = self.query(WinningTicketQuery)
        rows = checking.winning_tickets_list(
            by=self.by, contest_id=contest, from_cents=query["from_cents"]
        )
        return self.rows(WinningTicketOut, rows, query, key="ticket_id")


class Chain(StaffView):
    @operation(
        "The jackpot and the reserve of a bet type, as of now", answer=ChainOut, power=powers.READ
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        return self.answer(ChainOut, settlements.chain_balances(code))
