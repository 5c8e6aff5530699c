"""Manage accounts of staff: roles, closing and reopening, passwords, one's own password."""

from collections.abc import Sequence

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from core.database import clock
from core.kernel.errors import Forbidden, NotFound
from core.staff import powers
from core.staff.actor import StaffActor
from core.staff.models import StaffSession, User
from core.staff.powers import Role
from core.staff.services import AppointmentMissing, PasswordWeak, password_check


class UserUnknown(NotFound):
    code = "user_unknown"
    message = "There is no such member of staff."


class OwnAccount(Forbidden):
    """An administrator tried to change their own account.

    Only another administrator may do so. This keeps people from giving themselves powers, and the
    system from losing its last administrator.
    """

    code = "own_account"
    message = "Another administrator must do this to your account."


@transaction.atomic
def roles_set(*, by: StaffActor, user_id: int, roles: Sequence[str]) -> User:
    """Give a person exactly these roles. They apply from the person's next request on.

    Raises UserUnknown, OwnAccount, AppointmentMissing.
    """
    user = other_account(by, user_id)
    user.roles = [Role(role) for role in roles]
    if Role.INSPECTOR in user.roles and not user.appointment:
        raise AppointmentMissing
    user.save(update_fields=["roles"])
    return user


@transaction.atomic
def user_deactivate(*, by: StaffActor, user_id: int) -> User:
    """Close an account and end its sessions. Repeating it changes nothing.

    Raises UserUnknown, OwnAccount.
    """
    user = other_account(by, user_id)
    user.is_active = False
    user.save(update_fields=["is_active"])
    sessions_end(user)
    return user


@transaction.atomic
def user_reactivate(*, by: StaffActor, user_id: int) -> User:
    """Open a closed account again and end its lock. Raises UserUnknown, OwnAccount."""
    user = other_account(by, user_id)
    user.is_active, user.failed_attempts, user.locked_until = True, 0, None
    user.save(update_fields=["is_active", "failed_attempts", "locked_until"])
    return user


@transaction.atomic
def password_reset(*, by: StaffActor, user_id: int, password: str) -> User:
    """Set another person's password, and end their lock and their sessions.

    Raises UserUnknown, OwnAccount, PasswordWeak.
    """
    user = other_account(by, user_id)
    _password_set(user, password)
    user.failed_attempts, user.locked_until = 0, None
    user.save(update_fields=["failed_attempts", "locked_until"])
    sessions_end(user)
    return user


def password_change(*, by: StaffActor, current: str, new: str) -> User:
    """Change one's own password, and end one's other sessions.

    Raises PasswordWeak, and SignOnRefused or SignOnLocked for a wrong current password. Wrong
    guesses count towards the lock.
    """
    username = User.objects.values_list("username", flat=True).get(pk=by.user_id)
    user = password_check(username=username, password=current)
    with transaction.atomic():
        _password_set(user, new)
        sessions_end(user, but=by.session_id)
    return user


def other_account(by: StaffActor, user_id: int) -> User:
    """Return another person's account with its row locked.

    Raises PowerMissing, UserUnknown, OwnAccount.
    """
    by.need(powers.MANAGE_ACCOUNTS)
    user: User | None = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    if user is None:
        raise UserUnknown(user=user_id)
    if user.pk == by.user_id:
        raise OwnAccount
    return user


def _password_set(user: User, password: str) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise PasswordWeak(reasons=error.messages) from error
    user.set_password(password)
    user.save(update_fields=["password"])


def sessions_end(user: User, but: int = 0) -> None:
    """End all sessions of a person except the session with the key `but`."""
    open_sessions = StaffSession.objects.filter(user=user, ended_at=None)
    open_sessions.exclude(pk=but).update(ended_at=clock.now())
