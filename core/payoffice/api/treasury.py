"""Keep cheques, prizes in kind and cash ceilings over the API."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.bodies import shape_of
from core.api.papers import PDF_ONLY, LanguageQuery, PaperView
from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.kernel.money import MAX_ACT_CENTS
from core.payoffice import powers, selectors
from core.payoffice.api.claim_shapes import PayeeIn
from core.payoffice.api.losses import BankPaymentOut, RecoveryOut, WriteOffOut
from core.payoffice.models import Cheque
from core.payoffice.refusals import OutOfStock
from core.payoffice.services import cheques, goods, slips, stock_values
from core.payoffice.services.personal_data import Erased, PayeeFacts
from core.premises.services import PremisesUnknown
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending


class ChequeOut(Shape):
    number = Whole()
    payment = Uuid(source="payment.uuid")
    amount_cents = Cents()
    state = Choice(Cheque.State.values)
    issued_at = Instant()
    presented_on = Day(allow_null=True)
    replaces = Whole(source="replaces.number", allow_null=True, default=None)
    void_reason = serializers.CharField()
    bank_payment = BankPaymentOut(
        allow_null=True, default=None, help_text="A voided cheque that the bank paid."
    )
    still_lost_cents = Cents(
        help_text="What the organiser lost by it, less what was given back or written off."
    )
    recoveries = RecoveryOut(many=True)
    write_offs = WriteOffOut(many=True)


class ChequeQuery(PageQuery):
    state = Choice(("", *Cheque.State.values), default="", required=False)


class VoidingIn(Shape):
    reason = Text(max_length=200)


class ReissueIn(Shape):
    payee = shape_of(PayeeIn)(
        required=False,
        allow_null=True,
        default=None,
        help_text="Only where it was wrong, or was erased in its time (`payee_erased`).",
    )


class PresentedIn(Shape):
    number = Whole(min_value=1)
    amount_cents = Cents(min_value=1)
    presented_on = Day()


class ReconciliationIn(Shape):
    items = serializers.ListField(child=PresentedIn(), min_length=1, max_length=500)


class ReconciliationOut(Shape):
    items = ChequeOut(many=True)


class StockIn(Shape):
    code = Text(max_length=80, help_text="As the game names it.")
    description = Text(max_length=200)
    unit_cents = Cents(
        min_value=1,
        max_value=MAX_ACT_CENTS,
        help_text="In the books; the equivalent of a prize is its emission's [P21].",
    )


class StockOut(Shape):
    code = serializers.CharField()
    description = serializers.CharField()
    unit_cents = Cents()
    units = serializers.SerializerMethodField()

    def get_units(self, item: Any) -> int:
        return getattr(item, "units", None) or 0


class StockMoveIn(Shape):
    premises = Text(max_length=20)
    units = Whole(min_value=-1_000_000, max_value=1_000_000)
    reason = Text(max_length=200)


class StockValueIn(Shape):
    unit_cents = Cents(min_value=1, max_value=MAX_ACT_CENTS, help_text="The right one.")
    reason = Text(max_length=200)


class CeilingIn(Shape):
    in_force_from = Day()
    cents = Cents(min_value=1)
    source = Text(max_length=200)


class Cheques(StaffView):
    @operation(
        "The register of cheques",
        answer=ChequeOut,
        paged=True,
        query=ChequeQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(ChequeQuery)
        rows = selectors.cheques(by=self.by, state=query["state"])
        return self.rows(ChequeOut, rows, query, key="number", newest_first=True)


class ChequePaper(PaperView, StaffView):
    forms = PDF_ONLY

    @operation(
        "Print a cheque",
        query=LanguageQuery,
        problems=(cheques.ChequeUnknown, Erased),
        power=powers.PRINT_CHEQUES,
    )
    def get(self, request: Request, number: int, form: str) -> HttpResponse:
        language = self.language()
        cheque = cheques.cheque_printed(by=self.by, number=number)
        document = slips.cheque_document(cheque, language)
        content = render(document, output=Output(form), created_at=cheque.issued_at, paper=Paper.A4)
        return self.paper(content, form)


class ChequeVoiding(StaffView):
    @operation(
        "Propose to void a cheque; another person confirms",
        body=VoidingIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            cheques.ChequeUnknown,
            cheques.ChequeNotIssued,
            cheques.ReasonNeeded,
            ProposalPending,
        ),
        example={"reason": "Lost by the payee."},
        power=powers.ISSUE_CHEQUES,
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        return self.accepted_once(
            ProposalOut, cheques.cheque_void, by=self.by, number=number, **self.read(VoidingIn)
        )


class ChequeReissue(StaffView):
    @operation(
        "Propose another cheque for a voided one; another person confirms",
        body=ReissueIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            cheques.ChequeUnknown,
            cheques.ChequeStands,
            cheques.ChequeSettled,
            cheques.PayeeErased,
            ProposalPending,
        ),
        example={},
        power=powers.ISSUE_CHEQUES,
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        new_payee = self.read(ReissueIn)["payee"]
        payee = PayeeFacts(**new_payee) if new_payee else None
        return self.accepted_once(
            ProposalOut, cheques.cheque_reissue, by=self.by, number=number, payee=payee
        )


class Reconciliation(StaffView):
    @operation(
        "Record the cheques that the bank paid, all or none",
        "A second request changes nothing.",
        body=ReconciliationIn,
        answer=ReconciliationOut,
        idempotent=True,
        problems=(
            cheques.ChequeUnknown,
            cheques.ChequeNotIssued,
            cheques.ChequeAmountDiffers,
            cheques.ChequeDayWrong,
        ),
        example={"items": [{"number": 1, "amount_cents": 250000, "presented_on": "2026-11-20"}]},
        power=powers.ISSUE_CHEQUES,
    )
    def post(self, request: Request) -> HttpResponse:
        items = self.read(ReconciliationIn)["items"]
        return self.once(
            lambda: self.answer(
                ReconciliationOut,
                {"items": cheques.cheques_reconcile(by=self.by, items=items)},
            )
        )


class Stock(StaffView):
    @operation(
        "Prizes in kind, with the units in stock", answer=StockOut, paged=True, power=powers.READ
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PageQuery)
        return self.rows(StockOut, selectors.stock(by=self.by), query)

    @operation(
        "Put a thing in the register",
        "A second request changes nothing.",
        body=StockIn,
        answer=StockOut,
        status=201,
        idempotent=True,
        problems=(goods.ItemDiffers,),
        example={
            "code": "trotters-ladder:sulky",
            "description": "A sulky",
            "unit_cents": 90000,
        },
        power=powers.KEEP_STOCK,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(StockOut, goods.stock_register, by=self.by, **self.read(StockIn))


class StockMovements(StaffView):
    @operation(
        "Propose that units come in or go out (negative); another person confirms it",
        body=StockMoveIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            goods.ItemUnknown,
            PremisesUnknown,
            goods.UnitsWrong,
            OutOfStock,
            ProposalPending,
        ),
        example={"premises": "CENTRAL", "units": 3, "reason": "Delivered."},
        power=powers.KEEP_STOCK,
    )
    def post(self, request: Request, item: str) -> HttpResponse:
        return self.accepted_once(
            ProposalOut, goods.stock_move, by=self.by, item=item, **self.read(StockMoveIn)
        )


class StockCorrections(StaffView):
    @operation(
        "Propose another value of a unit than was registered; another person confirms it",
        "The books are put right for every unit that came in, also for those handed over.",
        body=StockValueIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(goods.ItemUnknown, stock_values.ValueWrong, ProposalPending),
        example={"unit_cents": 90000, "reason": "One zero too many."},
        power=powers.KEEP_STOCK,
    )
    def post(self, request: Request, item: str) -> HttpResponse:
        body = self.read(StockValueIn)
        return self.once(
            lambda: self.answer(
                ProposalOut, stock_values.stock_correct(by=self.by, item=item, **body), 202
            )
        )


class Ceilings(StaffView):
    @operation(
        "Propose a cash ceiling that later law sets; another person confirms [C3]",
        body=CeilingIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(cheques.CeilingNotLater, ProposalPending),
        example={
            "in_force_from": "2027-01-01",
            "cents": 100000,
            "source": "Llei 11/2021, art. 18",
        },
        power=powers.SET_CASH_CEILING,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.accepted_once(
            ProposalOut, cheques.ceiling_propose, by=self.by, **self.read(CeilingIn)
        )
