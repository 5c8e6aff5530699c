"""Pay a document once, to its bearer and against it, by the tiers (14.III.10, 15.III.6.4).

`judging` first decides what the document is worth and whether it may be paid here today. One SQL
statement (`sql/pay.sql`) then checks what can have changed, and writes. What a terminal pays is
deducted from what its premises owe; a desk pays from its cashier's session; a cheque is drawn on
the register.
"""

import dataclasses
import datetime
import functools
import hashlib
import hmac
import json
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core.database import clock
from core.database.statements import call_function
from core.database.together import Together, need_on_disk
from core.kernel.days import day_bounds
from core.kernel.errors import DomainError
from core.kernel.regulation import Means, Place
from core.ledger.services import account_open
from core.payoffice import accounts, judging, postings, refusals
from core.payoffice.judging import PLACE_OF_KIND, Standpoint, Verdict
from core.payoffice.models import CashSession, Payee, Payment
from core.payoffice.services import cheques, finding
from core.payoffice.services.finding import CurrentClaim, PresentedDocument
from core.payoffice.services.personal_data import PayeeFacts, payee_encrypt
from core.payoffice.sources import Nature, Payable
from core.premises.access import Capability, PremisesNotAuthorised, TerminalActor
from core.premises.requests import REFUSAL_OF_UUID
from core.staff.models import Proposal

_JUDGE_AGAIN = ("day_changed", "claim_changed")
JUDGEMENTS = 4
_pay = Together("payoffice_pay", (str, int | None, datetime.datetime | None))
_REFUSALS: dict[str, type[DomainError]] = {
    error.code: error
    for error in (
        refusals.RequestUuidReused,
        *REFUSAL_OF_UUID.values(),
        refusals.CashSessionMissing,
        refusals.CashShort,
        PremisesNotAuthorised,
    )
}


_canonical = json.JSONEncoder(sort_keys=True).encode


@functools.lru_cache(maxsize=1)
def _request_key(secret: str) -> bytes:
    """Return the key of requests' digests, as Django's `salted_hmac` makes it each time."""
    return hashlib.sha256(b"core.payoffice.request" + secret.encode()).digest()


@dataclasses.dataclass(frozen=True, slots=True)
class PayRequest:
    """A request to pay a document, as the operator sees it after a check.

    The client makes `uuid` before its first attempt. `amount_cents` is what the check showed.
    `intact` says that the paper agrees with the check and is neither torn nor amended
    (14.III.10.3). `deposit` is the receipt of a deposited document, given instead of `code`.
    """

    uuid: UUID
    amount_cents: int
    intact: bool
    code: str = dataclasses.field(default="", repr=False)
    deposit: UUID | None = None
    payee: PayeeFacts | None = dataclasses.field(default=None, repr=False)

    def digest(self) -> bytes:
        """Return a keyed digest of the content; it tells a retry from a reuse of the UUID."""
        content = [
            "".join(self.code.split()).replace("-", "").upper(),
            str(self.deposit),
            self.amount_cents,
            self.intact,
            dataclasses.asdict(self.payee) if self.payee else None,
        ]
        message = _canonical(content).encode()
        return hmac.digest(_request_key(settings.SECRET_KEY), message, "sha256")


@dataclasses.dataclass(frozen=True, slots=True)
class Paid:
    """A payment as the client gets it, for the first request and for each retry."""

    uuid: UUID
    game: str
    document: UUID
    amount_cents: int
    means: str
    paid_at: datetime.datetime
    cheque: int | None
    replayed: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Payer:
    """The place that pays, and the columns of the payment row that say who pays there."""

    at: Standpoint
    columns: dict[str, Any]


def payment_make(
    *,
    at: TerminalActor,
    request: PayRequest,
    second: TerminalActor | None = None,
    document: PresentedDocument | None = None,
) -> Paid:
    """Pay at a terminal. The same request gets the same answer, whatever has happened since.

    `second` is another operator signed on at the same premises, from the configured
    amount on. `document` is what the code of the request names, if it was looked up. Raises the
    errors of `payoffice.refusals`, a code's error, DocumentUnknown, PremisesNotAuthorised,
    PayeeMissing, PayeeNotNeeded.
    """
    at.need(Capability.PAY)
    place = PLACE_OF_KIND[at.premises_kind]
    if place is Place.CENTRAL_OFFICE:
        raise refusals.CashSessionMissing
    columns: dict[str, Any] = {
        "premises_id": at.premises_id,
        "terminal_id": at.terminal_id,
        "operator_id": at.operator_id,
        "session_id": at.session_id,
    }
    if second is not None:
        need_another(at, second)
        columns |= {
            "second_operator_id": second.operator_id,
            "second_session_id": second.session_id,
        }
    payer = Payer(Standpoint(place, at.premises_id), columns)
    try:
        payable = document.payable if document else finding.presented(request.code, request.deposit)
        need_sound(request, payable)
        if request.amount_cents >= settings.SECOND_PERSON_FROM_CENTS and second is None:
            current = document.current if document else finding.current_claim(payable)
            judge(payable, current, request.deposit, payer.at)
            raise refusals.SecondPersonNeeded(from_cents=settings.SECOND_PERSON_FROM_CENTS)
        return pay(payable, request, payer, current=document.current if document else None)
    except DomainError:
        earlier = replay(request, {"terminal_id": at.terminal_id})
        if earlier is None:
            raise
        return earlier


def need_another(first: TerminalActor, second: TerminalActor) -> None:
    """Raise SecondPersonNeeded unless `second` is another operator in another session there."""
    if (
        second.operator_id == first.operator_id
        or second.session_id == first.session_id
        or second.premises_id != first.premises_id
    ):
        raise refusals.SecondPersonNeeded


def need_sound(request: PayRequest, payable: Payable) -> None:
    """Raise DocumentAltered, or AmountDiffers for an amount other than what is owed."""
    if not request.intact:
        raise refusals.DocumentAltered
    if payable.amount_cents and payable.amount_cents != request.amount_cents:
        raise refusals.AmountDiffers(owed_cents=payable.amount_cents)


def need_other_hands(payable: Payable, staff_id: int) -> None:
    """Raise PayerHandedOver for a person who handed the document over to its bearer: they neither
    pay it nor confirm its payment.
    """
    if staff_id in finding.source_of(payable).handed_over_by(payable.document_id):
        raise refusals.PayerHandedOver


def judge(payable: Payable, current: CurrentClaim, deposit: UUID | None, at: Standpoint) -> Verdict:
    """Return how the document is paid at that place now, or raise its refusal."""
    return judging.verdict(
        payable,
        current.state,
        deposited=current.deposit is not None,
        against_receipt=deposit is not None and current.deposit in (None, deposit),
        today=current.today,
        at=at,
        figures=finding.payment_figures(current.today),
    )


def pay(
    payable: Payable,
    request: PayRequest,
    payer: Payer,
    *,
    digest: bytes | None = None,
    payee: Payee | None = None,
    current: CurrentClaim | None = None,
) -> Paid:
    """Pay a document. Judge it again if its claim or the day has changed before the writing.

    `digest` and `payee` are those of a proposal that is being confirmed. `current` is the claim as
    it was read with the document: the first judgement uses it.
    """
    for _ in range(JUDGEMENTS):
        current = current or finding.current_claim(payable)
        verdict = judge(payable, current, request.deposit, payer.at)
        need_payee(verdict.means, named=payee is not None or request.payee is not None)
        columns = payer.columns | {
            "uuid": str(request.uuid),
            "amount_cents": payable.amount_cents,
            "request_digest": f"\\x{(digest or request.digest()).hex()}",
            "means": verdict.means.value,
            "place": payer.at.place.value,
        }
        if verdict.means is Means.CASH:
            paid = _write(payable, columns, verdict, current.today)
        else:
            paid = _by_cheque(payable, request, columns, verdict, current.today, payee)
        if isinstance(paid, Paid):
            return paid
        if paid not in _JUDGE_AGAIN:
            raise _REFUSALS[paid]
        current = None
    raise refusals.MoneyHeld


def need_payee(means: Means, *, named: bool) -> None:
    """Raise PayeeMissing for a cheque without a payee, PayeeNotNeeded for cash with one [C3]."""
    if means is Means.NOMINATIVE_CHEQUE and not named:
        raise refusals.PayeeMissing
    if means is Means.CASH and named:
        raise refusals.PayeeNotNeeded


def _by_cheque(
    payable: Payable,
    request: PayRequest,
    columns: dict[str, Any],
    verdict: Verdict,
    today: datetime.date,
    payee: Payee | None,
) -> Paid | str:
    with transaction.atomic():
        if payee is None and request.payee is not None:
            payee = payee_encrypt(request.payee)
        if payee is None:
            raise refusals.PayeeMissing
        account_open([accounts.cheques()])
        paid = _write(payable, columns | {"payee_id": payee.pk}, verdict, today)
        if not isinstance(paid, Paid) or paid.replayed:
            transaction.set_rollback(True)
            return paid
        payment = Payment.objects.get(uuid=paid.uuid)
        cheque = cheques.cheque_draw(payment=payment, payee=payee)
        return dataclasses.replace(paid, cheque=cheque.number)


def _write(
    payable: Payable, columns: dict[str, Any], verdict: Verdict, today: datetime.date
) -> Paid | str:
    """Run the statement. Return the payment, or the outcome that is not one."""
    start, end = day_bounds(today)
    line = postings.payment(
        refund=payable.nature is Nature.REFUND,
        stood=verdict.debit,
        paid_from=postings.payer(
            premises_id=columns["premises_id"],
            cash_session_id=columns.get("cash_session_id"),
            means=verdict.means.value,
        ),
        cents=payable.amount_cents,
    )
    # At a desk the act in progress names who pays; a terminal's payment names it itself.
    call = _pay if "terminal_id" in columns else functools.partial(call_function, "payoffice_pay")
    outcome, payment_id, paid_at = call(
        payment=json.dumps(columns),
        game=payable.game,
        document=payable.document_id,
        expected=verdict.expected,
        debit=line.debit.code,
        credit=line.credit.code,
        kind=line.kind,
        **{"from": start, "until": end},
    )
    if outcome == "replayed":
        return paid_again(Payment.objects.select_related("claim").get(pk=payment_id))
    if outcome != "paid":
        return str(outcome)
    return Paid(
        UUID(columns["uuid"]),
        payable.game,
        payable.uuid,
        payable.amount_cents,
        verdict.means.value,
        paid_at,
        None,
        replayed=False,
    )


def replay(request: PayRequest, by: dict[str, int]) -> Paid | None:
    """Return the first answer to this request by the same payer; None if there was none.

    Raises RequestUuidReused where the UUID is that of another request.
    """
    payment = Payment.objects.select_related("claim").filter(uuid=request.uuid).first()
    if payment is None:
        return None
    same_payer = all(getattr(payment, name) == value for name, value in by.items())
    if not same_payer or bytes(payment.request_digest) != request.digest():
        raise refusals.RequestUuidReused
    need_on_disk()
    return paid_again(payment)


def request_pending(kind: str, *, proposer_id: int, ident: UUID, digest: bytes) -> Proposal | None:
    """Return the proposal that the same request of this person made, while it may be confirmed.

    Raises RequestUuidReused where another request used the UUID.
    """
    earlier = Proposal.objects.filter(
        kind=kind,
        content__uuid=str(ident),
        proposed_by_id=proposer_id,
        decided=False,
        good_until__gt=clock.now(),
    ).first()
    if earlier is not None and earlier.content["digest"] != digest.hex():
        raise refusals.RequestUuidReused
    return earlier


def paid_again(payment: Payment) -> Paid:
    """Return a payment as it was answered the first time."""
    first = payment.cheques.filter(replaces=None).first()
    return Paid(
        payment.uuid,
        payment.claim.game,
        finding.by_claim(payment.claim).uuid,
        payment.amount_cents,
        payment.means,
        payment.paid_at,
        first.number if first else None,
        replayed=True,
    )


def payer_at_desk(session: CashSession, staff_id: int) -> Payer:
    """Return the payer that a cashier at the desk is, with an open session."""
    columns = {
        "premises_id": session.premises_id,
        "staff_id": staff_id,
        "cash_session_id": session.pk,
    }
    place = PLACE_OF_KIND[session.premises.kind]
    return Payer(Standpoint(place, session.premises_id), columns)
