"""List tickets without a confirmed print after the closing, and decide about them [E11]."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.staff.api.proposals import TAKES_EFFECT, ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers
from lototrot.models.tickets import Unprinted
from lototrot.selectors.contests import ContestUnknown, contest_get
from lototrot.services.seal.sealing import ContestNotSealed
from lototrot.services.settlement import unprinted

MOST_CHOSEN = 1000


class UnprintedTicketOut(Shape):
    ticket = Uuid(source="ticket.uuid")
    terminal = serializers.CharField(source="ticket.terminal.code")
    sold_at = Instant(source="ticket.sold_at")
    bets = Whole(source="ticket.bets")
    amount_cents = Cents(source="ticket.amount_cents")
    listed_at = Instant()
    confirmed_at = Instant(
        allow_null=True,
        help_text="When its print was confirmed after it was listed: it has a paper. Null if not.",
    )
    late_at_terminal = Whole(
        help_text="How many of the contest's listed tickets this terminal confirmed after the list"
        " was made. A terminal that knows the results could confirm those that won."
    )


class DecisionIn(Shape):
    verdict = Choice(Unprinted.Verdict.values)
    reason = Text(max_length=200)
    tickets = serializers.ListField(
        child=Uuid(),
        allow_null=True,
        default=None,
        max_length=MOST_CHOSEN,
        help_text="All that wait, if not given.",
    )


class UnprintedList(StaffView):
    @operation(
        "Tickets without a confirmed print that wait for two persons [E11]",
        answer=UnprintedTicketOut,
        paged=True,
        problems=(ContestUnknown,),
        power=powers.WATCH,
    )
    def get(self, request: Request, contest: int) -> HttpResponse:
        rows = unprinted.unprinted_list(by=self.by, contest_id=contest_get(contest).pk)
        return self.rows(UnprintedTicketOut, rows, self.query(PageQuery))


class UnprintedDecision(StaffView):
    @operation(
        "Propose to void tickets without a confirmed print, or to let them stand",
        TAKES_EFFECT
        + " A voided one leaves a refund due, and the amendment of the seal is published.",
        body=DecisionIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            ContestUnknown,
            unprinted.UnprintedNotNow,
            ContestNotSealed,
            unprinted.NothingUnprinted,
            unprinted.UnprintedUnknown,
            unprinted.UnprintedConfirmed,
            ProposalPending,
        ),
        example={"verdict": "void", "reason": "The printer was out of paper.", "tickets": None},
        power=powers.DECIDE_UNPRINTED,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        return self.created_once(
            ProposalOut,
            unprinted.unprinted_decide,
            by=self.by,
            contest_id=contest,
            **self.read(DecisionIn),
        )
