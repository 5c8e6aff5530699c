"""Check, pay, present and deposit tickets and vouchers at a terminal.

Terminals check and pay often, so these views are lean and write their answers by hand. The shapes
document the answers; a test keeps the two in agreement.
"""

import base64
import binascii
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request

from core.api.acting import begin
from core.api.parsing import KIBIBYTE
from core.api.schema import AGAIN, operation
from core.api.shapes import (
    utc_text,
)
from core.api.views import ApiView, LeanView, TerminalView, json_response
from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.kernel.request_uuids import REFUSALS
from core.looks.recording import LookNotRecorded
from core.payoffice import refusals
from core.payoffice.api.claim_shapes import (
    CheckOut,
    CodeIn,
    DepositIn,
    DepositOut,
    HolderOut,
    ImageIn,
    ImageOut,
    PaymentIn,
    PaymentOut,
    PresentationIn,
    PresentationOut,
    TerminalPaymentIn,
)
from core.payoffice.services import checking, deposits, finding, matching, paying, presenting
from core.payoffice.services.personal_data import PayeeFacts
from core.payoffice.sources import DocumentArchived, DocumentUnknown
from core.premises.access import (
    PremisesNotAuthorised,
    TerminalCannot,
    TerminalCredentials,
    terminal_actor,
)

CODE_PROBLEMS = (CodeMalformed, CodeMistyped, CodeForged, DocumentUnknown, DocumentArchived)
STATE_PROBLEMS = (
    refusals.NothingDecided,
    refusals.DocumentVoid,
    refusals.NoPrize,
    refusals.ClaimLapsed,
    refusals.AlreadyPaid,
    refusals.AlreadyExchanged,
    refusals.MoneyHeld,
    refusals.ClaimRefused,
)
PAY_PROBLEMS = (
    *CODE_PROBLEMS,
    *STATE_PROBLEMS,
    refusals.PaidTooEarly,
    refusals.DocumentAltered,
    refusals.AmountDiffers,
    refusals.PlaceNotAllowed,
    refusals.ThingPlaceNotAllowed,
    refusals.ReceiptNeeded,
    refusals.PayeeMissing,
    refusals.PayeeNotNeeded,
    refusals.RequestUuidReused,
    *REFUSALS,
)
_IMAGE_BODY_BYTES = 4 * 1024 * KIBIBYTE + 4 * KIBIBYTE


def checked_json(checked: checking.Checked) -> dict[str, Any]:
    """Return a check as the JSON that `PresentedOut` documents."""
    payable, rule = checked.payable, checked.rule
    return {
        "state": checked.state.value,
        "stage": payable.stage,
        "game": payable.game,
        "bearer": payable.bearer.value,
        "document": str(payable.uuid),
        "nature": payable.nature.value,
        "amount_cents": checked.owed_cents,
        "first_pay_day": payable.first_pay_day and payable.first_pay_day.isoformat(),
        "last_claim_day": payable.last_claim_day and payable.last_claim_day.isoformat(),
        "places": [place.value for place in rule.allowed] if rule else [],
        "must_places": [place.value for place in rule.payers.must] if rule else [],
        "issuer_must": bool(rule and rule.payers.issuer_must),
        "means": rule.means.value if rule else None,
        "presentable": checked.presentable,
        "thing": {"item": payable.thing.item, "description": payable.thing.description}
        if payable.thing
        else None,
    }


def paid_json(paid: paying.Paid) -> dict[str, Any]:
    """Return a payment as the JSON that `PaymentOut` documents."""
    return {
        "uuid": str(paid.uuid),
        "game": paid.game,
        "document": str(paid.document),
        "amount_cents": paid.amount_cents,
        "means": paid.means,
        "paid_at": utc_text(paid.paid_at),
        "cheque": paid.cheque,
    }


def pay_request(body: PaymentIn) -> paying.PayRequest:
    """Return the service's request for a payment."""
    payee = body.payee
    return paying.PayRequest(
        uuid=uuid.UUID(body.uuid),
        amount_cents=body.amount_cents,
        intact=body.intact,
        code=body.code,
        deposit=uuid.UUID(body.deposit) if body.deposit else None,
        payee=PayeeFacts(payee.name, payee.document_kind, payee.document_number) if payee else None,
    )


def image_bytes(text: str) -> bytes:
    """Return the bytes of a base64 text. Raises ImageRefused for text that is not base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error) as error:
        raise deposits.ImageRefused from error


class PublicCheck(ApiView):
    @operation(
        "Check a code, for the holder of the ticket or voucher",
        "State, amount, and where and until when it is paid; not who has paid it, nor where.",
        body=CodeIn,
        answer=HolderOut,
        problems=CODE_PROBLEMS,
        example={"code": "1ABC-…"},
    )
    def post(self, request: Request) -> HttpResponse:
        code = self.read_body(CodeIn).code
        checked = checking.holder_check(code=code)
        response = json_response({**checked_json(checked), "details": dict(checked.details())})
        response["Cache-Control"] = "no-store"
        return response


class Check(LeanView):
    body_limit_bytes = 2 * KIBIBYTE

    @operation(
        "Check a presented ticket or voucher, and whether it is paid here",
        body=CodeIn,
        answer=CheckOut,
        problems=(*CODE_PROBLEMS, TerminalCannot, LookNotRecorded),
        example={"code": "1ABC-…"},
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        code = self.body(request, CodeIn).code
        at, document = finding.at_terminal(self.credentials, code, with_details=True)
        checked = checking.document_check(at=at, code=code, document=document)
        request.acting = {"terminal": at.terminal_id, "operator": at.operator_id}  # type: ignore[attr-defined]
        return json_response(
            {
                **checked_json(checked),
                "duty": checked.duty and checked.duty.value,
                "refusal": checked.refusal,
                "details": dict(checked.details()),
                "paid": checked.paid
                and {"at": utc_text(checked.paid.at), "here": checked.paid.here},
            }
        )


class Payments(LeanView):
    body_limit_bytes = 4 * KIBIBYTE

    @operation(
        "Pay a ticket or voucher",
        description=(
            "Pays what the check showed, once, and answers the payment (201). The same request"
            " again, from the same terminal and however often, gets the same answer (200),"
            " whatever has happened since. Hand money over only for an answered payment. From a"
            " configured amount on `second_session` is another operator's, signed on at the same"
            " terminal."
        ),
        body=TerminalPaymentIn,
        answer=PaymentOut,
        status=201,
        further=AGAIN,
        problems=(
            *PAY_PROBLEMS,
            refusals.SecondPersonNeeded,
            refusals.CashSessionMissing,
            PremisesNotAuthorised,
            TerminalCannot,
        ),
        example={
            "uuid": "0190a6c8-5f6e-7000-8000-6f2a0b6a2f11",
            "code": "1ABC-…",
            "amount_cents": 8550,
            "intact": True,
        },
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        body = self.body(request, TerminalPaymentIn)
        if body.deposit:
            at, document = terminal_actor(self.credentials), None
        else:
            at, document = finding.at_terminal(self.credentials, body.code)
        request.acting = {"terminal": at.terminal_id, "operator": at.operator_id}  # type: ignore[attr-defined]
        second = None
        if body.second_session:
            session = TerminalCredentials.of("", body.second_session).session_digest
            second = terminal_actor(TerminalCredentials(self.credentials.token_digest, session))
        if body.payee:  # the payee is written first, before the payment's statement names the act
            begin(request, terminal=at.terminal_id, operator=at.operator_id)
        paid = paying.payment_make(
            at=at, request=pay_request(body), second=second, document=document
        )
        return json_response(paid_json(paid), 200 if paid.replayed else 201)


class Presentations(TerminalView):
    @operation(
        "Present a document in time, so that it does not lapse",
        "From the establishment of the results on, before the payment order too; then its amount is"
        " known with that order. A document that a deposit was matched with from the records may be"
        " presented too, in time: it is paid if two persons refuse that deposit. A second"
        " presentation changes nothing.",
        body=PresentationIn,
        answer=PresentationOut,
        status=201,
        problems=(
            *CODE_PROBLEMS,
            *STATE_PROBLEMS,
            refusals.DocumentAltered,
            refusals.ResultsNotEstablished,
            refusals.PresentationNeedless,
            TerminalCannot,
        ),
        example={"code": "1ABC-…", "intact": True},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read_body(PresentationIn)
        presentation = presenting.presentation_make(
            at=self.terminal, code=body.code, intact=body.intact
        )
        return self.answer(PresentationOut, presentation, 201)


class Deposits(TerminalView):
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
            TerminalCannot,
        ),
        example={
            "uuid": "0190a6c8-5f6e-7000-8000-6f2a0b6a2f12",
            "reason": "unreadable",
            "notes": "Torn across the code.",
        },
    )
    def post(self, request: Request) -> HttpResponse:
        deposit_request = deposits.DepositRequest(**self.read(DepositIn))
        deposit = deposits.deposit_take(at=self.terminal, request=deposit_request)
        return self.answer(DepositOut, deposit, 201)


class DepositImages(TerminalView):
    body_limit_bytes = _IMAGE_BODY_BYTES

    @operation(
        "Add a photograph of a deposited document",
        body=ImageIn,
        answer=ImageOut,
        status=201,
        problems=(matching.DepositUnknown, deposits.ImageRefused, TerminalCannot),
        example={"media_type": "image/jpeg", "content": "/9j/4AAQ…"},
    )
    def post(self, request: Request, deposit: uuid.UUID) -> HttpResponse:
        body = self.read(ImageIn)
        image = deposits.image_add(
            at=self.terminal,
            deposit=deposit,
            media_type=body["media_type"],
            content=image_bytes(body["content"]),
        )
        return self.answer(ImageOut, image, 201)
