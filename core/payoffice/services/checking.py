"""What a presented code is: for terminals, for the office's desk, and for whoever holds it."""

import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import models

from core.kernel.errors import DomainError
from core.kernel.regulation import PaymentRule
from core.payoffice import judging, powers
from core.payoffice.judging import PLACE_OF_KIND, DocumentState, Standpoint
from core.payoffice.models import CashSession, Claim
from core.payoffice.services import finding, paying
from core.payoffice.sources import Payable
from core.premises.access import Capability, TerminalActor
from core.staff.actor import StaffActor


@dataclasses.dataclass(frozen=True, slots=True)
class Happened:
    """When and where something was done about a document: for the office's staff alone."""

    what: str
    at: datetime.datetime
    premises: str
    means: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Checked:
    """A presented document: its state, and how and where it is paid while anything is owed.

    `refusal` is the code with which it would be refused where it was checked, empty if it would be
    paid; None where nothing is paid (a check by its holder).
    """

    payable: Payable
    state: DocumentState
    today: datetime.date
    rule: PaymentRule | None
    refusal: str | None

    @property
    def owed_cents(self) -> int:
        """What is owed, or was and is paid; nothing before the payment order."""
        return self.payable.amount_cents

    def details(self) -> Mapping[str, Any]:
        """What the game shows of it: bets, their trace, winning combinations."""
        return finding.source_of(self.payable).details(self.payable.document_id)


class DeskAction(models.TextChoices):
    """What can be done with a document at the office's desk."""

    PAY = "pay"
    PROPOSE = "propose_payment"
    EXCHANGE = "exchange"
    PRESENT = "present"
    DEPOSIT = "deposit"
    RULE = "propose_ruling"
    OPEN_CASH = "open_cash_session"


@dataclasses.dataclass(frozen=True, slots=True)
class DeskState:
    """A document at the desk: what it is, what became of it, what this person may do about it."""

    checked: Checked
    happened: tuple[Happened, ...]
    actions: tuple[DeskAction, ...]


def document_check(*, at: TerminalActor, code: str) -> Checked:
    """What a presented code is, at a terminal.

    Raises TerminalCannot, a code's error, DocumentUnknown.
    """
    at.need(Capability.CHECK)
    return _checked(
        finding.by_code(code), Standpoint(PLACE_OF_KIND[at.premises_kind], at.premises_id)
    )


def holder_check(*, code: str) -> Checked:
    """The same for whoever has the code and no account here: no more than the paper entitles to.

    A code has 80 random bits: guessing one is hopeless, and a made-up one fails before any query.
    """
    return payable_check(finding.by_code(code))


def payable_check(payable: Payable) -> Checked:
    """A document that is known already, seen from nowhere in particular."""
    return _checked(payable, None)


def desk_state(*, by: StaffActor, code: str = "", deposit: UUID | None = None) -> DeskState:
    """A document at the office's desk, by its code or the receipt of its deposit.

    Raises PowerMissing, a code's error, DocumentUnknown.
    """
    by.need(powers.CHECK)
    if deposit is None:
        payable = finding.by_code(code)
    else:
        payable = finding.by_claim(finding.claim_of_deposit(deposit))
    session = (
        CashSession.objects.select_related("premises")
        .filter(cashier_id=by.user_id, closed_at=None)
        .first()
    )
    at = None
    if session is not None:
        at = Standpoint(PLACE_OF_KIND[session.premises.kind], session.premises_id)
    checked = _checked(payable, at, receipt=deposit)
    return DeskState(
        checked, happened(finding.claim_of(payable)), tuple(_actions(by, checked, session))
    )


def _checked(payable: Payable, at: Standpoint | None, *, receipt: UUID | None = None) -> Checked:
    known = finding.known(payable)
    state = judging.state_of(
        payable, known.state, deposited=known.deposit is not None, today=known.today
    )
    rule = refusal = None
    if payable.amount_cents:
        rule = judging.rule_of(payable, finding.payment_figures(known.today))
    if at is not None:
        try:
            paying.judge(payable, known, receipt, at)
            refusal = ""
        except DomainError as error:
            refusal = error.code
    return Checked(payable, state, known.today, rule, refusal)


def happened(claim: Claim | None) -> tuple[Happened, ...]:
    """Every act about a claim, in order."""
    if claim is None:
        return ()
    found: list[Happened] = []
    if hasattr(claim, "presentation"):
        each = claim.presentation
        found.append(Happened("presented", each.presented_at, each.premises.code))
    if finding.is_deposited(claim):
        taken = claim.deposit_match.deposit
        found.append(Happened("deposited", taken.deposited_at, taken.premises.code))
    if hasattr(claim, "ruling"):
        found.append(Happened(claim.ruling.verdict, claim.ruling.decided_at, ""))
    if hasattr(claim, "payment"):
        paid = claim.payment
        found.append(Happened("paid", paid.paid_at, paid.premises.code, paid.means))
    if hasattr(claim, "exchange"):
        given = claim.exchange
        found.append(Happened("exchanged", given.exchanged_at, given.premises.code))
    if claim.state == Claim.State.LAPSED:
        found.append(Happened("lapsed", claim.opened_at, ""))
    return tuple(sorted(found, key=lambda each: each.at))


def _actions(by: StaffActor, checked: Checked, session: CashSession | None) -> list[DeskAction]:
    """The acts that this person may do now, the likeliest first."""
    payable, state, actions = checked.payable, checked.state, []
    untouched = state in judging.UNTOUCHED
    payable_now = checked.refusal == "" and by.may(powers.PAY)
    if payable_now and session is not None:
        large = payable.amount_cents > settings.SECOND_PERSON_ABOVE_CENTS
        actions.append(DeskAction.PROPOSE if large else DeskAction.PAY)
        if payable.thing is not None:
            actions.append(DeskAction.EXCHANGE)
    can_pay_or_take = untouched or state in (DocumentState.PRESENTED, DocumentState.GRANTED)
    if session is None and can_pay_or_take and by.may(powers.PAY):
        actions.append(DeskAction.OPEN_CASH)
    if session is not None and untouched and by.may(powers.PRESENT):
        actions.append(DeskAction.PRESENT)
    takeable = untouched or state in (DocumentState.PRESENTED, DocumentState.BLOCKED)
    if session is not None and takeable and by.may(powers.TAKE_DEPOSIT):
        actions.append(DeskAction.DEPOSIT)
    held = state in (DocumentState.DEPOSITED, DocumentState.BLOCKED)
    over = payable.last_claim_day is None or checked.today > payable.last_claim_day
    if held and over and by.may(powers.RULE_ON_DEPOSIT):
        actions.append(DeskAction.RULE)
    return actions
