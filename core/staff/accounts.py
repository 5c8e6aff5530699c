"""Manage accounts of staff. One administrator takes power away; two give it, or give it back.

An account, its roles, its opening after it was closed, and a password for another person are
proposed by one administrator and confirmed by another one. Nobody confirms what is given to
themselves. The database refuses the rest (`core/staff/sql/accounts.sql`).
"""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from core.staff import names, powers, two_persons
from core.staff.actor import StaffActor
from core.staff.devices import TRIES
from core.staff.models import NAME_ENCRYPTED, NewPassword, Proposal, StaffSession, User
from core.staff.services import (
    PasswordWeak,
    SessionExpired,
    SignOnRefused,
    need_username_free,
    own_account,
    person,
    roles_checked,
    user_insert,
    waited_until,
)
from core.traffic import hashing, limits
from core.traffic.limits import claim


class UserUnknown(NotFound):
    code = "user_unknown"
    message = "There is no such member of staff."


class OwnAccount(Forbidden):
    """An administrator tried to change their own account, or to confirm a change of it.

    Only other administrators may do so. This keeps people from giving themselves powers, and the
    system from losing its last administrator.
    """

    code = "own_account"
    message = "Other administrators must do this to your account."


class PasswordUnchanged(Invalid):
    code = "password_unchanged"
    message = "That is the password that you have."


class AccountOpen(Conflict):
    code = "account_open"
    message = "The account is open."


class NameErased(Conflict):
    code = "name_erased"
    message = "The person's name is erased; they get a new account."


def account_propose(
    *,
    by: StaffActor,
    username: str,
    full_name: str,
    password: str,
    roles: Sequence[str],
    appointment: str = "",
) -> Proposal:
    """Propose an account; a second administrator confirms it.

    The name is encrypted at once, and its key waits beside the password. Raises PowerMissing,
    PasswordWeak, UsernameTellsName, UsernameMalformed, RolesIncompatible, AppointmentMissing,
    UsernameTaken, ProposalPending.
    """
    by.need(powers.MANAGE_ACCOUNTS)
    _need_strong(password, person(username, full_name))
    names.username_check(username, full_name)
    name = names.encrypt_name(User, full_name)
    content = {
        "username": username,
        NAME_ENCRYPTED: name.ciphertext.hex(),
        "roles": roles_checked(roles, appointment),
        "appointment": appointment,
    }
    need_username_free(username)
    return _propose(ACCOUNT, f"username:{username}", content, by, password, name.key)


def roles_propose(*, by: StaffActor, user_id: int, roles: Sequence[str]) -> Proposal:
    """Propose that a person has exactly these roles. They apply from the next request on.

    Raises UserUnknown, OwnAccount, RolesIncompatible, AppointmentMissing, ProposalPending.
    """
    user = another(by, user_id)
    content = {"user": user.pk, "roles": roles_checked(roles, user.appointment)}
    return _propose(ROLES, subject_of(user), content, by)


def reactivation_propose(*, by: StaffActor, user_id: int) -> Proposal:
    """Propose to open a closed account again.

    Raises UserUnknown, OwnAccount, AccountOpen, NameErased.
    """
    user = another(by, user_id)
    if user.is_active:
        raise AccountOpen(user=user.pk)
    _need_name(user)
    return _propose(REACTIVATION, subject_of(user), {"user": user.pk}, by)


def password_propose(*, by: StaffActor, user_id: int, password: str) -> Proposal:
    """Propose a password for another person. Only its hash is kept, until the decision.

    Raises UserUnknown, OwnAccount, PasswordWeak, ProposalPending.
    """
    user = another(by, user_id)
    _need_strong(password, user)
    return _propose(PASSWORD, subject_of(user), {"user": user.pk}, by, password)


@transaction.atomic
def user_deactivate(*, by: StaffActor, user_id: int) -> User:
    """Close an account and end its sessions. Repeating it changes nothing.

    Of two administrators who close each other at once, the second is closed and closes nobody.
    Raises PowerMissing, UserUnknown, OwnAccount, SessionExpired.
    """
    by.need(powers.MANAGE_ACCOUNTS)
    both = User.objects.select_for_update(no_key=True).filter(pk__in=(by.user_id, user_id))
    if not any(each.pk == by.user_id and each.is_active for each in both.order_by("pk")):
        raise SessionExpired
    user = another(by, user_id)
    user.is_active = False
    user.save(update_fields=["is_active"])
    sessions_end(user)
    return user


def password_change(*, by: StaffActor, current: str, new: str) -> User:
    """Change one's own password, and end one's other sessions.

    Raises PowerMissing, SecondFactorNotSet, PasswordWeak, PasswordUnchanged, SignOnRefused for a
    wrong current password, Throttled after many, and SessionExpired if the session ended
    meanwhile. Each session has tries of its own.
    """
    by.need(powers.CHANGE_OWN_PASSWORD)
    user = User.objects.get(pk=by.user_id)
    tries = claim("session", str(by.session_id), TRIES)
    limits.take(tries)
    if not hashing.is_right(current, user.password, is_known=True):
        raise SignOnRefused
    limits.give_back(tries)
    with transaction.atomic():
        user = own_account(by)
        _need_strong(new, user)
        if new == current:
            raise PasswordUnchanged
        user.set_password(new)
        user.must_set_password = False
        user.save(update_fields=["password", "must_set_password"])
        sessions_end(user, but=by.session_id)
    return user


def another(by: StaffActor, user_id: int) -> User:
    """Return another person's account. Within a transaction, its row is locked.

    Raises PowerMissing, UserUnknown, OwnAccount.
    """
    by.need(powers.MANAGE_ACCOUNTS)
    with transaction.atomic():
        rows = User.objects.select_for_update(no_key=True)
        user: User | None = rows.filter(pk=user_id).first()
    if user is None:
        raise UserUnknown(user=user_id)
    if user.pk == by.user_id:
        raise OwnAccount
    return user


def subject_of(user: User) -> str:
    """Return the subject of proposals about an account."""
    return f"user:{user.pk}"


def change_save(user: User, proposal: Proposal, *changed: str) -> None:
    """Save the fields of an account that a proposal changed, and make its person wait."""
    user.given = proposal
    user.second_from = max(waited_until(), user.second_from or clock.now())
    user.save(update_fields=[*changed, "given", "second_from"])


def sessions_end(user: User, but: int = 0) -> None:
    """End all sessions of a person except the session with the key `but`."""
    open_sessions = StaffSession.objects.filter(user=user, ended_at=None)
    open_sessions.exclude(pk=but).update(ended_at=clock.now())


def _need_strong(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise PasswordWeak(reasons=error.messages) from error


@transaction.atomic
def _propose(
    kind: two_persons.Kind,
    subject: str,
    content: dict[str, Any],
    by: StaffActor,
    password: str = "",
    name_key: bytes | None = None,
) -> Proposal:
    proposal = two_persons.propose(kind=kind, subject=subject, content=content, by=by)
    if password:
        NewPassword.objects.create(
            proposal=proposal, password=make_password(password), name_key=name_key
        )
    return proposal


@transaction.atomic
def lapsed_forget() -> int:
    """Erase what waits for decisions that nobody can take any more, and count the proposals.

    A proposal that has lapsed is never confirmed, and nobody need ever reject it.
    """
    forgotten = 0
    waiting = NewPassword.objects.exclude(password="").order_by("proposal_id")
    for row in waiting.select_related("proposal__proposed_by__given__decision"):
        hold((Lock.PROPOSAL, row.proposal_id))  # a confirmation under way holds it
        if two_persons.lapse_of(row.proposal, clock.now()):
            _taken(row.proposal)
            forgotten += 1
    return forgotten


def _password_taken(proposal: Proposal) -> str:
    """Return the hash that waits for the decision, and erase it."""
    return _taken(proposal)[0]


def _taken(proposal: Proposal) -> tuple[str, bytes | None]:
    """Return the hash and the key of a name that wait for the decision, and erase both."""
    waiting = NewPassword.objects.filter(proposal=proposal)
    password, key = waiting.values_list("password", "name_key").get()
    waiting.update(password="", name_key=None)
    return password, bytes(key) if key else None


def _forgotten(proposal: Proposal, by: StaffActor) -> None:
    _password_taken(proposal)


def _opened(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    password, key = _taken(proposal)
    user_insert(
        username=content["username"],
        name=names.EncryptedName(bytes.fromhex(content[NAME_ENCRYPTED]), key or b""),
        roles=roles_checked(content["roles"], content["appointment"]),
        appointment=content["appointment"],
        password=password,
        second_from=waited_until(),
        proposal=proposal,
    )


def _roles_given(proposal: Proposal, by: StaffActor) -> None:
    user = another(by, proposal.content["user"])
    user.roles = roles_checked(proposal.content["roles"], user.appointment)
    change_save(user, proposal, "roles")


def _reactivated(proposal: Proposal, by: StaffActor) -> None:
    user = another(by, proposal.content["user"])
    _need_name(user)
    user.is_active = True
    change_save(user, proposal, "is_active")


def _need_name(user: User) -> None:
    if user.name_erased_at is not None:
        raise NameErased(user=user.pk)


def _password_given(proposal: Proposal, by: StaffActor) -> None:
    """Set the password, which the person must change, and end their sessions."""
    user = another(by, proposal.content["user"])
    user.password, user.must_set_password = _password_taken(proposal), True
    change_save(user, proposal, "password", "must_set_password")
    sessions_end(user)


_MANAGE = powers.MANAGE_ACCOUNTS
ACCOUNT = two_persons.Kind(
    "staff.account", _MANAGE, apply=_opened, reject=_forgotten, gives_power=True
)
ROLES = two_persons.Kind("staff.roles", _MANAGE, apply=_roles_given, gives_power=True)
REACTIVATION = two_persons.Kind("staff.reactivation", _MANAGE, apply=_reactivated, gives_power=True)
PASSWORD = two_persons.Kind(
    "staff.password", _MANAGE, apply=_password_given, reject=_forgotten, gives_power=True
)
