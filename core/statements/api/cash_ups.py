"""Serve the cash-up: what must be in an operator's drawer, what was counted, and its slip."""

import uuid

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import LanguageQuery, PaperView
from core.api.schema import operation
from core.api.shapes import Cents, Instant, RequestUuid, Shape, Text, Uuid, Whole
from core.api.views import BareTerminalView, StaffView, TerminalView
from core.kernel.money import MAX_ACT_CENTS
from core.kernel.request_uuids import REFUSALS
from core.premises.requests import UuidReused
from core.premises.services import PremisesUnknown
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from core.statements import cash_ups, powers
from core.statements.api.statements import PremisesQuery
from core.statements.papers import cash_up_slip


class DrawerLine(Shape):
    game = serializers.CharField(allow_blank=True, help_text="Empty for prizes paid.")
    column = serializers.CharField(help_text="sales, annulments, prizes or other.")
    count = Whole()
    cents = Cents(help_text="Sales are positive; refunds and prizes paid are negative.")


class DrawerOut(Shape):
    since = Instant(help_text="The operator's last cash-up here; else the beginning of the day.")
    lines = DrawerLine(many=True)
    expected_cents = Cents(help_text="Sales less refunds less prizes paid.")


class CashUpIn(Shape):
    uuid = RequestUuid(help_text="Made by the terminal; again, the same cash-up.")
    expected_cents = Cents(help_text="As shown to the operator.")
    float_cents = Cents(
        min_value=0, max_value=MAX_ACT_CENTS, help_text="Change in the drawer when the shift began."
    )
    counted_cents = Cents(
        min_value=0, max_value=MAX_ACT_CENTS, help_text="All the money in the drawer."
    )
    note = Text(max_length=200, default="", allow_blank=True)


class CashUpOut(DrawerOut):
    uuid = Uuid()
    number = Whole(help_text="Of the operator's shifts at the terminal, from 1.")
    premises = serializers.CharField(source="terminal.premises.code")
    terminal = serializers.CharField(source="terminal.code")
    operator = Whole(source="operator.number")
    closed_at = Instant()
    float_cents = Cents()
    counted_cents = Cents()
    difference_cents = Cents(help_text="Counted, less float, less expected; negative: missing.")
    note = serializers.CharField()


class TerminalDrawer(TerminalView):
    @operation("What must be in the operator's drawer now", answer=DrawerOut)
    def get(self, request: Request) -> HttpResponse:
        return self.answer(DrawerOut, cash_ups.drawer(by=self.terminal))


class TerminalCashUps(TerminalView):
    @operation(
        "Close the operator's shift with what was counted",
        body=CashUpIn,
        answer=CashUpOut,
        status=201,
        problems=(cash_ups.DrawerMoved, UuidReused, *REFUSALS),
        example={
            "uuid": "0190a6c8-5f6e-7000-8000-000000000009",
            "expected_cents": 0,
            "float_cents": 5000,
            "counted_cents": 5000,
            "note": "",
        },
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(CashUpIn)
        cash_up = cash_ups.cash_up_close(by=self.terminal, ident=body.pop("uuid"), **body)
        return self.answer(CashUpOut, cash_up, 201)


class TerminalCashUpSlip(PaperView, BareTerminalView):
    @operation("The slip of a cash-up", query=LanguageQuery, problems=(cash_ups.CashUpUnknown,))
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        cash_up = cash_ups.cash_up_of_terminal(terminal_id=self.terminal.terminal_id, ident=ident)
        content = render(
            cash_up_slip(cash_up, language),
            output=Output(form),
            created_at=cash_up.closed_at,
            paper=Paper.ROLL_80,
        )
        return self.paper(content, form)


class CashUps(StaffView):
    @operation(
        "Cash-ups of premises",
        answer=CashUpOut,
        paged=True,
        power=powers.READ,
        query=PremisesQuery,
        problems=(PremisesUnknown,),
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PremisesQuery)
        rows = cash_ups.cash_ups(by=self.by, premises=query["premises"])
        return self.rows(CashUpOut, rows, query, newest_first=True)
