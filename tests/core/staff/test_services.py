"""Accounts and sessions of staff: sign-on, its lock, and when a session ends."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.db import IntegrityError, transaction

from core.database import clock
from core.staff import services
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import StaffSession, User
from core.staff.powers import ALONE, Role
from core.staff.services import (
    ATTEMPTS_BEFORE_LOCK,
    LOCK_LENGTH,
    SESSION_LENGTH,
    AppointmentMissing,
    PasswordWeak,
    RolesIncompatible,
    SessionExpired,
    SessionUnknown,
    SignOnLocked,
    SignOnRefused,
    UsernameTaken,
    password_check,
    session_actor,
    session_end,
    session_start,
    user_create,
)
from tests.support import factories
from tests.support.databases import Database

PASSWORD = "correct horse battery"


def ana(**changes: Any) -> User:
    given: dict[str, Any] = {
        "username": "ana",
        "full_name": "Ana",
        "password": PASSWORD,
        "roles": ["auditor"],
    }
    return user_create(**(given | changes))


def guess(times: int, username: str = "ana") -> list[type[Exception]]:
    refusals = []
    for _ in range(times):
        with pytest.raises((SignOnRefused, SignOnLocked)) as refusal:
            password_check(username=username, password="a wrong guess")
        refusals.append(refusal.type)
    return refusals


def test_the_password_is_kept_as_a_slow_hash_and_opens_the_account(db: None) -> None:
    user = ana()
    assert user.password.startswith("argon2$argon2id$")
    assert PASSWORD not in user.password
    assert password_check(username="ana", password=PASSWORD) == user


def test_repeated_failures_lock_and_the_right_password_does_not_unlock(db: None) -> None:
    ana()
    assert guess(ATTEMPTS_BEFORE_LOCK + 1) == [
        *[SignOnRefused] * ATTEMPTS_BEFORE_LOCK,
        SignOnLocked,
    ]
    with pytest.raises(SignOnLocked):
        password_check(username="ana", password=PASSWORD)
    factories.time_pass(seconds=LOCK_LENGTH.total_seconds() - 5)
    with pytest.raises(SignOnLocked):
        password_check(username="ana", password=PASSWORD)
    factories.time_pass(seconds=6)
    password_check(username="ana", password=PASSWORD)


def test_a_success_forgets_the_failures_before_it(db: None) -> None:
    ana()
    for _ in range(2):
        guess(ATTEMPTS_BEFORE_LOCK - 1)
        password_check(username="ana", password=PASSWORD)


def test_refused_attempts_are_counted_for_good(own_database: Database) -> None:
    """The refusal is an exception; the count must outlive it."""
    ana()
    guess(2)
    assert User.objects.get().failed_attempts == 2
    guess(ATTEMPTS_BEFORE_LOCK - 2)
    assert User.objects.get().locked_until is not None


@pytest.mark.parametrize("account", ["unknown", "closed"])
def test_an_unknown_or_closed_account_costs_a_hash_and_answers_alike(
    db: None, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if account == "closed":
        user = ana()
        User.objects.filter(pk=user.pk).update(is_active=False)
    spent: list[str] = []

    def counted(password: str) -> str:
        spent.append(hashers.make_password(password))
        return spent[-1]

    monkeypatch.setattr(services, "make_password", counted)
    with pytest.raises(SignOnRefused):
        password_check(username="ana", password=PASSWORD)
    (encoded,) = spent
    assert encoded.startswith("argon2$argon2id$")
    assert encoded.split("$")[:4] == hashers.make_password("any").split("$")[:4]


# --- Sessions -------------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_kept_as_a_digest(db: None) -> None:
    session, token = session_start(user=ana(), verified=True)
    assert len(token) >= 43  # 256 bits in base64
    assert token.encode() not in bytes(session.token_digest)
    actor = session_actor(token=token)
    assert (actor.session_id, actor.name, actor.roles) == (
        session.pk,
        "Ana",
        frozenset({Role.AUDITOR}),
    )
    with pytest.raises(SessionUnknown):
        session_actor(token=token + "x")


def test_a_session_ends_by_itself_when_told_and_with_the_account(db: None) -> None:
    user = ana()
    tokens = [session_start(user=user, verified=True)[1] for _ in range(3)]
    session_end(by=session_actor(token=tokens[0]))
    with pytest.raises(SessionExpired):
        session_actor(token=tokens[0])
    factories.time_pass(seconds=SESSION_LENGTH.total_seconds() - 10)
    session_actor(token=tokens[1])
    User.objects.filter(pk=user.pk).update(is_active=False)
    with pytest.raises(SessionExpired):
        session_actor(token=tokens[1])
    User.objects.filter(pk=user.pk).update(is_active=True)
    factories.time_pass(seconds=11)
    with pytest.raises(SessionExpired):
        session_actor(token=tokens[2])


def test_roles_are_those_of_this_moment(db: None) -> None:
    user = ana()
    token = session_start(user=user, verified=True)[1]
    User.objects.filter(pk=user.pk).update(roles=["organiser"])
    assert session_actor(token=token).roles == {Role.ORGANISER}


def test_the_end_of_a_session_is_recorded_once(db: None) -> None:
    actor = session_actor(token=session_start(user=ana(), verified=True)[1])
    session_end(by=actor)
    first = StaffSession.objects.get().ended_at
    factories.time_pass(seconds=5)
    session_end(by=actor)
    assert StaffSession.objects.get().ended_at == first


# --- Accounts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("password", ["short", "password1234", ""])
def test_weak_passwords_are_refused(db: None, password: str) -> None:
    with pytest.raises(PasswordWeak):
        ana(password=password)
    assert not User.objects.exists()


def test_a_user_name_is_one_persons(db: None) -> None:
    ana()
    with pytest.raises(UsernameTaken):
        ana(full_name="Another Ana")


@pytest.mark.parametrize("role", sorted(ALONE))
def test_who_inspects_audits_or_administers_has_no_other_role(db: None, role: Role) -> None:
    for other in set(Role) - {role}:
        with pytest.raises(RolesIncompatible):
            ana(roles=[role, other], appointment="Resolució 1")
        with pytest.raises(IntegrityError, match="separate_people"), transaction.atomic():
            User.objects.create(
                username="b",
                full_name="B",
                password="!",
                roles=[role, other],
                appointment="1",
                created_at=clock.now(),
            )
    assert ana(roles=[role, role], appointment="Resolució 1").roles == [role]


@pytest.mark.article("14.III.5.4.4")
def test_an_inspector_is_appointed_in_the_database_too(db: None) -> None:
    with pytest.raises(AppointmentMissing):
        ana(roles=["inspector"])
    ana(roles=["inspector"], appointment="Resolució 1")
    with pytest.raises(IntegrityError, match="inspector_has_appointment"), transaction.atomic():
        User.objects.create(
            username="b",
            full_name="B",
            password="!",
            roles=["inspector"],
            created_at=clock.now(),
        )


def test_nobody_is_a_superuser(db: None) -> None:
    user = ana(roles=[str(role) for role in set(Role) - ALONE])
    assert not user.is_superuser
    assert user.has_perm("lototrot.view_ticket")
    for act in ("add", "change", "delete"):
        assert not user.has_perm(f"lototrot.{act}_ticket")


def test_a_stranger_has_no_power(db: None) -> None:
    nobody = StaffActor(user_id=0, session_id=0, name="", roles=frozenset())
    with pytest.raises(PowerMissing):
        services.clock_move(by=nobody, instant=clock.now(), reason="x")
    assert timedelta(minutes=1) < LOCK_LENGTH
