"""Keep cashiers' cash sessions over the API: float, movements, count, closing slip."""

import uuid
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import LanguageQuery
from core.api.schema import PROPOSED, operation
from core.api.shapes import Cents, Choice, Flag, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.kernel.money import MAX_ACT_CENTS
from core.payoffice import counting, powers, selectors
from core.payoffice.api.claim_papers import RollView
from core.payoffice.models import CashMovement, CashSession
from core.payoffice.refusals import CashSessionMissing, CashShort
from core.payoffice.services import cash
from core.payoffice.services.closing_slip import closing_slip
from core.premises.services import PremisesUnknown
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalDecided, ProposalPending


class CashOpenIn(Shape):
    premises = Text(max_length=20)
    float_cents = Cents(min_value=0, max_value=MAX_ACT_CENTS)


class CashMoveIn(Shape):
    cents = Cents(
        min_value=-MAX_ACT_CENTS,
        max_value=MAX_ACT_CENTS,
        help_text="Above zero: brought; below: taken away.",
    )
    reason = Text(max_length=200)


class CashMoveOut(Shape):
    uuid = Uuid()
    cents = Cents()
    reason = serializers.CharField()
    moved_at = Instant()


class CashMovedOut(Shape):
    movement = CashMoveOut(allow_null=True)
    proposal = ProposalOut(allow_null=True, help_text="Who receives what is taken confirms it.")


class CountedIn(Shape):
    denomination_cents = Cents(help_text="A note or coin of the euro: 50000 to 1.")
    pieces = Whole()


class CashCloseIn(Shape):
    count = serializers.ListField(
        child=CountedIn(), max_length=len(counting.DENOMINATIONS_CENTS), help_text="What is there."
    )
    counted_cents = Cents(min_value=0, help_text="The sum of the notes and coins.")
    reason = Choice(
        ("", *CashSession.Reason.values),
        default="",
        required=False,
        help_text="Of a difference, which needs it.",
    )
    words = Text(
        max_length=200,
        default="",
        required=False,
        allow_blank=True,
        help_text="Of a difference, which needs them.",
    )


class CountedOut(Shape):
    denomination_cents = Cents()
    pieces = Whole()


class CashSessionOut(Shape):
    uuid = Uuid()
    premises = serializers.CharField(source="premises.code")
    cashier = Whole(source="cashier_id")
    cashier_name = serializers.CharField(source="cashier")
    opened_at = Instant()
    float_cents = Cents()
    closed_at = Instant(allow_null=True)
    expected_cents = Cents(allow_null=True, help_text="The balance in the books at the close.")
    counted_cents = Cents(allow_null=True)
    count = serializers.SerializerMethodField(help_text="Notes and coins, the largest first.")
    difference_cents = Cents(allow_null=True)
    difference_reason = Choice(("", *CashSession.Reason.values))
    difference_words = serializers.CharField()

    @extend_schema_field(CountedOut(many=True))
    def get_count(self, session: CashSession) -> list[dict[str, int]]:
        pieces = counting.pieces(session.count or {})
        return [{"denomination_cents": cents, "pieces": many} for cents, many in pieces]


class CashQuery(PageQuery):
    own = Flag(default=False, help_text="true: one's own only.")


class CashSessions(StaffView):
    @operation(
        "List cash sessions, newest first",
        answer=CashSessionOut,
        paged=True,
        query=CashQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(CashQuery)
        rows = selectors.cash_sessions(by=self.by, own=query["own"])
        return self.rows(CashSessionOut, rows, query, newest_first=True)

    @operation(
        "Open one's cash session at an office",
        body=CashOpenIn,
        answer=CashSessionOut,
        status=201,
        idempotent=True,
        problems=(PremisesUnknown, cash.NotAnOffice, cash.CashSessionOpen),
        example={"premises": "CENTRAL", "float_cents": 500000},
        power=powers.KEEP_CASH,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            CashSessionOut, cash.cash_open, by=self.by, **self.read(CashOpenIn)
        )


class CashMovements(StaffView):
    @operation(
        "Bring cash to one's open session, or propose to take some away",
        "Another person, who receives what is taken, confirms it; until then it is in the drawer.",
        body=CashMoveIn,
        answer=CashMovedOut,
        status=201,
        further=PROPOSED,
        idempotent=True,
        problems=(CashSessionMissing, CashShort, cash.MovementOfNothing, ProposalPending),
        example={"cents": 200000, "reason": "More notes from the safe."},
        power=powers.KEEP_CASH,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(CashMoveIn)
        return self.once(lambda: self._moved(body))

    def _moved(self, body: dict[str, Any]) -> HttpResponse:
        outcome = cash.cash_move(by=self.by, **body)
        if isinstance(outcome, CashMovement):
            return self.answer(CashMovedOut, {"movement": outcome, "proposal": None}, 201)
        return self.answer(CashMovedOut, {"movement": None, "proposal": outcome}, 202)


class CashClose(StaffView):
    @operation(
        "Propose to close a cash session by count",
        "Another person than its cashier, who receives the cash, confirms it. Until then the cash"
        " is in the drawer. What the session pays or moves meanwhile makes the count void; who"
        " counts again replaces it.",
        body=CashCloseIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            cash.CashSessionUnknown,
            cash.DifferenceUnexplained,
            counting.CountMalformed,
            counting.CountNotTheSum,
            ProposalDecided,
            ProposalPending,
        ),
        example={
            "count": [
                {"denomination_cents": 5000, "pieces": 64},
                {"denomination_cents": 50, "pieces": 21},
            ],
            "counted_cents": 321050,
        },
        power=powers.KEEP_CASH,
    )
    def post(self, request: Request, session: uuid.UUID) -> HttpResponse:
        body = self.read(CashCloseIn)
        return self.once(lambda: self._counted(session, body))

    def _counted(self, session: uuid.UUID, body: dict[str, Any]) -> HttpResponse:
        count = counting.count_of(
            (each["denomination_cents"], each["pieces"]) for each in body["count"]
        )
        if counting.count_cents(count) != body["counted_cents"]:
            raise counting.CountNotTheSum
        proposal = cash.cash_close(
            by=self.by, session=session, count=count, reason=body["reason"], words=body["words"]
        )
        return self.answer(ProposalOut, proposal, 202)


class ClosingSlip(RollView, StaffView):
    @operation(
        "Print the closing slip of a cash session",
        query=LanguageQuery,
        problems=(selectors.ClosingUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        session = selectors.closed_session(by=self.by, ident=ident)
        return self.printed(
            closing_slip(session, language), session.closed_at or session.opened_at, form
        )
