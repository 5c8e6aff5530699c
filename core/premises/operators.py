"""Register operators, set their PINs, and sign them on and off at terminals."""

import datetime
import itertools
from typing import NamedTuple

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction

from core.database import clock
from core.database.tokens import token_digest, token_make
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from core.premises import powers
from core.premises.access import BareTerminal
from core.premises.models import Operator, OperatorSession
from core.premises.services import (
    CodeTaken,
    Token,
    premises_by_code,
    sales_hold,
    terminal_roll,
)
from core.staff.actor import StaffActor
from core.traffic import hashing, limits
from core.traffic.limits import claim, claim_of_row
from core.traffic.rates import Rate

SESSION_LENGTH = datetime.timedelta(hours=12)
PIN_DIGITS = range(6, 13)
KNOWN_FOR = datetime.timedelta(days=30)
TRIES = Rate(per_s=20 / 3600, burst=5)
"""Of wrong PINs: of one operator at one terminal, and at all terminals new to the operator."""
TRIES_OF_TERMINAL = Rate(per_s=60 / 3600, burst=30)
"""Of wrong PINs at one terminal, of operators who are new to it."""


class PinWeak(Invalid):
    code = "pin_weak"
    message = "A PIN has 6 to 12 digits, not all the same and not a plain sequence."


class PinRefused(Unauthenticated):
    code = "pin_refused"
    message = "The operator's number or PIN is wrong."


class PinNotOwn(Forbidden):
    code = "pin_not_own"
    message = "Somebody else gave this PIN: choose one of your own first."


class PinSame(Invalid):
    code = "pin_same"
    message = "The new PIN must be another one than the present PIN."


class OperatorUnknown(NotFound):
    code = "operator_unknown"
    message = "The premises have no operator of that number."


class OperatorInactive(Conflict):
    code = "operator_inactive"
    message = "The operator no longer works here."


def operator_register(
    *, by: StaffActor, premises: str, number: int, name: str, pin: str
) -> Operator:
    """Register a person who works at the terminals of the premises.

    The PIN opens nothing but the choice of their own. Raises PowerMissing,
    PremisesUnknown, PinWeak, CodeTaken.
    """
    by.need(powers.REGISTER)
    place = premises_by_code(premises)
    pin_check(pin)
    try:
        with transaction.atomic():
            operator = Operator(
                premises=place,
                number=number,
                pin=make_password(pin),
                created_at=clock.now(),
                created_by_id=by.user_id,
            )
            operator.name = name
            operator.save()
            return operator
    except IntegrityError as error:
        raise CodeTaken(premises=premises, number=number) from error


@transaction.atomic
def operator_deactivate(*, by: StaffActor, premises: str, number: int) -> Operator:
    """End a person's right to work at the terminals now. Repeating it changes nothing.

    Raises PowerMissing, PremisesUnknown, OperatorUnknown.
    """
    by.need(powers.REGISTER)
    operator, now = _operator(premises, number), sales_hold()
    Operator.objects.filter(pk=operator.pk).update(is_active=False)
    _sessions_end(operator, now)
    operator.refresh_from_db()
    return operator


@transaction.atomic
def operator_pin_reset(*, by: StaffActor, premises: str, number: int, pin: str) -> Operator:
    """Set an operator's PIN, and end their sessions. The tries of PINs begin again.

    The PIN opens nothing but the choice of their own. Raises PowerMissing,
    PremisesUnknown, OperatorUnknown, OperatorInactive, PinWeak.
    """
    by.need(powers.REGISTER)
    operator = _operator(premises, number)
    pin_check(pin)
    now = sales_hold()
    changed = Operator.objects.filter(pk=operator.pk, is_active=True).update(
        pin=make_password(pin), pin_chosen_at=None
    )
    if not changed:
        raise OperatorInactive
    _sessions_end(operator, now)
    operator.refresh_from_db()
    return operator


def _operator(premises: str, number: int) -> Operator:
    place = premises_by_code(premises)
    operator = Operator.objects.filter(premises=place, number=number).first()
    if operator is None:
        raise OperatorUnknown(premises=premises, number=number)
    return operator


def _sessions_end(operator: Operator, now: datetime.datetime) -> None:
    OperatorSession.objects.filter(operator=operator, ended_at=None).update(ended_at=now)


def pin_check(pin: str) -> None:
    """Raise PinWeak unless the PIN has 6 to 12 digits and they are not equal, rising or falling."""
    digits = [int(digit) for digit in pin] if pin.isascii() and pin.isdigit() else []
    steps = {(right - left) % 10 for left, right in itertools.pairwise(digits)}
    if len(digits) not in PIN_DIGITS or steps in ({0}, {1}, {9}):
        raise PinWeak


class SignedOn(NamedTuple):
    """A session and its token, and the token that the terminal uses from now on."""

    session: OperatorSession
    token: str
    terminal_token: Token


def operator_sign_on(*, terminal: BareTerminal, number: int, pin: str) -> SignedOn:
    """Sign an operator on at a terminal of their premises, and roll the terminal's token.

    Raises PinRefused, PinNotOwn until the operator has chosen a PIN, and Throttled after many wrong
    PINs. Those at other terminals keep nobody out where they have worked in the last thirty days.
    """
    operator = _pin_attempt(terminal, number, pin)
    if operator.pin_chosen_at is None:
        raise PinNotOwn
    token = token_make()
    with transaction.atomic():
        same = Operator.objects.filter(pk=operator.pk, pin=operator.pin, is_active=True)
        if same.select_for_update(no_key=True).first() is None:
            raise PinRefused  # it was replaced while it was compared
        now = clock.now()
        session = OperatorSession.objects.create(
            terminal_id=terminal.terminal_id,
            operator=operator,
            token_digest=token_digest(token),
            started_at=now,
            expires_at=now + SESSION_LENGTH,
        )
        return SignedOn(session, token, terminal_roll(terminal=terminal))


def operator_pin_choose(*, terminal: BareTerminal, number: int, pin: str, new_pin: str) -> None:
    """Set the PIN that the operator chose, whose present one is `pin`. Their sessions end.

    Raises PinWeak and PinSame for the new one, PinRefused and Throttled as signing on does.
    """
    pin_check(new_pin)
    operator = _pin_attempt(terminal, number, pin)
    if new_pin == pin:
        raise PinSame
    now = clock.now()
    with transaction.atomic():
        changed = Operator.objects.filter(pk=operator.pk, is_active=True, pin=operator.pin)
        if not changed.update(pin=make_password(new_pin), pin_chosen_at=now):
            raise PinRefused
        _sessions_end(operator, now)


def _pin_attempt(terminal: BareTerminal, number: int, pin: str) -> Operator:
    operator = Operator.objects.filter(
        premises_id=terminal.premises_id, number=number, is_active=True
    ).first()
    is_known = operator is not None and _has_worked_at(terminal, operator)
    version = operator.pin[-8:] if operator else ""
    whose = f"{terminal.premises_id}:{number}:{version}"
    claims = [claim("pin-at", f"{terminal.terminal_id}:{whose}", TRIES)]
    if not is_known:
        claims += [
            claim("pin-of", whose, TRIES),
            claim_of_row("pins-at", terminal.terminal_id, TRIES_OF_TERMINAL),
        ]
    limits.take(*claims)
    encoded = operator.pin if operator else None
    fits = len(pin) in PIN_DIGITS and pin.isascii() and pin.isdigit()
    if not fits or not hashing.is_right(pin, encoded, is_known=is_known) or operator is None:
        raise PinRefused
    limits.give_back(*claims)
    if hashing.is_outdated(operator.pin):
        _pin_renew(operator, pin)
    return operator


def _pin_renew(operator: Operator, pin: str) -> None:
    """Keep the same PIN under the present key, unless another has replaced it."""
    renewed = make_password(pin)
    if Operator.objects.filter(pk=operator.pk, pin=operator.pin).update(pin=renewed):
        operator.pin = renewed


def _has_worked_at(terminal: BareTerminal, operator: Operator) -> bool:
    since = clock.now() - KNOWN_FOR
    return OperatorSession.objects.filter(
        operator=operator, terminal_id=terminal.terminal_id, started_at__gte=since
    ).exists()


def operator_sign_off(*, session: int) -> None:
    """End a session. Repeating it changes nothing."""
    OperatorSession.objects.filter(pk=session, ended_at=None).update(ended_at=clock.now())
