"""Make members of staff, proposals of two persons, and simulated time for tests."""

import dataclasses
import itertools
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pyotp
from django.db import connection

from core.database import clock
from core.database.models import ClockOffset
from core.journal import acting
from core.kernel.canonical import canonical_sha256
from core.staff import accounts, two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal, StaffSession, User
from core.staff.names import USERNAME, encrypt_name
from core.staff.powers import Role
from core.staff.second_factor import factor_begin, factor_confirm
from core.staff.services import SESSION_LENGTH, actor_of, session_start
from tests.support.factories.batches import NOW, Batch, Sql

serial = itertools.count(1)
_APPOINTMENT = "Resolució d'inspecció 1"
_PEOPLE_OF_A_ROLE = 5  # enough that no two who act together are one person


@dataclass(slots=True)
class House:
    """The people who work at a house for years: a few of each role, who act in turn."""

    _by_username: dict[str, User] = field(default_factory=dict)
    _turns: dict[Sequence[Role], Iterator[str]] = field(default_factory=dict)

    def next_username(self, roles: Sequence[Role]) -> str:
        """Return the username of the person whose turn it is. There may be no account of it yet."""
        if roles not in self._turns:
            usernames = [_new_username() for _ in range(_PEOPLE_OF_A_ROLE)]
            self._turns[roles] = itertools.cycle(usernames)
        return next(self._turns[roles])

    def account(self, username: str) -> User | None:
        """Return the account of a username, or None where it was not stored."""
        user = self._by_username.get(username)
        return user if user and user.pk else None

    def keep(self, user: User) -> None:
        """Remember an account that is about to be stored."""
        self._by_username[user.username] = user


_houses: list[House] = []  # the last one is at work


@contextmanager
def working_at(house: House) -> Iterator[None]:
    """Let the people of a house do what members of staff do, and no new person each time."""
    _houses.append(house)
    try:
        yield
    finally:
        _houses.pop()


def time_to(instant: datetime) -> datetime:
    """Set the simulated clock. A test may also set it back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT core_server_clock()")
        real = cursor.fetchone()[0]
    ClockOffset.objects.create(offset=instant - real, set_at=instant, reason="test")
    clock.forget_recent()
    return instant


def time_on_to(instant: datetime) -> None:
    """Set the simulated clock on to an instant, unless it is later already.

    Not by one microsecond may it go back where the nights verify the journal.
    """
    if clock.now() < instant:
        time_to(instant)


def time_pass(**length: float) -> datetime:
    """Move simulated time on, for example `time_pass(minutes=5)`."""
    return time_to(clock.now() + timedelta(**length))


def staff(*roles: Role, name: str = "") -> StaffActor:
    """Return a member of staff with the roles, signed on, whose account is not new. The password is
    unusable, which is cheap.
    """
    username = name if re.fullmatch(USERNAME, name) else _username(roles)
    full_name = name or "Member of Staff"
    together = Batch()
    session = _newcomer(together, username, full_name, roles)
    if together.run():
        return actor_in(session)
    return signed_on(account(username, full_name, *roles))


def account(
    username: str, full_name: str, *roles: Role, stored: str = "!", waits: timedelta = timedelta(0)
) -> User:
    """Return an account whose person `waits` before being a second one: by default not at all.

    `stored` is the hash of the password. The account of a person who waits was given by two
    administrators.
    """
    if not waits:
        alone = Batch()
        user = _account(alone, username, full_name, roles, stored)
        if alone.run():
            return user
    account_proposal = _account_proposal(username, roles)
    name = encrypt_name(User, full_name)
    return User.objects.create(
        username=username,
        name_encrypted=name.ciphertext,
        name_key=name.key,
        password=stored,
        roles=[str(role) for role in roles],
        appointment=_APPOINTMENT if Role.INSPECTOR in roles else "",
        created_at=clock.now(),
        given=account_proposal,
        second_from=account_proposal.decision.decided_at + waits,
    )


def _username(roles: Sequence[Role]) -> str:
    return _houses[-1].next_username(roles) if _houses else _new_username()


def _new_username() -> str:
    return f"staff-{next(serial)}-{secrets.token_hex(3)}"


def _account(
    batch: Batch, username: str, full_name: str, roles: Sequence[Role], stored: str = "!"
) -> User:
    """Add an account without a proposal, possible while there are not two administrators."""
    return batch.add(
        User,
        only_if=Sql("NOT staff_two_administrators()"),
        username=username,
        full_name=full_name,
        password=stored,
        roles=[str(role) for role in roles],
        appointment=_APPOINTMENT if Role.INSPECTOR in roles else "",
        created_at=NOW,
    )


def _newcomer(batch: Batch, username: str, full_name: str, roles: Sequence[Role]) -> StaffSession:
    """Add a session of a person, and their account where there is none."""
    user = _houses[-1].account(username) if _houses else None
    if user is None:
        user = _account(batch, username, full_name, roles)
        if _houses:
            _houses[-1].keep(user)
    return batch.add(
        StaffSession,
        only_if=_has_account(username),
        user=user,
        channel=StaffSession.Channel.API,
        token_digest=secrets.token_bytes(32),
        started_at=NOW,
        expires_at=Sql("core_now() + %s", (SESSION_LENGTH,)),
        verified=True,
    )


def _has_account(username: str) -> Sql:
    return Sql("EXISTS (SELECT FROM staff_user WHERE username = %s)", (username,))


def _session_of(username: str) -> Sql:
    return Sql(
        "(SELECT s.id FROM staff_staffsession s JOIN staff_user u ON u.id = s.user_id"
        " WHERE u.username = %s ORDER BY s.id DESC LIMIT 1)",
        (username,),
    )


def actor_in(session: StaffSession) -> StaffActor:
    """Return the person of a session that has just begun."""
    user = session.user
    return StaffActor(
        user_id=user.pk,
        session_id=session.pk,
        name=str(user),
        roles=frozenset(Role(role) for role in user.roles),
        verified=session.verified,
        own_password=not user.must_set_password,
        second_from=user.second_from,
    )


def _account_proposal(username: str, roles: Sequence[Role]) -> Proposal:
    """Return the proposal by which two administrators give an account."""
    open_accounts = User.objects.filter(is_active=True, roles__contains=[Role.ADMINISTRATOR])
    administrators = [signed_on(user) for user in open_accounts.order_by("pk")[:2]]
    content = {"username": username, "roles": [str(role) for role in roles]}
    return _confirmed("staff.account", f"username:{username}", content, *map(_who, administrators))


def second_factor(user: User) -> str:
    """Give the user a confirmed device. Return its secret."""
    by = actor_of(session_start(user=user)[0])
    secret = factor_begin(by=by).secret
    time_pass(seconds=-60)  # so that the code spent here is none of the test's
    factor_confirm(by=by, code=pyotp.TOTP(secret).at(clock.now()))
    time_pass(seconds=60)
    return secret


def one_time_code(secret: str) -> str:
    return pyotp.TOTP(secret).at(clock.now())


def another_session(actor: StaffActor) -> StaffActor:
    """Sign the same person on a second time."""
    return signed_on(User.objects.get(pk=actor.user_id))


def signed_on(user: User) -> StaffActor:
    """Sign on a person who has an account."""
    return actor_of(session_start(user=user, verified=True)[0])


def came(user: User) -> StaffActor:
    """Sign on a person who has set a password of their own in place of the one given."""
    with acting.acting("staff_password_post", staff=user.pk):
        User.objects.filter(pk=user.pk).update(
            password=f"!{secrets.token_hex(8)}", must_set_password=False
        )
    user.refresh_from_db()
    return signed_on(user)


def given_a_password(person: StaffActor) -> StaffActor:
    """Sign on with a password that two administrators set: they may hold the account for a day."""
    one, two = staff(Role.ADMINISTRATOR), staff(Role.ADMINISTRATOR)
    proposal = accounts.password_propose(
        by=one, user_id=person.user_id, password=secrets.token_hex(12)
    )
    two_persons.confirm(proposal=proposal.uuid, by=two)
    return came(User.objects.get(pk=person.user_id))


def in_both_roles(*roles: Role) -> StaffActor:
    """Return a person with roles that no account may have together, to test the checks behind
    roles.
    """
    return dataclasses.replace(staff(roles[0]), roles=frozenset(roles))


def two_stewards() -> tuple[StaffActor, StaffActor]:
    return staff(Role.STEWARDS), staff(Role.STEWARDS)


def two_organisers() -> tuple[StaffActor, StaffActor]:
    return staff(Role.ORGANISER), staff(Role.ORGANISER)


def somebody(role: Role = Role.ORGANISER) -> StaffSession:
    """Return the session of a new member of staff."""
    together = Batch()
    session = _newcomer(together, _username((role,)), "Member of Staff", (role,))
    return session if together.run() else StaffSession.objects.get(pk=staff(role).session_id)


def proposal(
    kind: str = "test",
    subject: str = "test",
    content: Any = None,
    *,
    second: Role = Role.ORGANISER,
) -> Proposal:
    """Return a proposal that two persons made and confirmed, the second in that role."""
    together, content = Batch(), content or {}
    one, other = _username((Role.ORGANISER,)), _username((second,))
    first = _newcomer(together, one, "Member of Staff", (Role.ORGANISER,))
    new_proposal = together.add(
        Proposal,
        only_if=_has_account(one),
        kind=kind,
        subject=subject,
        content=content,
        proposed_at=NOW,
        content_digest=canonical_sha256(content),
        proposed_by=first.user,
        proposed_in=first,
    )
    confirming = _newcomer(together, other, "Member of Staff", (second,))
    together.add(
        Decision,
        only_if=_has_account(other),
        proposal=new_proposal,
        verdict=Decision.Verdict.CONFIRMED,
        proposed_by=Sql("(SELECT id FROM staff_user WHERE username = %s)", (one,)),
        proposed_in=_session_of(one),
        decided_by=confirming.user,
        decided_in=confirming,
        decided_at=NOW,
    )
    if together.run():
        return new_proposal
    return _confirmed(kind, subject, content, _who(somebody()), _who(somebody(second)))


def proposal_like(
    batch: Batch, opening: Proposal, kind: str, subject: str, content: dict[str, Any] | None = None
) -> Proposal:
    """Add a proposal of the two persons who made and confirmed another."""
    decided = opening.decision
    first = (opening.proposed_by_id, opening.proposed_in_id)
    second = (decided.decided_by_id, decided.decided_in_id)
    return _add_confirmed(batch, kind, subject, content or {}, first, second)


def _who(who: StaffActor | StaffSession) -> tuple[int, int]:
    """Return the ids of a person and of a session, which may have ended since."""
    return who.user_id, who.session_id if isinstance(who, StaffActor) else who.pk


def _confirmed(
    kind: str,
    subject: str,
    content: dict[str, Any],
    first: tuple[int, int],
    second: tuple[int, int],
) -> Proposal:
    alone = Batch()
    new_proposal = _add_confirmed(alone, kind, subject, content, first, second)
    alone.run()
    return new_proposal


def _add_confirmed(
    batch: Batch,
    kind: str,
    subject: str,
    content: dict[str, Any],
    first: tuple[int, int],
    second: tuple[int, int],
) -> Proposal:
    new_proposal = batch.add(
        Proposal,
        kind=kind,
        subject=subject,
        content=content,
        proposed_at=NOW,
        content_digest=canonical_sha256(content),
        proposed_by_id=first[0],
        proposed_in_id=first[1],
    )
    batch.add(
        Decision,
        proposal=new_proposal,
        verdict=Decision.Verdict.CONFIRMED,
        proposed_by_id=first[0],
        proposed_in_id=first[1],
        decided_by_id=second[0],
        decided_in_id=second[1],
        decided_at=NOW,
    )
    return new_proposal
