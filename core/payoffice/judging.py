"""Decide what state a document is in, and whether it may be paid here and now (14.III.10).

The functions are pure: they take what is owed, the claim's state, the day and the place, and return
a verdict or raise a refusal. `core/payoffice/sql/pay.sql` checks again what can change between the
verdict and the writing.
"""

import dataclasses
import datetime
import enum

from core.kernel.regulation import (
    Duty,
    Means,
    Payers,
    PaymentFigures,
    PaymentRule,
    Place,
    payment_rule,
)
from core.ledger.services import AccountCode
from core.payoffice import refusals
from core.payoffice.sources import Nature, Payable, Standing
from core.premises.models import Premises

PLACE_OF_KIND = {
    Premises.Kind.ESTABLISHMENT.value: Place.ESTABLISHMENT,
    Premises.Kind.RACECOURSE_POINT.value: Place.ESTABLISHMENT,
    Premises.Kind.CENTRAL_OFFICE.value: Place.CENTRAL_OFFICE,
    Premises.Kind.ENTITY_OFFICE.value: Place.AUTHORISED_ENTITY,
}


class DocumentState(enum.StrEnum):
    """The state that a check reports for a presented document."""

    SOLD = "sold"
    VOID = "void"
    NO_PRIZE = "no_prize"
    PRIZE = "prize"
    REFUND_DUE = "refund_due"
    PRESENTED = "presented"
    DEPOSITED = "deposited"
    BLOCKED = "blocked"
    GRANTED = "granted"
    PAID = "paid"
    EXCHANGED = "exchanged"
    LAPSED = "lapsed"
    REFUSED = "refused"


@dataclasses.dataclass(frozen=True, slots=True)
class Standpoint:
    """The premises where a document is presented, and the place of payment that they are."""

    place: Place
    premises_id: int


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """The way in which a document is paid here.

    `expected` is the state of its claim, None if it has none yet. `debit` is the account that holds
    the money.
    """

    means: Means
    duty: Duty
    expected: str | None
    debit: AccountCode


_BY_STANDING = {
    Standing.PENDING: DocumentState.SOLD,
    Standing.VOID: DocumentState.VOID,
    Standing.NO_PRIZE: DocumentState.NO_PRIZE,
}
_REFUSALS = {
    DocumentState.SOLD: refusals.NothingDecided,
    DocumentState.VOID: refusals.DocumentVoid,
    DocumentState.NO_PRIZE: refusals.NoPrize,
    DocumentState.DEPOSITED: refusals.MoneyHeld,
    DocumentState.BLOCKED: refusals.MoneyHeld,
    DocumentState.PAID: refusals.AlreadyPaid,
    DocumentState.EXCHANGED: refusals.AlreadyExchanged,
    DocumentState.LAPSED: refusals.ClaimLapsed,
    DocumentState.REFUSED: refusals.ClaimRefused,
}
UNTOUCHED = frozenset({DocumentState.PRIZE, DocumentState.REFUND_DUE})
TO_BE_PAID = UNTOUCHED | {DocumentState.PRESENTED, DocumentState.GRANTED}


def state_of(
    payable: Payable, claim: str | None, *, deposited: bool, today: datetime.date
) -> DocumentState:
    """Return the state of a document: that of its claim, or else what its game says.

    `deposited` distinguishes a deposited document from a blocked one, which both have a held claim,
    and from a presented one before the payment order, when both have an early claim [D7].
    """
    if claim == "early":
        return DocumentState.DEPOSITED if deposited else DocumentState.PRESENTED
    if claim == "held":
        return DocumentState.DEPOSITED if deposited else DocumentState.BLOCKED
    if claim is not None:
        return DocumentState(claim)
    if payable.standing is not Standing.OWED:
        return _BY_STANDING[payable.standing]
    if is_over(payable, today):
        return DocumentState.LAPSED
    return DocumentState.REFUND_DUE if payable.nature is Nature.REFUND else DocumentState.PRIZE


def is_over(payable: Payable, today: datetime.date) -> bool:
    """Return whether the last day to claim has ended; that day counts until midnight [D3, D6]."""
    return payable.last_claim_day is not None and today > payable.last_claim_day


def need_claimable(state: DocumentState) -> None:
    """Raise the refusal of a state in which nothing can be claimed.

    A presented document can still be claimed.
    """
    if state in _REFUSALS:
        raise _REFUSALS[state]


def rule_of(payable: Payable, figures: PaymentFigures) -> PaymentRule:
    """Return who pays the document and how. Raises AmountNotPayable.

    Only the Central Office pays a prize in kind, or its equivalent in money, whatever the amount
    [P4].
    """
    rule = payment_rule(payable.amount_cents, figures, payable.bearer)
    if payable.nature is not Nature.IN_KIND:
        return rule
    only = Payers(must=(Place.CENTRAL_OFFICE,), may=(), issuer_must=False)
    return dataclasses.replace(rule, named=only.must, payers=only)


def duty_at(rule: PaymentRule, payable: Payable, at: Standpoint) -> Duty:
    """Return whether a place must, may or must not pay the document [C4, P7].

    An establishment pays no cheques: they come from the organiser's register.
    """
    if rule.means is Means.NOMINATIVE_CHEQUE and at.place is Place.ESTABLISHMENT:
        return Duty.MUST_NOT
    return rule.duty(at.place, is_issuer=at.premises_id == payable.issuer_id)


def verdict(
    payable: Payable,
    claim: str | None,
    *,
    deposited: bool,
    against_receipt: bool,
    today: datetime.date,
    at: Standpoint,
    figures: PaymentFigures,
) -> Verdict:
    """Return how the document is paid here today, or raise the first refusal that applies.

    `deposited` says that the document was deposited; `against_receipt` that its receipt was given.
    Against a receipt only an office pays: its number is no secret, as the code of a document is,
    and the premises that took the document in chose it.
    """
    need_claimable(state_of(payable, claim, deposited=deposited, today=today))
    if payable.standing is Standing.PENDING:
        raise refusals.NothingDecided
    if payable.first_pay_day is not None and today < payable.first_pay_day:
        raise refusals.PaidTooEarly(first_pay_day=payable.first_pay_day.isoformat())
    if deposited != against_receipt:
        raise refusals.ReceiptNeeded
    rule = rule_of(payable, figures)
    duty = duty_at(rule, payable, at)
    places = [
        place for place in rule.allowed if not against_receipt or place is not Place.ESTABLISHMENT
    ]
    if duty is Duty.MUST_NOT or at.place not in places:
        is_thing = payable.nature is Nature.IN_KIND
        refused = refusals.ThingPlaceNotAllowed if is_thing else refusals.PlaceNotAllowed
        raise refused(places=[place.value for place in places])
    stands = payable.owed if claim is None else payable.held
    if stands is None:
        raise refusals.NoPrize
    return Verdict(means=rule.means, duty=duty, expected=claim, debit=stands)
