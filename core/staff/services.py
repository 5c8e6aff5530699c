"""Open accounts, sign staff on and off, and identify them by their session token."""

import datetime
import hmac
from collections.abc import Sequence

import pyotp
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F, Value

from core.database import clock, encryption
from core.database.reading.asking import fetch_row
from core.database.statements import call_function
from core.database.tokens import token_digest, token_make
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid, Unauthenticated
from core.kernel.regulation import shipped
from core.staff import devices, names, powers
from core.staff.actor import StaffActor
from core.staff.devices import Origin
from core.staff.models import Proposal, SecondFactor, StaffSession, User
from core.staff.powers import Role
from core.traffic import hashing, limits
from core.traffic.limits import claim
from core.traffic.rates import Claim, Rate

PASSWORD_CHARS = range(12, 201)
TRIES_OF_ACCOUNT = Rate(per_s=30 / 3600, burst=60)
"""Of strangers' wrong passwords; a guess at a password of twelve characters gains nothing."""
TRIES_FROM_ADDRESS = Rate(per_s=10 / 3600, burst=20)
"""Those of one address are a third of them: at one or two nobody can use all of them up."""
CODE_TRIES = Rate(per_s=6 / 3600, burst=10)
"""Of strangers who have the right password: the code of the second factor has six digits."""
SESSION_LENGTH = datetime.timedelta(hours=8)
STEP_S = 30  # of a one-time code (RFC 6238)


class SignOnRefused(Unauthenticated):
    code = "sign_on_refused"
    message = "The name or the secret is wrong."


class SecondFactorNeeded(Unauthenticated):
    code = "second_factor_needed"
    message = "The code of the second factor is needed, too."


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
    message = "An inspector, an auditor or an administrator can have no other role."


class UsernameTaken(Conflict):
    code = "username_taken"
    message = "Another member of staff has that user name, or one that looks the same (0/o, 1/l)."


def roles_checked(roles: Sequence[str], appointment: str) -> list[str]:
    """Return the roles, each once, if one person may have them all.

    Raises RolesIncompatible, AppointmentMissing.
    """
    ordered = [role.value for role in Role if role in roles]
    if len(ordered) > 1 and powers.ALONE.intersection(ordered):
        raise RolesIncompatible(roles=ordered, alone=sorted(powers.ALONE))
    if Role.INSPECTOR in ordered and not appointment:
        raise AppointmentMissing
    return ordered


def user_create(
    *, username: str, full_name: str, password: str, roles: Sequence[str], appointment: str = ""
) -> User:
    """Open an account on the server's console, where fewer than two administrators have one.

    The first two administrators of a new system may be second persons at once; any other account
    waits. Raises PasswordWeak, UsernameTellsName, UsernameMalformed, RolesIncompatible,
    AppointmentMissing, UsernameTaken.
    """
    try:
        validate_password(password, person(username, full_name))
    except ValidationError as error:
        raise PasswordWeak(reasons=error.messages) from error
    names.username_check(username, full_name)
    return user_insert(
        username=username,
        name=names.encrypt_name(User, full_name),
        password=make_password(password),
        roles=roles_checked(roles, appointment),
        appointment=appointment,
        second_from=None if Role.ADMINISTRATOR in roles and is_start() else waited_until(),
    )


def person(username: str, full_name: str) -> User:
    """Return an account that is not stored, with which a password is compared."""
    user = User(username=username)
    user.full_name = full_name
    return user


def is_start() -> bool:
    """Return whether the system never had two administrators, so that none can be required."""
    administrators = User.objects.filter(roles__contains=[Role.ADMINISTRATOR])
    return administrators.count() < 2 and not User.objects.exclude(given=None).exists()


def waited_until() -> datetime.datetime:
    """Return the instant from which an account that is changed now may be a second person."""
    now = clock.now()
    wait_s = shipped().in_force(natural_day(now)).second_person_after_s
    return now + datetime.timedelta(seconds=wait_s)


def need_username_free(username: str) -> None:
    """Raise UsernameTaken if somebody's user name is that one, or is read as that one."""
    own = names.read_as(Value(username))
    if User.objects.annotate(read_as=names.read_as(F("username"))).filter(read_as=own).exists():
        raise UsernameTaken(username=username)


def user_insert(
    *,
    username: str,
    name: names.EncryptedName,
    password: str,
    roles: list[str],
    appointment: str,
    second_from: datetime.datetime | None,
    proposal: Proposal | None = None,
) -> User:
    """Store an account with the hash of a password, which its person must change.

    Raises UsernameTaken.
    """
    user = User(
        username=username,
        name_encrypted=name.ciphertext,
        name_key=name.key,
        password=password,
        must_set_password=True,
        roles=roles,
        appointment=appointment,
        second_from=second_from,
        given=proposal,
        created_at=clock.now(),
    )
    need_username_free(username)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        raise UsernameTaken(username=username) from error
    return user


def password_check(*, username: str, password: str, origin: Origin) -> User:
    """Return the user whose name and password these are.

    Raises SignOnRefused, and Throttled after many wrong tries from there or, by strangers, for this
    name. A right password takes none of the tries.
    """
    user = User.objects.filter(username=username, is_active=True).first()
    device_tries = devices.tries_of(origin, user)
    claims = [device_tries] if device_tries else _strangers_claims(username, user, origin)
    limits.take(*claims)
    fits = len(password) in PASSWORD_CHARS
    encoded = user.password if user else None
    if not fits or not hashing.is_right(password, encoded, is_known=device_tries is not None):
        raise SignOnRefused
    limits.give_back(*claims)
    if user is None:
        raise SignOnRefused
    if hashing.is_outdated(user.password):
        _password_renew(user, password)
    return user


def _password_renew(user: User, password: str) -> None:
    """Keep the same password under the present key, unless another has replaced it."""
    renewed = make_password(password)
    if call_function("staff_password_renew", user=user.pk, before=user.password, after=renewed)[0]:
        user.password = renewed


def _strangers_claims(username: str, user: User | None, origin: Origin) -> list[Claim]:
    """Return the claims of a try on a device that is not known: address, name from there, name,
    and all together.

    The tries for a name begin again with another password.
    """
    address, total = settings.SIGN_ONS_PER_MINUTE, settings.SIGN_ONS_TOTAL_PER_MINUTE
    name = f"{username}:{user.password[-8:] if user else ''}"
    return [
        claim("sign-on-from", origin.address, Rate(address / 60, 3 * address)),
        claim("sign-on-from-to", f"{origin.address}:{name}", TRIES_FROM_ADDRESS),
        claim("sign-on-to", name, TRIES_OF_ACCOUNT),
        claim("sign-on", "all", Rate(total / 60, total)),
    ]


def sign_on_check(*, username: str, password: str, code: str, origin: Origin) -> tuple[User, bool]:
    """Return the user, and whether a second factor is set up and its code was right.

    Raises SecondFactorNeeded for a right password without the code, else as `password_check`. A
    code can be used once; wrong ones of strangers are limited further.
    """
    user = password_check(username=username, password=password, origin=origin)
    if second_factor_of(user) is None:
        return user, False
    if not code:
        raise SecondFactorNeeded
    tries = devices.tries_of(origin, user) or claim("code", str(user.pk), CODE_TRIES)
    limits.take(tries)
    if not _code_right(user, code):
        raise SignOnRefused
    limits.give_back(tries)
    return user, True


@transaction.atomic
def _code_right(user: User, code: str) -> bool:
    """Return whether the code is right, of the account as it is now, and mark it as used."""
    now = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    factor = second_factor_of(now)
    same = now.is_active and now.password == user.password
    return same and factor is not None and code_spend(factor, code)


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


@transaction.atomic
def session_start(
    *, user: User, channel: str = StaffSession.Channel.API, verified: bool = False
) -> tuple[StaffSession, str]:
    """Start a session and return it with its token. Only the digest of the token is stored.

    `user` is as `sign_on_check` returned it. Raises SignOnRefused if the account was closed since,
    or its password or second factor was replaced.
    """
    present = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    same = (present.password, present.given_id) == (user.password, user.given_id)
    if not (same and present.is_active):
        raise SignOnRefused
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


def own_account(by: StaffActor) -> User:
    """Return one's own account, locked. Raises SessionExpired if others ended the session.

    Who closes an account or sets its password locks it, and ends its sessions.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=by.user_id)
    if not StaffSession.objects.filter(pk=by.session_id, ended_at=None).exists():
        raise SessionExpired
    return user


def session_end(*, by: StaffActor) -> None:
    StaffSession.objects.filter(pk=by.session_id, ended_at=None).update(ended_at=clock.now())


_SESSION = """
SELECT s.id, s.verified, u.id, u.username, u.roles, u.must_set_password, u.second_from,
       u.is_active AND s.ended_at IS NULL AND s.expires_at > core_now()
  FROM staff_staffsession s JOIN staff_user u ON u.id = s.user_id WHERE s.token_digest = %s
"""


def session_actor(*, token: str) -> StaffActor:
    """Return the member of staff who holds this token. Raises SessionUnknown or SessionExpired.

    Every request of staff asks this, with one statement.
    """
    row = fetch_row(_SESSION, [token_digest(token)])
    if row is None:
        raise SessionUnknown
    session, verified, user, username, roles, must_set_password, second_from, is_live = row
    if not is_live:
        raise SessionExpired
    return StaffActor(
        user_id=user,
        session_id=session,
        name=username,
        roles=frozenset(map(Role, roles)),
        verified=verified,
        own_password=not must_set_password,
        second_from=second_from,
    )


def actor_of(session: StaffSession) -> StaffActor:
    """Return the actor of a live session. Raises SessionExpired."""
    if session.ended_at or session.expires_at <= clock.now():
        raise SessionExpired
    return actor_behind(session)


def actor_behind(session: StaffSession) -> StaffActor:
    """Return the person of a session, which may have ended, for what they asked for in it.

    Their roles are those of now. Raises SessionExpired if the account was closed.
    """
    user = session.user
    if not user.is_active:
        raise SessionExpired
    roles = frozenset(Role(role) for role in user.roles)
    return StaffActor(
        user_id=user.pk,
        session_id=session.pk,
        name=str(user),
        roles=roles,
        verified=session.verified,
        own_password=not user.must_set_password,
        second_from=user.second_from,
    )


def clock_move(*, by: StaffActor, instant: datetime.datetime, reason: str) -> datetime.timedelta:
    """Move simulated time forward to `instant` and return the new offset from real time.

    Raises PowerMissing, ClockBackwards, and SimulatedTimeRefused on a system of real time.
    """
    by.need(powers.MOVE_CLOCK)
    return clock.move_to(instant, reason=reason)
