"""Check documents at the prize office's desk, and act on them (14.III.10)."""

import uuid
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from core.api.schema import AGAIN, PROPOSED, operation
from core.api.views import StaffView, json_response
from core.database import clock
from core.kernel.days import natural_day
from core.kernel.request_uuids import REFUSALS
from core.looks.recording import look_at_list
from core.payoffice import powers, refusals, selectors
from core.payoffice.api import claims
from core.payoffice.api.claim_shapes import (
    DepositIn,
    DepositOut,
    ImageIn,
    ImageOut,
    PaymentIn,
    PresentationIn,
    PresentationOut,
)
from core.payoffice.api.claims import CODE_PROBLEMS, PAY_PROBLEMS, STATE_PROBLEMS
from core.payoffice.api.office_shapes import (
    ArrivalIn,
    ArrivalOut,
    DepositQuery,
    DepositRowOut,
    DeskExchangeOut,
    DeskOut,
    DeskPaymentOut,
    DocumentIn,
    ExchangeIn,
    ExchangeOut,
    HappenedOut,
    MatchIn,
    MatchOut,
    PaymentQuery,
    PaymentRowOut,
    RulingIn,
    WaitingListOut,
)
from core.payoffice.models import Claim, Exchange
from core.payoffice.services import checking, deposits, desk, goods, matching, presenting, ruling
from core.payoffice.services.cash import NotAnOffice
from core.payoffice.services.cheques import ReasonNeeded
from core.payoffice.services.paying import Paid
from core.payoffice.services.personal_data import Erased
from core.payoffice.sources import DocumentArchived, DocumentUnknown
from core.premises.services import PremisesUnknown
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending

_DESK_PROBLEMS = (
    *PAY_PROBLEMS,
    refusals.CashSessionMissing,
    refusals.CashShort,
    refusals.PayerHandedOver,
)


class Desk(StaffView):
    @operation(
        "Check a presented document: its state, the acts on it, the acts allowed now",
        body=DocumentIn,
        answer=DeskOut,
        problems=CODE_PROBLEMS,
        example={"code": "1ABC-…"},
        power=powers.CHECK,
    )
    def post(self, request: Request) -> HttpResponse:
        state = checking.desk_state(by=self.by, **self.read(DocumentIn))
        return json_response(
            {
                **claims.checked_json(state.checked),
                "duty": state.checked.duty and state.checked.duty.value,
                "refusal": state.checked.refusal,
                "happened": HappenedOut(state.happened, many=True).data,
                "actions": [action.value for action in state.actions],
                "details": dict(state.checked.details()),
            }
        )


class Payments(StaffView):
    @operation(
        "List payments, newest first",
        answer=PaymentRowOut,
        paged=True,
        query=PaymentQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PaymentQuery)
        rows = selectors.payments(by=self.by, premises=query["premises"])
        return self.rows(PaymentRowOut, rows, query, newest_first=True)

    @operation(
        "Pay at the desk, from one's open cash session",
        "From the configured amount on it is proposed, and paid when another person confirms; the"
        " document counts as presented from the proposal on. The same request again gets the same"
        " payment or proposal.",
        body=PaymentIn,
        answer=DeskPaymentOut,
        status=201,
        further=AGAIN | PROPOSED,
        problems=(*_DESK_PROBLEMS, ProposalPending),
        example={
            "uuid": "0190a6c8-5f6e-7000-8000-6f2a0b6a2f13",
            "code": "1ABC-…",
            "amount_cents": 250000,
            "intact": True,
            "payee": {
                "name": "Maria Ferrer",
                "document_kind": "dni",
                "document_number": "43123456Z",
            },
        },
        power=powers.PAY,
    )
    def post(self, request: Request) -> HttpResponse:
        pay_request = claims.pay_request(self.read_body(PaymentIn))
        outcome = desk.desk_pay(by=self.by, request=pay_request)
        if isinstance(outcome, Paid):
            answer: dict[str, Any] = {"payment": claims.paid_json(outcome), "proposal": None}
            return json_response(answer, 200 if outcome.replayed else 201)
        return json_response({"payment": None, "proposal": ProposalOut(outcome).data}, 202)


class Presentations(StaffView):
    @operation(
        "Present a document in time, so that it does not lapse",
        "A second presentation changes nothing.",
        body=PresentationIn,
        answer=PresentationOut,
        status=201,
        problems=(
            *CODE_PROBLEMS,
            *STATE_PROBLEMS,
            refusals.DocumentAltered,
            refusals.ResultsNotEstablished,
            refusals.PresentationNeedless,
            refusals.CashSessionMissing,
        ),
        example={"code": "1ABC-…", "intact": True},
        power=powers.PRESENT,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read_body(PresentationIn)
        presentation = presenting.presentation_make(at=self.by, code=body.code, intact=body.intact)
        return self.answer(PresentationOut, presentation, 201)


class Deposits(StaffView):
    @operation(
        "List deposits, newest first",
        answer=DepositRowOut,
        paged=True,
        query=DepositQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(DepositQuery)
        rows = selectors.deposits(by=self.by, waiting=query["waiting"])
        return self.rows(DepositRowOut, rows, query, newest_first=True)

    @operation(
        "Take a document in for checking (14.III.10.5)",
        "The same request again gets the same deposit.",
        body=DepositIn,
        answer=DepositOut,
        status=201,
        problems=(
            *CODE_PROBLEMS,
            *STATE_PROBLEMS,
            refusals.ResultsNotEstablished,
            deposits.CodeUnreadable,
            matching.DepositMatched,
            matching.DepositRuled,
            refusals.RequestUuidReused,
            *REFUSALS,
            refusals.CashSessionMissing,
        ),
        example={
            "uuid": "0190a6c8-5f6e-7000-8000-6f2a0b6a2f14",
            "code": "1ABC-…",
            "reason": "altered",
            "notes": "The third race is amended by hand.",
        },
        power=powers.TAKE_DEPOSIT,
    )
    def post(self, request: Request) -> HttpResponse:
        deposit_request = deposits.DepositRequest(**self.read(DepositIn))
        return self.answer(
            DepositOut, deposits.deposit_take(at=self.by, request=deposit_request), 201
        )


class DepositImages(StaffView):
    body_limit_bytes = claims.DepositImages.body_limit_bytes

    @operation(
        "Add a photograph of a deposited document",
        body=ImageIn,
        answer=ImageOut,
        status=201,
        problems=(matching.DepositUnknown, deposits.ImageRefused),
        example={"media_type": "image/jpeg", "content": "/9j/4AAQ…"},
        power=powers.TAKE_DEPOSIT,
    )
    def post(self, request: Request, deposit: uuid.UUID) -> HttpResponse:
        body = self.read(ImageIn)
        image = deposits.image_add(
            at=self.by,
            deposit=deposit,
            media_type=body["media_type"],
            content=claims.image_bytes(body["content"]),
        )
        return self.answer(ImageOut, image, 201)


class OneImage(StaffView):
    @operation(
        "Get a photograph of a deposited document",
        answer=OpenApiTypes.BINARY,
        media_type="application/octet-stream",
        problems=(matching.DepositUnknown, Erased),
        power=powers.SEE_DEPOSIT,
    )
    def get(self, request: Request, image: uuid.UUID) -> HttpResponse:
        media_type, content = deposits.image_read(by=self.by, image=image)
        response = HttpResponse(content, content_type=media_type)
        response["Cache-Control"] = "no-store"
        return response


class Arrivals(StaffView):
    @operation(
        "Record that a deposited paper arrived at an office",
        "The office where it is already changes nothing.",
        body=ArrivalIn,
        answer=ArrivalOut,
        status=201,
        problems=(matching.DepositUnknown, PremisesUnknown, NotAnOffice),
        example={"premises": "CENTRAL"},
        power=powers.TAKE_DEPOSIT,
    )
    def post(self, request: Request, deposit: uuid.UUID) -> HttpResponse:
        arrival = deposits.deposit_arrive(by=self.by, deposit=deposit, **self.read(ArrivalIn))
        return self.answer(ArrivalOut, arrival, 201)


class Match(StaffView):
    @operation(
        "Match a deposit with its document, from the records; it is held from then on",
        "A prize that has lapsed since a deposit in time comes back: from what lapsed, or, once it"
        " is settled into a later 7/7, from the organiser's own account [C8].",
        body=MatchIn,
        answer=MatchOut,
        status=201,
        idempotent=True,
        problems=(
            DocumentUnknown,
            DocumentArchived,
            *STATE_PROBLEMS,
            refusals.ResultsNotEstablished,
            matching.DepositUnknown,
            matching.DepositMatched,
            matching.DepositRuled,
            ReasonNeeded,
        ),
        example={
            "game": "lototrot",
            "document": "0190a6c8-5f6e-7000-8000-6f2a0b6a2f15",
            "evidence": "Sold at 18:02 at that terminal; its print was never confirmed.",
        },
        power=powers.MATCH_DEPOSIT,
    )
    def post(self, request: Request, deposit: uuid.UUID) -> HttpResponse:
        return self.created_once(
            MatchOut, matching.deposit_match, by=self.by, deposit=deposit, **self.read(MatchIn)
        )


class Rulings(StaffView):
    @operation(
        "List what waits for a decision, oldest first",
        answer=WaitingListOut,
        power=powers.RULE_ON_DEPOSIT,
    )
    def get(self, request: Request) -> HttpResponse:
        self.by.need(powers.RULE_ON_DEPOSIT)
        look_at_list(Claim, asked=request.path)
        waiting = ruling.rulings_due(natural_day(clock.now()))
        return self.answer(WaitingListOut, {"items": waiting})

    @operation(
        "Propose to grant or refuse what is held; another person decides [C5]",
        body=RulingIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            matching.DepositUnknown,
            DocumentUnknown,
            DocumentArchived,
            ruling.NotHeld,
            ruling.PeriodRunning,
            ruling.OtherDepositFirst,
            matching.DepositRuled,
            ReasonNeeded,
            ProposalPending,
        ),
        example={
            "deposit": "0190a6c8-5f6e-7000-8000-6f2a0b6a2f14",
            "verdict": "granted",
            "reason": "The paper is genuine; only its margin is torn.",
        },
        power=powers.RULE_ON_DEPOSIT,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.accepted_once(
            ProposalOut, ruling.ruling_propose, by=self.by, **self.read(RulingIn)
        )


class Exchanges(StaffView):
    @operation(
        "Exchange a document for the thing it won, at the Central Office (15.III.6.5)",
        "The same request again gets the same exchange. Another person confirms a large one.",
        body=ExchangeIn,
        answer=DeskExchangeOut,
        status=201,
        further=PROPOSED,
        problems=(
            *CODE_PROBLEMS,
            *STATE_PROBLEMS,
            refusals.DocumentAltered,
            refusals.ThingPlaceNotAllowed,
            refusals.ReceiptNeeded,
            refusals.NotInKind,
            refusals.OutOfStock,
            goods.ItemUnknown,
            goods.StockChanged,
            refusals.CashSessionMissing,
            refusals.PayerHandedOver,
            refusals.RequestUuidReused,
            *REFUSALS,
            ProposalPending,
        ),
        example={
            "uuid": "0190a6c8-5f6e-7000-8000-6f2a0b6a2f16",
            "code": "1ABC-…",
            "intact": True,
        },
        power=powers.PAY,
    )
    def post(self, request: Request) -> HttpResponse:
        outcome = goods.exchange_make(
            by=self.by, request=goods.ExchangeRequest(**self.read(ExchangeIn))
        )
        if isinstance(outcome, Exchange):
            return json_response({"exchange": ExchangeOut(outcome).data, "proposal": None}, 201)
        return json_response({"exchange": None, "proposal": ProposalOut(outcome).data}, 202)
