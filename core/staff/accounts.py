"""What an administrator does to accounts, and what each person does to their own."""

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
    """Nobody gives powers to themselves, nor leaves the system without an administrator."""

    code = "own_account"
    message = "Another administrator must do this to your account."


@transaction.atomic
def roles_set(*, by: StaffActor, user_id: int, roles: Sequence[str]) -> User:
    """Give a person these roles and no others, from their next act on.

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
    """Close an account and end its sessions. Twice changes nothing. Raises as `roles_set`."""
    user = other_account(by, user_id)
    user.is_active = False
    user.save(update_fields=["is_active"])
    sessions_end(user)
    return user


@transaction.atomic
def user_reactivate(*, by: StaffActor, user_id: int) -> User:
    """Open a closed account again. Raises UserUnknown, OwnAccount."""
    user = other_account(by, user_id)
    user.is_active, user.failed_attempts, user.locked_until = True, 0, None
    user.save(update_fields=["is_active", "failed_attempts", "locked_until"])
    return user


@transaction.atomic
def password_reset(*, by: StaffActor, user_id: int, password: str) -> User:
    """Set another person's password; their lock and their sessions end.

    Raises UserUnknown, OwnAccount, PasswordWeak.
    """
    user = other_account(by, user_id)
    _password_set(user, password)
    user.failed_attempts, user.locked_until = 0, None
    user.save(update_fields=["failed_attempts", "locked_until"])
    sessions_end(user)
    return user


def password_change(*, by: StaffActor, current: str, new: str) -> User:
    """Change one's own password; the other sessions end.

    Raises SignOnRefused or SignOnLocked (wrong guesses are counted, even so), PasswordWeak.
    """
    username = User.objects.values_list("username", flat=True).get(pk=by.user_id)
    user = password_check(username=username, password=current)
    with transaction.atomic():
        _password_set(user, new)
        sessions_end(user, but=by.session_id)
    return user


def other_account(by: StaffActor, user_id: int) -> User:
    """Another person's account, locked. Raises PowerMissing, UserUnknown, OwnAccount."""
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
    """End the person's sessions, but one."""
    live = StaffSession.objects.filter(user=user, ended_at=None).exclude(pk=but)
    live.update(ended_at=clock.now())
