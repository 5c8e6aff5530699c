"""Open accounts, sign staff on and off, and identify them by their session token."""

import datetime
import hmac
from collections.abc import Callable, Sequence

import pyotp
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from core.database import clock, encryption
from core.database.tokens import token_digest, token_make
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Forbidden, Invalid, Unauthenticated
from core.kernel.regulation import shipped
from core.staff import powers
from core.staff.actor import StaffActor
from core.staff.models import Proposal, SecondFactor, StaffSession, User
from core.staff.powers import Role

ATTEMPTS_BEFORE_LOCK = 5
LOCK_LENGTH = datetime.timedelta(minutes=15)
SESSION_LENGTH = datetime.timedelta(hours=8)
STEP_S = 30  # of a one-time code (RFC 6238)


class SignOnRefused(Unauthenticated):
    code = "sign_on_refused"
    message = "The name or the secret is wrong."


class SecondFactorNeeded(Unauthenticated):
    code = "second_factor_needed"
    message = "The code of the second factor is needed, too."


class SignOnLocked(Forbidden):
    code = "sign_on_locked"
    message = "Too many wrong attempts; wait until the lock ends."


class SessionExpired(Unauthenticated):
    code = "session_expired"
    message = "The session has ended; sign on again."


class SessionUnknown(Unauthenticated):
    code = "session_unknown"
    message = "The session token is not known."


class PasswordWeak(Invalid):
    code = "password_weak"
    message = "The password is too easy to guess."


class AppointmentMissing(Invalid):
    code = "appointment_missing"
    message = "An inspector's account names the order of appointment (14.III.5.4.4)."


class RolesIncompatible(Invalid):
    code = "roles_incompatible"
    message = "Who inspects, audits or administers holds no other role."


class UsernameTaken(Conflict):
    code = "username_taken"
    message = "Another member of staff has that user name."


def roles_checked(roles: Sequence[str], appointment: str) -> list[str]:
    """Return the roles, each once, if one person may have them all.

    Raises RolesIncompatible, AppointmentMissing.
    """
    given = [role.value for role in Role if role in roles]
    if len(given) > 1 and powers.ALONE.intersection(given):
        raise RolesIncompatible(roles=given, alone=sorted(powers.ALONE))
    if Role.INSPECTOR in given and not appointment:
        raise AppointmentMissing
    return given


def user_create(
    *, username: str, full_name: str, password: str, roles: Sequence[str], appointment: str = ""
) -> User:
    """Open an account on the server's console, where fewer than two administrators have one.

    The first two administrators of a new system may be second persons at once; any other account
    waits. Raises PasswordWeak, RolesIncompatible, AppointmentMissing, UsernameTaken.
    """
    try:
        validate_password(password, User(username=username, full_name=full_name))
    except ValidationError as error:
        raise PasswordWeak(reasons=error.messages) from error
    return user_insert(
        username=username,
        full_name=full_name,
        password=make_password(password),
        roles=roles_checked(roles, appointment),
        appointment=appointment,
        second_from=None if Role.ADMINISTRATOR in roles and is_start() else waited_until(),
    )


def is_start() -> bool:
    """Return whether the system never had two administrators, so that nobody could be older."""
    administrators = User.objects.filter(roles__contains=[Role.ADMINISTRATOR])
    return administrators.count() < 2 and not User.objects.exclude(given=None).exists()


def waited_until() -> datetime.datetime:
    """Return from when an account that is given something now may be a second person."""
    now = clock.now()
    wait_s = shipped().in_force(natural_day(now)).second_person_after_s
    return now + datetime.timedelta(seconds=wait_s)


def user_insert(
    *,
    username: str,
    full_name: str,
    password: str,
    roles: list[str],
    appointment: str,
    second_from: datetime.datetime | None,
    given: Proposal | None = None,
) -> User:
    """Store an account with the hash of its password. Raises UsernameTaken."""
    user = User(
        username=username,
        full_name=full_name,
        password=password,
        roles=roles,
        appointment=appointment,
        second_from=second_from,
        given=given,
        created_at=clock.now(),
    )
    if User.objects.filter(username=username).exists():
        raise UsernameTaken(username=username)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        raise UsernameTaken(username=username) from error
    return user


def is_password(user: User, password: str) -> bool:
    """Return whether this is the person's password. Its hash is never made anew here."""
    return check_password(password, user.password)


def password_check(*, username: str, password: str) -> User:
    """Return the user whose name and password these are.

    Raises SignOnRefused, and SignOnLocked after repeated failures until the lock ends. A failure is
    counted and committed although the sign-on is refused.
    """
    return _attempt(username, lambda user: is_password(user, password), password)


def sign_on_check(*, username: str, password: str, code: str) -> tuple[User, bool]:
    """Return the user, and whether a second factor is set up and its code was right.

    Raises SecondFactorNeeded for a right password without the code, else as `password_check`. A
    wrong code counts as a failure; a code can be used once.
    """

    def is_right(user: User) -> bool:
        if not is_password(user, password):
            return False
        factor = second_factor_of(user)
        if factor is None:
            return True
        if not code:
            raise SecondFactorNeeded
        return code_spend(factor, code)

    user = _attempt(username, is_right, password)
    return user, second_factor_of(user) is not None


def second_factor_of(user: User) -> SecondFactor | None:
    """Return the confirmed second factor in use, or None."""
    return SecondFactor.objects.filter(user=user, ended_at=None, confirmed_at__isnull=False).first()


def secret_cell(factor: SecondFactor) -> encryption.Cell:
    """Return where the secret of a person's device is encrypted."""
    return encryption.Cell(SecondFactor, "secret", factor.uuid)


def secret_of(factor: SecondFactor) -> str:
    """Return the secret of a person's device, decrypted."""
    return encryption.decrypt(secret_cell(factor), bytes(factor.secret)).decode()


def code_spend(factor: SecondFactor, code: str) -> bool:
    """Return whether the code is right and unused, and mark it as used.

    The codes of the present, the previous and the next step of 30 seconds are right. The caller has
    locked the user's row, so that two requests cannot spend one code.
    """
    device, present = pyotp.TOTP(secret_of(factor)), int(clock.now().timestamp()) // STEP_S
    for step in (present - 1, present, present + 1):
        if step > factor.last_step and hmac.compare_digest(
            device.at(step * STEP_S).encode(), code.encode()
        ):
            factor.last_step = step
            factor.save(update_fields=["last_step"])
            return True
    return False


def _attempt(username: str, is_right: Callable[[User], bool], password: str) -> User:
    user, refusal = _counted(username, is_right, password)
    if user is None:
        raise refusal or SignOnRefused()
    return user


@transaction.atomic
def _counted(
    username: str, is_right: Callable[[User], bool], password: str
) -> tuple[User | None, Exception | None]:
    user = User.objects.select_for_update(no_key=True).filter(username=username).first()
    if user is None or not user.is_active:
        make_password(password)  # so that an unknown name takes as long as a known one
        return None, SignOnRefused()
    now = clock.now()
    if user.locked_until and user.locked_until > now:
        return None, SignOnLocked(until=user.locked_until.isoformat())
    right = is_right(user)
    user.failed_attempts = 0 if right else user.failed_attempts + 1
    if user.failed_attempts >= ATTEMPTS_BEFORE_LOCK:
        user.locked_until, user.failed_attempts = now + LOCK_LENGTH, 0
    user.save(update_fields=["failed_attempts", "locked_until"])
    return (user, None) if right else (None, SignOnRefused())


def session_start(
    *, user: User, channel: str = StaffSession.Channel.API, verified: bool = False
) -> tuple[StaffSession, str]:
    """Start a session and return it with its token. Only the digest of the token is stored."""
    token = token_make()
    now = clock.now()
    session = StaffSession.objects.create(
        user=user,
        channel=channel,
        token_digest=token_digest(token),
        started_at=now,
        expires_at=now + SESSION_LENGTH,
        verified=verified,
    )
    return session, token


def session_end(*, by: StaffActor) -> None:
    StaffSession.objects.filter(pk=by.session_id, ended_at=None).update(ended_at=clock.now())


def session_actor(*, token: str) -> StaffActor:
    """Return the member of staff who holds this token. Raises SessionUnknown or SessionExpired."""
    session = (
        StaffSession.objects.select_related("user").filter(token_digest=token_digest(token)).first()
    )
    if session is None:
        raise SessionUnknown
    return actor_of(session)


def actor_of(session: StaffSession) -> StaffActor:
    """Return the actor of a live session. Raises SessionExpired."""
    if session.ended_at or session.expires_at <= clock.now() or not session.user.is_active:
        raise SessionExpired
    user = session.user
    roles = frozenset(Role(role) for role in user.roles)
    return StaffActor(
        user_id=user.pk,
        session_id=session.pk,
        name=user.full_name,
        roles=roles,
        verified=session.verified,
        second_from=user.second_from,
    )


def clock_move(*, by: StaffActor, instant: datetime.datetime, reason: str) -> datetime.timedelta:
    """Move simulated time forward to `instant` and return the new offset from real time.

    Raises PowerMissing, ClockBackwards, and SimulatedTimeRefused on a system of real time.
    """
    by.need(powers.MOVE_CLOCK)
    return clock.move_to(instant, reason=reason)
