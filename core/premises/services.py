"""Registering premises and terminals, enrolment, operators."""

import datetime
import itertools
import secrets

from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.db.models.functions import Greatest

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from core.ledger import services as ledger
from core.premises import powers
from core.premises.access import BareTerminal
from core.premises.models import (
    Authorisation,
    Enrolment,
    Game,
    Operator,
    OperatorSession,
    Premises,
    Terminal,
)
from core.staff.actor import StaffActor
from core.staff.services import token_digest

ENROLMENT_LENGTH = datetime.timedelta(hours=24)
SESSION_LENGTH = datetime.timedelta(hours=12)
ATTEMPTS_BEFORE_LOCK = 5
LOCK_LENGTH = datetime.timedelta(minutes=15)
PIN_DIGITS = range(6, 13)
_NOBODY = make_password(secrets.token_urlsafe(16))


class CodeTaken(Conflict):
    code = "code_taken"
    message = "That code is already in use."


class PremisesIncomplete(Invalid):
    code = "premises_incomplete"
    message = "Tickets name the establishment: its code, name and address are needed (14.II.3)."


class PremisesUnknown(NotFound):
    code = "premises_unknown"
    message = "There are no such premises."


class TerminalNotFound(NotFound):
    code = "terminal_not_found"
    message = "There is no such terminal."


class AuthorisationOverlaps(Conflict):
    code = "authorisation_overlaps"
    message = "The premises already hold an authorisation for that game in that period."


class AuthorisationUnknown(NotFound):
    code = "authorisation_unknown"
    message = "There is no such authorisation."


class PeriodBackwards(Invalid):
    code = "period_backwards"
    message = "A period ends before it begins."


class EnrolmentRefused(Unauthenticated):
    code = "enrolment_refused"
    message = "The enrolment code is unknown, used or expired."


class PinWeak(Invalid):
    code = "pin_weak"
    message = "A PIN has 6 to 12 digits, not all the same and not a plain sequence."


class PinRefused(Unauthenticated):
    code = "pin_refused"
    message = "The operator's number or PIN is wrong."


class PinLocked(Forbidden):
    code = "pin_locked"
    message = "Too many wrong PINs; wait until the lock ends."


class OperatorUnknown(NotFound):
    code = "operator_unknown"
    message = "The premises have no operator of that number."


class OperatorInactive(Conflict):
    code = "operator_inactive"
    message = "The operator works here no more."


def premises_register(
    *, by: StaffActor, code: str, name: str, kind: str, address: str, municipality: str
) -> Premises:
    """Enter premises in the register. Raises PremisesIncomplete, CodeTaken."""
    by.need(powers.REGISTER)
    if not all(text.strip() for text in (code, name, address)):
        raise PremisesIncomplete
    try:
        with transaction.atomic():
            premises = Premises.objects.create(
                code=code,
                name=name,
                kind=Premises.Kind(kind),
                address=address,
                municipality=municipality,
                created_at=clock.now(),
                created_by_id=by.user_id,
            )
            ledger.account_open([ledger.premises_account(premises.pk)])
            return premises
    except IntegrityError as error:
        raise CodeTaken(code=code) from error


def sales_hold() -> datetime.datetime:
    """Wait for the sales in flight; none is registered from the instant returned to the commit."""
    hold((Lock.SALES, 0))
    return clock.now()


def premises_by_code(code: str) -> Premises:
    found = Premises.objects.filter(code=code).first()
    if found is None:
        raise PremisesUnknown(code=code)
    return found


def authorisation_record(
    *,
    by: StaffActor,
    premises: str,
    game: str,
    valid_from: datetime.datetime,
    valid_until: datetime.datetime | None,
    reference: str,
) -> Authorisation:
    """Record that the authority lets the premises take part in a game (14.I.6)."""
    by.need(powers.REGISTER)
    place = premises_by_code(premises)
    if valid_until is not None and valid_until < valid_from:
        raise PeriodBackwards
    try:
        with transaction.atomic():
            return Authorisation.objects.create(
                premises=place,
                game=Game(game),
                valid_from=valid_from,
                valid_until=valid_until,
                reference=reference,
                recorded_by_id=by.user_id,
                recorded_at=clock.now(),
            )
    except IntegrityError as error:
        raise AuthorisationOverlaps(premises=premises, game=game) from error


@transaction.atomic
def authorisation_end(*, by: StaffActor, authorisation: int) -> Authorisation:
    """End an authorisation now, or before it began: sales with it stop at this instant."""
    by.need(powers.REGISTER)
    now = sales_hold()
    Authorisation.objects.filter(pk=authorisation).exclude(
        valid_until__lte=Greatest(now, "valid_from")
    ).update(valid_until=Greatest(now, "valid_from"))
    found = Authorisation.objects.filter(pk=authorisation).first()
    if found is None:
        raise AuthorisationUnknown(authorisation=authorisation)
    return found


def terminal_register(*, by: StaffActor, premises: str, code: str) -> tuple[Terminal, str]:
    """Register a terminal; it and its one-time enrolment code, shown once. Raises CodeTaken."""
    by.need(powers.REGISTER)
    place = premises_by_code(premises)
    try:
        with transaction.atomic():
            terminal = Terminal.objects.create(
                code=code, premises=place, created_at=clock.now(), created_by_id=by.user_id
            )
            return terminal, _enrolment_issue(terminal, by)
    except IntegrityError as error:
        raise CodeTaken(code=code) from error


def terminal_reenrol(*, by: StaffActor, terminal: str) -> str:
    """A new one-time code; using it rolls the token, and the old token dies then."""
    by.need(powers.REGISTER)
    return _enrolment_issue(terminal_by_code(terminal), by)


def terminal_by_code(code: str) -> Terminal:
    found = Terminal.objects.filter(code=code).first()
    if found is None:
        raise TerminalNotFound(code=code)
    return found


def _enrolment_issue(terminal: Terminal, by: StaffActor) -> str:
    code = secrets.token_urlsafe(15)
    now = clock.now()
    Enrolment.objects.create(
        terminal=terminal,
        code_digest=token_digest(code),
        issued_at=now,
        issued_by_id=by.user_id,
        expires_at=now + ENROLMENT_LENGTH,
    )
    return code


@transaction.atomic
def terminal_enrol(*, code: str) -> tuple[Terminal, str]:
    """Exchange a one-time code for the terminal's token (256 random bits, kept as SHA-256).

    Of several codes of a terminal only the newest serves. Raises EnrolmentRefused.
    """
    now = clock.now()
    enrolment = (
        Enrolment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("terminal")
        .filter(code_digest=token_digest(code), used_at=None, expires_at__gt=now)
        .first()
    )
    if enrolment is None or enrolment.terminal.revoked_at:
        raise EnrolmentRefused
    if enrolment.terminal.enrolments.filter(pk__gt=enrolment.pk).exists():
        raise EnrolmentRefused
    enrolment.used_at = now
    enrolment.save(update_fields=["used_at"])
    return enrolment.terminal, _token_set(enrolment.terminal_id, now)


def terminal_roll(*, terminal: BareTerminal) -> str:
    """A new token for a terminal that holds a good one, which dies when the new one is first used.

    So an answer that was lost locks nobody out: the terminal rolls again.
    """
    token = secrets.token_urlsafe(32)
    Terminal.objects.filter(pk=terminal.terminal_id).update(next_token_digest=token_digest(token))
    return token


def _token_set(terminal: int, now: datetime.datetime) -> str:
    token = secrets.token_urlsafe(32)
    Terminal.objects.filter(pk=terminal).update(
        token_digest=token_digest(token), next_token_digest=None, enrolled_at=now
    )
    return token


@transaction.atomic
def terminal_revoke(*, by: StaffActor, terminal: str) -> Terminal:
    """End a terminal for good. Revoking twice changes nothing."""
    by.need(powers.REGISTER)
    found = terminal_by_code(terminal)
    Terminal.objects.filter(pk=found.pk, revoked_at=None).update(revoked_at=sales_hold())
    found.refresh_from_db()
    return found


def operator_register(
    *, by: StaffActor, premises: str, number: int, name: str, pin: str
) -> Operator:
    """Register a person who works terminals of the premises. Raises PinWeak, CodeTaken."""
    by.need(powers.REGISTER)
    place = premises_by_code(premises)
    pin_check(pin)
    try:
        with transaction.atomic():
            return Operator.objects.create(
                premises=place,
                number=number,
                name=name,
                pin=make_password(pin),
                created_at=clock.now(),
                created_by_id=by.user_id,
            )
    except IntegrityError as error:
        raise CodeTaken(premises=premises, number=number) from error


@transaction.atomic
def operator_deactivate(*, by: StaffActor, premises: str, number: int) -> Operator:
    """End a person's right to work the terminals, at this instant. Doing it twice changes nothing.

    Raises PremisesUnknown, OperatorUnknown.
    """
    by.need(powers.REGISTER)
    found, now = _operator(premises, number), sales_hold()
    Operator.objects.filter(pk=found.pk).update(is_active=False)
    _sessions_end(found, now)
    found.refresh_from_db()
    return found


@transaction.atomic
def operator_pin_reset(*, by: StaffActor, premises: str, number: int, pin: str) -> Operator:
    """Give an operator another PIN; a lock ends, and so do the sessions under the old one.

    Raises PremisesUnknown, OperatorUnknown, OperatorInactive, PinWeak.
    """
    by.need(powers.REGISTER)
    found = _operator(premises, number)
    pin_check(pin)
    now = sales_hold()
    changed = Operator.objects.filter(pk=found.pk, is_active=True).update(
        pin=make_password(pin), failed_attempts=0, locked_until=None
    )
    if not changed:
        raise OperatorInactive
    _sessions_end(found, now)
    found.refresh_from_db()
    return found


def _operator(premises: str, number: int) -> Operator:
    found = Operator.objects.filter(premises=premises_by_code(premises), number=number).first()
    if found is None:
        raise OperatorUnknown(premises=premises, number=number)
    return found


def _sessions_end(operator: Operator, now: datetime.datetime) -> None:
    OperatorSession.objects.filter(operator=operator, ended_at=None).update(ended_at=now)


def pin_check(pin: str) -> None:
    """Raise PinWeak for a PIN that anybody would try first."""
    digits = [int(d) for d in pin] if pin.isascii() and pin.isdigit() else []
    steps = {(b - a) % 10 for a, b in itertools.pairwise(digits)}
    if len(digits) not in PIN_DIGITS or steps in ({0}, {1}, {9}):
        raise PinWeak


def operator_sign_on(
    *, terminal: BareTerminal, number: int, pin: str
) -> tuple[OperatorSession, str]:
    """Sign an operator on at a terminal of their premises; the session and its token.

    Raises PinRefused, or PinLocked after repeated failures, which are counted even so.
    """
    operator, refusal = _pin_attempt(terminal.premises_id, number, pin)
    if operator is None or refusal is not None:
        raise refusal or PinRefused()
    token = secrets.token_urlsafe(32)
    now = clock.now()
    session = OperatorSession.objects.create(
        terminal_id=terminal.terminal_id,
        operator=operator,
        token_digest=token_digest(token),
        started_at=now,
        expires_at=now + SESSION_LENGTH,
    )
    return session, token


@transaction.atomic
def _pin_attempt(premises: int, number: int, pin: str) -> tuple[Operator | None, Exception | None]:
    operator = (
        Operator.objects.select_for_update(no_key=True)
        .filter(premises_id=premises, number=number, is_active=True)
        .first()
    )
    if operator is None:
        check_password(pin, _NOBODY)
        return None, PinRefused()
    now = clock.now()
    if operator.locked_until and operator.locked_until > now:
        return None, PinLocked(until=operator.locked_until.isoformat())
    right = check_password(pin, operator.pin)
    operator.failed_attempts = 0 if right else operator.failed_attempts + 1
    if operator.failed_attempts >= ATTEMPTS_BEFORE_LOCK:
        operator.locked_until, operator.failed_attempts = now + LOCK_LENGTH, 0
    operator.save(update_fields=["failed_attempts", "locked_until"])
    return (operator, None) if right else (None, PinRefused())


def operator_sign_off(*, session: int) -> None:
    """End a session. Ending it twice changes nothing."""
    OperatorSession.objects.filter(pk=session, ended_at=None).update(ended_at=clock.now())
