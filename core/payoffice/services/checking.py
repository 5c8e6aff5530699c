"""Check a presented code, for terminals, for the office's desk and for the holder of the code."""

import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import models

from core.journal import acting
from core.kernel.errors import DomainError
from core.kernel.regulation import Duty, PaymentRule, Place
from core.looks.recording import BY_CODE, look, look_by_operator
from core.payoffice import judging, powers
from core.payoffice.judging import PLACE_OF_KIND, DocumentState, Standpoint
from core.payoffice.models import CashSession, Claim, Exchange, Payment
from core.payoffice.refusals import PayerHandedOver
from core.payoffice.services import finding, paying
from core.payoffice.services.cash import open_session_of
from core.payoffice.services.finding import PresentedDocument
from core.payoffice.services.presenting import presentable_beside
from core.payoffice.sources import Payable, Reasons, Standing
from core.premises.access import Capability, PremisesNotAuthorised, TerminalActor
from core.premises.selectors import premises_authorised
from core.staff.actor import StaffActor

_TOLD_AGAIN = datetime.timedelta(minutes=10)


@dataclasses.dataclass(frozen=True, slots=True)
class ClaimAct:
    """An act on a document, with its time and premises. Only the office's staff sees it."""

    what: str
    at: datetime.datetime
    premises: str
    means: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class PaidEarlier:
    """When a document was paid or exchanged, and whether that was at these premises. Which others
    it was only the office's staff learn.
    """

    at: datetime.datetime
    here: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Checked:
    """A presented document: its state, and how and where it is paid while anything is owed.

    `duty` says whether the place of the check must, may or must not pay such an amount [C4].
    `refusal` is the code of the error with which that place would refuse it now; it is empty if the
    place would pay. Both are None where nothing is paid (a check by its holder). `presentable`
    says that it may be presented or deposited now, so that it does not lapse [D7]. `why` is the
    sentence of the refusal, not translated. `shown` are the details, if they are read already.
    `paid` is for a terminal, of a document that was paid or exchanged.
    """

    payable: Payable
    state: DocumentState
    today: datetime.date
    rule: PaymentRule | None
    duty: Duty | None
    refusal: str | None
    presentable: bool
    why: str = ""
    shown: Mapping[str, Any] | None = None
    paid: PaidEarlier | None = None

    @property
    def owed_cents(self) -> int:
        """Return what is owed, or was owed and is paid; 0 before the payment order."""
        return self.payable.amount_cents

    def details(self) -> Mapping[str, Any]:
        """Return what the game shows of the document: bets, their trace, winning combinations."""
        if self.shown is not None:
            return self.shown
        return finding.source_of(self.payable).details(self.payable.document_id)

    def reasons(self) -> Reasons | None:
        """Return why the document is worth its amount; None if there is nothing to explain."""
        return finding.source_of(self.payable).reasons(self.payable.document_id)


class DeskAction(models.TextChoices):
    """The acts on a document that the office's desk offers."""

    PAY = "pay"
    PROPOSE = "propose_payment"
    EXCHANGE = "exchange"
    PRESENT = "present"
    DEPOSIT = "deposit"
    RULE = "propose_ruling"
    OPEN_CASH = "open_cash_session"


@dataclasses.dataclass(frozen=True, slots=True)
class DeskState:
    """A document at the desk: its check, the acts on it, and the acts that this person may do."""

    checked: Checked
    happened: tuple[ClaimAct, ...]
    actions: tuple[DeskAction, ...]


def document_check(
    *, at: TerminalActor, code: str, document: PresentedDocument | None = None
) -> Checked:
    """Check a document at a terminal; `document` is what its code names, if it was looked up.

    Raises TerminalCannot, a code's error, DocumentUnknown.
    """
    at.need(Capability.CHECK)
    checked = _checked(
        document.payable if document else finding.by_code(code),
        Standpoint(PLACE_OF_KIND[at.premises_kind], at.premises_id),
        document=document,
    )
    if checked.owed_cents and checked.state in judging.TO_BE_PAID:
        _record_look(at, checked.payable)
    if checked.state in (DocumentState.PAID, DocumentState.EXCHANGED):
        return dataclasses.replace(checked, paid=_paid_earlier(checked, at.premises_id))
    return checked


def _paid_earlier(checked: Checked, premises_id: int) -> PaidEarlier | None:
    """Return when and where a document was paid or exchanged, so that the operator can tell its
    bearer, who may have been paid (14.III.10.4).
    """
    payable = checked.payable
    claim = {"claim__game": payable.game, "claim__document_id": payable.document_id}
    if checked.state is DocumentState.PAID:
        row = Payment.objects.filter(**claim).values_list("paid_at", "premises").first()
    else:
        row = Exchange.objects.filter(**claim).values_list("exchanged_at", "premises").first()
    return PaidEarlier(row[0], row[1] == premises_id) if row else None


def _record_look(at: TerminalActor, payable: Payable) -> None:
    """Record that an operator was told that a document is worth money (`payoffice.told`)."""
    act = acting.present()
    if act.terminal is None:
        act = acting.Acting("claims_check_post", terminal=at.terminal_id, operator=at.operator_id)
    look_by_operator(*payable.seen_as(), act=act, unless_within=_TOLD_AGAIN, asked=BY_CODE)


def holder_check(*, code: str) -> Checked:
    """Check a document for the holder of its code, who needs no account here.

    The answer holds no more than the paper entitles to. A code has 80 random bits and cannot be
    guessed; a forged one is refused before any query. Raises a code's error, DocumentUnknown.
    """
    return payable_check(finding.by_code(code))


def payable_check(payable: Payable) -> Checked:
    """Check a document that is already found, without a place of payment."""
    return _checked(payable, None)


def desk_state(*, by: StaffActor, code: str = "", deposit: UUID | None = None) -> DeskState:
    """Check a document at the office's desk, by its code or by the receipt of its deposit.

    Raises PowerMissing, a code's error, DocumentUnknown.
    """
    by.need(powers.CHECK)
    if deposit is None:
        payable = finding.by_code(code)
        look(*payable.seen_as(), asked=BY_CODE)
    else:
        payable = finding.by_claim(finding.claim_of_deposit(deposit))
        look(*payable.seen_as())
    session = open_session_of(by)
    at = None
    if session is not None:
        at = Standpoint(PLACE_OF_KIND[session.premises.kind], session.premises_id)
    checked = _checked(payable, at, receipt=deposit)
    if checked.refusal == "" and by.user_id in _handed_over_by(payable):
        refused = PayerHandedOver
        checked = dataclasses.replace(checked, refusal=refused.code, why=refused.message)
    return DeskState(
        checked, claim_acts(finding.claim_of(payable)), tuple(_actions(by, checked, session))
    )


def _handed_over_by(payable: Payable) -> frozenset[int]:
    return finding.source_of(payable).handed_over_by(payable.document_id)


def _checked(
    payable: Payable,
    at: Standpoint | None,
    *,
    receipt: UUID | None = None,
    document: PresentedDocument | None = None,
) -> Checked:
    current = document.current if document else finding.current_claim(payable)
    state = judging.state_of(
        payable, current.state, deposited=current.deposit is not None, today=current.today
    )
    rule = duty = refusal = None
    why = ""
    if payable.amount_cents:
        rule = judging.rule_of(payable, finding.payment_figures(current.today))
        duty = judging.duty_at(rule, payable, at) if at else None
    if at is not None:
        try:
            paying.judge(payable, current, receipt, at)
            refusal = ""
            if not _authorised(at, payable.game, document):
                refusal, why = PremisesNotAuthorised.code, PremisesNotAuthorised.message
        except DomainError as error:
            refusal, why = error.code, error.message
    presentable = state in judging.UNTOUCHED or (
        state is DocumentState.SOLD and finding.source_of(payable).takes_early(payable)
    )
    if state is DocumentState.DEPOSITED:
        presentable = presentable_beside(payable, current.today)
    details = document.details if document else None
    return Checked(payable, state, current.today, rule, duty, refusal, presentable, why, details)


def _authorised(at: Standpoint, game: str, document: PresentedDocument | None) -> bool:
    """Return whether the place may pay the game's prizes now. The Central Office always may."""
    if at.place is Place.CENTRAL_OFFICE:
        return True
    return document.authorised if document else premises_authorised(at.premises_id, game)


def claim_acts(claim: Claim | None) -> tuple[ClaimAct, ...]:
    """Return every act on a claim, oldest first."""
    if claim is None:
        return ()
    acts: list[ClaimAct] = []
    if hasattr(claim, "presentation"):
        presentation = claim.presentation
        acts.append(ClaimAct("presented", presentation.presented_at, presentation.premises.code))
    for match in claim.deposit_matches.select_related("deposit__premises"):
        deposit = match.deposit
        acts.append(ClaimAct("deposited", deposit.deposited_at, deposit.premises.code))
    if hasattr(claim, "ruling"):
        acts.append(ClaimAct(claim.ruling.verdict, claim.ruling.decided_at, ""))
    if hasattr(claim, "payment"):
        payment = claim.payment
        acts.append(ClaimAct("paid", payment.paid_at, payment.premises.code, payment.means))
    if hasattr(claim, "exchange"):
        exchange = claim.exchange
        acts.append(ClaimAct("exchanged", exchange.exchanged_at, exchange.premises.code))
    if claim.state == Claim.State.LAPSED or hasattr(claim, "restoration"):
        acts.append(ClaimAct("lapsed", claim.opened_at, ""))
    if hasattr(claim, "restoration"):
        acts.append(ClaimAct("restored", claim.restoration.restored_at, ""))
    return tuple(sorted(acts, key=lambda act: act.at))


def _actions(by: StaffActor, checked: Checked, session: CashSession | None) -> list[DeskAction]:
    """Return the acts that this person may do now, the likeliest first."""
    payable, state, cash_is_open = checked.payable, checked.state, session is not None
    pays = cash_is_open and checked.refusal == "" and by.may(powers.PAY)
    large = payable.amount_cents >= settings.SECOND_PERSON_FROM_CENTS
    is_presented = state in (DocumentState.PRESENTED, DocumentState.GRANTED)
    takeable = state in (DocumentState.PRESENTED, DocumentState.BLOCKED) or checked.presentable
    held = state in (DocumentState.DEPOSITED, DocumentState.BLOCKED)
    last_day = payable.last_claim_day
    running = last_day is not None and checked.today <= last_day
    possible = {
        DeskAction.PROPOSE: pays and large,
        DeskAction.PAY: pays and not large,
        DeskAction.EXCHANGE: pays and payable.thing is not None,
        DeskAction.OPEN_CASH: not cash_is_open
        and (checked.presentable or is_presented)
        and by.may(powers.PAY),
        DeskAction.PRESENT: cash_is_open and checked.presentable and by.may(powers.PRESENT),
        DeskAction.DEPOSIT: cash_is_open and takeable and by.may(powers.TAKE_DEPOSIT),
        DeskAction.RULE: held
        and not running
        and payable.standing is not Standing.PENDING
        and by.may(powers.RULE_ON_DEPOSIT),
    }
    return [action for action, is_possible in possible.items() if is_possible]
