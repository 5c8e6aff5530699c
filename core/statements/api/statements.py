"""Serve running accounts, statements, commission and guarantees."""

import uuid

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import CSV, CSV_FORM, JSON, PDF_ONLY, LanguageQuery, PaperView, json_form
from core.api.schema import operation
from core.api.shapes import (
    Cents,
    Choice,
    Day,
    Instant,
    PageQuery,
    Shape,
    Text,
    Uuid,
    Whole,
)
from core.api.views import StaffView, TerminalView
from core.kernel.money import MAX_ACT_CENTS, BadPercent
from core.looks.recording import EXPORT, look
from core.premises.api.suspensions import ChosenOut
from core.premises.chosen import SelectionEmpty, SelectionRefused
from core.premises.models import Game
from core.premises.services import PremisesUnknown
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending
from core.statements import guarantee, papers, powers, selectors, services
from core.statements.left import StatementArchived, StatementUnknown
from core.statements.models import Remittance


class PremisesQuery(PageQuery):
    premises = Text(max_length=20, default="")


class RunningAccountOut(Shape):
    premises = serializers.CharField(source="premises.code")
    account = serializers.CharField(help_text="Its code in the ledger.")
    since = Day(allow_null=True, help_text="The day after the last statement; null without one.")
    opening_cents = Cents(help_text="The balance of the last statement.")
    columns = serializers.DictField(
        child=Cents(), help_text="What was added to the balance since, by kind of movement."
    )
    balance_cents = Cents(help_text="What the premises owe; negative: what they are owed.")
    limit_cents = Cents(help_text="The most that they may owe; 0 until one is set.")
    left_cents = Cents(help_text="What they may still sell before they remit.")
    archived_to = Day(
        allow_null=True,
        help_text="The last day of the newest statement that has left to an archive; null: none.",
    )


class StatementOut(Shape):
    uuid = Uuid()
    premises = serializers.CharField(source="premises.code")
    number = Whole()
    week_from = Day()
    week_to = Day()
    opening_cents = Cents()
    sales_cents = Cents()
    annulments_cents = Cents()
    prizes_cents = Cents()
    commission_cents = Cents()
    settled_cents = Cents()
    other_cents = Cents()
    closing_cents = Cents()
    issued_at = Instant()


class OneStatementOut(StatementOut):
    lines = serializers.ListField(child=serializers.DictField())
    commission = serializers.ListField(child=serializers.DictField())


class RemittanceIn(Shape):
    amount_cents = Cents(help_text="Paid by the premises; negative: paid to them.")
    paid_on = Day()
    reference = Text(max_length=120, help_text="The bank movement's.")


class RemittanceOut(Shape):
    uuid = Uuid()
    amount_cents = Cents()
    paid_on = Day()
    reference = serializers.CharField()
    recorded_at = Instant()


class RemittedOut(Shape):
    remittance = RemittanceOut(allow_null=True)
    proposal = ProposalOut(allow_null=True, help_text="Another person confirms it.")


class RateIn(Shape):
    game = Choice(Game.values)
    premises = Text(max_length=20, allow_null=True, default=None)
    percent = Text(max_length=10)
    in_force_from = Day()
    reference = Text(max_length=120)


class RateOut(Shape):
    id = Whole()
    game = Choice(Game.values)
    premises = serializers.CharField(source="premises.code", allow_null=True, default=None)
    percent = serializers.CharField()
    in_force_from = Day()
    reference = serializers.CharField()


class LimitIn(Shape):
    limit_cents = Cents(max_value=MAX_ACT_CENTS)
    minute_cap_cents = Cents(
        default=guarantee.MINUTE_CAP_CENTS,
        max_value=MAX_ACT_CENTS,
        help_text="The most that each of their terminals sells in a minute.",
    )
    reference = Text(max_length=120)
    in_force_from = Instant(
        allow_null=True, default=None, help_text="At its confirmation unless given."
    )


class ChosenLimitIn(Shape):
    premises = serializers.ListField(
        child=Text(max_length=20), help_text="Their codes, at most 200."
    )
    limit_cents = Cents(max_value=MAX_ACT_CENTS)
    minute_cap_cents = Cents(
        default=guarantee.MINUTE_CAP_CENTS,
        max_value=MAX_ACT_CENTS,
        help_text="The most that each of their terminals sells in a minute.",
    )
    reference = Text(max_length=120)


class LimitOut(Shape):
    id = Whole()
    premises = serializers.CharField(source="premises.code")
    limit_cents = Cents()
    minute_cap_cents = Cents()
    in_force_from = Instant()
    reference = serializers.CharField()


class Account(StaffView):
    @operation(
        "The running account of premises",
        answer=RunningAccountOut,
        problems=(PremisesUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        return self.answer(RunningAccountOut, selectors.running_account(by=self.by, premises=code))


class TerminalAccount(TerminalView):
    @operation("The running account of the terminal's premises", answer=RunningAccountOut)
    def get(self, request: Request) -> HttpResponse:
        return self.answer(RunningAccountOut, selectors.terminal_account(terminal=self.terminal))


class Limits(StaffView):
    @operation(
        "Guarantee limits of premises",
        answer=LimitOut,
        paged=True,
        problems=(PremisesUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        limits = selectors.guarantee_limits(by=self.by, premises=code)
        return self.rows(LimitOut, limits, self.query(PageQuery), newest_first=True)

    @operation(
        "Propose the guarantee limit of premises; another person confirms it",
        body=LimitIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            PremisesUnknown,
            guarantee.LimitRefused,
            services.ReferenceMissing,
            ProposalPending,
        ),
        example={
            "limit_cents": 300000,
            "minute_cap_cents": 60000,
            "reference": "Aval 12/2027",
            "in_force_from": None,
        },
        power=powers.SET_GUARANTEE,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        return self.accepted_once(
            ProposalOut,
            guarantee.guarantee_limit_propose,
            by=self.by,
            premises=code,
            **self.read(LimitIn),
        )


class ChosenLimits(StaffView):
    @operation(
        "Propose one guarantee limit for many premises; another person confirms all of them",
        "It begins at the confirmation. Premises that have it already, whose next limit is on"
        " record, or that are unknown, are left out and named. It refuses all if the limit of one"
        " of them changed meanwhile.",
        body=ChosenLimitIn,
        answer=ChosenOut,
        status=201,
        idempotent=True,
        problems=(
            guarantee.LimitRefused,
            services.ReferenceMissing,
            SelectionEmpty,
            SelectionRefused,
            ProposalPending,
        ),
        example={
            "premises": ["P-0001", "P-0002"],
            "limit_cents": 300000,
            "minute_cap_cents": 60000,
            "reference": "Aval 12/2027",
        },
        power=powers.SET_GUARANTEE,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ChosenOut, guarantee.limits_propose, by=self.by, **self.read(ChosenLimitIn)
        )


class Rates(StaffView):
    @operation("Commission rates", answer=RateOut, paged=True, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        return self.rows(RateOut, selectors.commission_rates(by=self.by), self.query(PageQuery))

    @operation(
        "Propose a commission rate; another person confirms it",
        body=RateIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            PremisesUnknown,
            BadPercent,
            services.ReferenceMissing,
            services.RateRecorded,
            services.RateTooLate,
            ProposalPending,
        ),
        example={
            "game": "lototrot",
            "premises": None,
            "percent": "6",
            "in_force_from": "2027-03-01",
            "reference": "Contract 2027",
        },
        power=powers.SET_RATES,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.accepted_once(
            ProposalOut, services.commission_rate_propose, by=self.by, **self.read(RateIn)
        )


class Statements(StaffView):
    @operation(
        "Statements of premises",
        "A statement that its payments settled leaves to the archive of a month, 91 days after its"
        " week at the earliest (`archived_to` of the premises' running account).",
        answer=StatementOut,
        paged=True,
        query=PremisesQuery,
        problems=(PremisesUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PremisesQuery)
        statements = selectors.statements(by=self.by, premises=query["premises"])
        return self.rows(StatementOut, statements, query, newest_first=True)


class OneStatement(PaperView, StaffView):
    forms = (json_form(OneStatementOut), *PDF_ONLY, CSV_FORM)

    @operation(
        "A statement: its figures as JSON or CSV, or its paper",
        query=LanguageQuery,
        problems=(StatementUnknown, StatementArchived),
        power=powers.READ,
    )
    def get(self, request: Request, statement: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        issued = selectors.statement_one(by=self.by, ident=statement)
        if form == JSON:
            return self.answer(OneStatementOut, issued)
        look(EXPORT, issued)
        if form == CSV:
            content = papers.statement_csv(issued).encode()
        else:
            content = papers.statement_pdf(issued, language=language)
        return self.download(content, form, name=str(issued))


class Remittances(StaffView):
    @operation(
        "Payments of a statement",
        answer=RemittanceOut,
        paged=True,
        problems=(StatementUnknown, StatementArchived),
        power=powers.READ,
    )
    def get(self, request: Request, statement: uuid.UUID) -> HttpResponse:
        remittances = selectors.remittances(by=self.by, statement=statement)
        return self.rows(RemittanceOut, remittances, self.query(PageQuery))

    @operation(
        "Record that a statement was paid",
        "What is paid to the premises is proposed, and so are payments from the configured amount"
        " on, counting all that one person recorded for the statement, and a part of a bank"
        " movement of which other premises have one; another person confirms them.",
        body=RemittanceIn,
        answer=RemittedOut,
        status=201,
        idempotent=True,
        problems=(
            StatementUnknown,
            StatementArchived,
            services.ReferenceMissing,
            services.RemittanceRefused,
            services.RemittanceRecorded,
            ProposalPending,
        ),
        example={"amount_cents": 120000, "paid_on": "2027-03-09", "reference": "TRF 88/2027"},
        power=powers.SETTLE,
    )
    def post(self, request: Request, statement: uuid.UUID) -> HttpResponse:
        body = self.read(RemittanceIn)

        def act() -> HttpResponse:
            outcome = services.statement_settle(by=self.by, statement=statement, **body)
            if isinstance(outcome, Remittance):
                return self.answer(RemittedOut, {"remittance": outcome, "proposal": None}, 201)
            return self.answer(RemittedOut, {"remittance": None, "proposal": outcome}, 202)

        return self.once(act)
