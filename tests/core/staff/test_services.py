"""Accounts and sessions of staff: sign-on, its lock, and when a session ends."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from core.database import clock
from core.journal.rules import broken, rules
from core.kernel.errors import DomainError
from core.staff import devices, services
from core.staff.actor import PowerMissing, StaffActor
from core.staff.devices import Origin, device_token
from core.staff.models import StaffSession, User
from core.staff.powers import ALONE, Role
from core.staff.services import (
    SESSION_LENGTH,
    AppointmentMissing,
    PasswordWeak,
    RolesIncompatible,
    SessionExpired,
    SessionUnknown,
    SignOnRefused,
    UsernameTaken,
    actor_of,
    password_check,
    session_actor,
    session_end,
    session_start,
    user_create,
)
from core.traffic import hashing, rates
from core.traffic.limits import Throttled
from tests.support import factories
from tests.support.databases import Database

PASSWORD = "correct horse battery"


def ana(**changes: Any) -> User:
    arguments: dict[str, Any] = {
        "username": "ana",
        "full_name": "Maria Mas",
        "password": PASSWORD,
        "roles": ["auditor"],
    }
    return user_create(**(arguments | changes))


STRANGER, HOME = Origin("192.0.2.9"), Origin("192.0.2.1")


def check(password: str = PASSWORD, origin: Origin = HOME, username: str = "ana") -> User:
    return password_check(username=username, password=password, origin=origin)


def guess(times: int, origin: Origin = STRANGER, username: str = "ana") -> Counter[str]:
    """Try wrong passwords, and count the refusals by their codes."""
    refusals: Counter[str] = Counter()
    for _ in range(times):
        with pytest.raises(DomainError) as refusal:
            check("a wrong password", origin, username)
        refusals[refusal.value.code] += 1
    return refusals


def test_the_password_is_kept_as_a_slow_hash_and_opens_the_account(db: None) -> None:
    user = ana()
    assert user.password.startswith("keyed_argon2$1$argon2id$")
    assert PASSWORD not in user.password
    assert check() == user


def test_two_hundred_wrong_passwords_of_a_stranger_keep_nobody_out(db: None) -> None:
    user = ana()
    own_device = Origin("192.0.2.9", device_token(user))  # even behind the address of the stranger
    refusals = guess(200)
    assert refusals["sign_on_refused"] <= 31
    assert refusals["throttled"] >= 169
    assert check() == user
    assert check(origin=own_device) == user
    with pytest.raises(Throttled):
        check(origin=STRANGER)


def test_strangers_at_many_addresses_keep_nobody_out_of_a_known_device(db: None) -> None:
    user = ana()
    spent = sum(
        (guess(10, Origin(f"198.51.100.{number}")) for number in range(12)), start=Counter()
    )
    assert spent["sign_on_refused"] == 60  # of this name
    with pytest.raises(Throttled):
        check()
    assert check(origin=Origin("198.51.100.1", device_token(user))) == user
    ana(username="eva")
    assert check(username="eva").username == "eva"


def test_a_stranger_who_goes_on_for_a_day_at_two_addresses_keeps_nobody_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 0.0
    monkeypatch.setattr(rates.time, "monotonic", lambda: now_s)

    def is_kept_out(addresses: int) -> bool:
        nonlocal now_s
        memory = rates.Memory()
        origins = [Origin(f"198.51.100.{number}") for number in range(addresses)]
        tries = [services._strangers_claims("ana", None, origin) for origin in origins]
        for _ in range(24 * 360):
            now_s += 10
            for claims in tries:
                memory.take(claims)
        return memory.take(services._strangers_claims("ana", None, HOME)) is not None

    assert [is_kept_out(addresses) for addresses in (1, 2, 4)] == [False, False, True]


def test_all_strangers_together_have_a_limit(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SIGN_ONS_TOTAL_PER_MINUTE = 20
    user, asked = ana(), []
    monkeypatch.setattr(hashing, "is_right", lambda *_, **__: bool(asked.append(1)))
    for number in range(30):
        with pytest.raises(DomainError):
            check("a wrong password", Origin(f"198.51.100.{number}"), f"name-{number}")
    assert len(asked) == 20
    monkeypatch.undo()
    assert check(origin=Origin("192.0.2.1", device_token(user))) == user


def test_a_known_device_has_few_tries_and_is_one_persons(db: None) -> None:
    user, eva = ana(), ana(username="eva")
    stolen = Origin("192.0.2.9", device_token(user))
    assert guess(20, stolen) == {"sign_on_refused": 10, "throttled": 10}
    assert check(origin=Origin("192.0.2.9", device_token(user))) == user
    assert devices.tries_of(stolen, eva) is None
    assert devices.tries_of(Origin("192.0.2.9", stolen.device[:-1]), user) is None
    assert devices.tries_of(Origin("192.0.2.9", "a:b:c"), user) is None


def test_right_passwords_take_no_tries_and_another_password_gives_new_ones(db: None) -> None:
    user = ana()
    for _ in range(40):
        check(origin=STRANGER)
    for number in range(6):
        guess(10, Origin(f"198.51.100.{number}"))
    with pytest.raises(Throttled):
        check()
    user.set_password("another long password")
    user.save(update_fields=["password"])
    assert check("another long password") == user


def test_wrong_passwords_write_nothing(own_database: Database) -> None:
    """Or a stranger would fill the disk, and hold the row that the person needs."""
    user = ana()
    with CaptureQueriesContext(connection) as asked:
        guess(3)
    assert {query["sql"].partition(" ")[0] for query in asked} == {"SELECT"}
    assert not any("FOR " in query["sql"] for query in asked)
    user.refresh_from_db()


@pytest.mark.parametrize("account", ["unknown", "closed", "open"])
def test_what_cannot_be_right_is_not_hashed_and_takes_as_long(
    db: None, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if account != "unknown":
        user = ana()
        User.objects.filter(pk=user.pk).update(is_active=account == "open")
    offered: list[str | None] = []

    def is_right(password: str, encoded: str | None, *, is_known: bool) -> bool:
        offered.append(encoded)
        return False

    monkeypatch.setattr(hashing, "is_right", is_right)
    for password in (PASSWORD, "short", "x" * 201):
        with pytest.raises(SignOnRefused):
            check(password)
    assert [encoded is None for encoded in offered] == [account != "open"]


def test_a_password_moves_to_the_new_key_at_the_next_sign_on(
    own_database: Database, settings: LazySettings
) -> None:
    """Also where two administrators give passwords; the person did it, and the others agree."""
    user = ana()
    _others = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)
    newer = {"2": bytes(range(32))}
    settings.TOKEN_KEYS = ("2", settings.TOKEN_KEYS[1] | newer)
    assert check() == user
    settings.TOKEN_KEYS = ("2", newer)
    assert check() == user
    assert [finding for rule in rules() for finding in broken(rule)] == []


# --- Sessions -------------------------------------------------------------------------------------


def test_a_token_is_shown_once_and_kept_as_a_digest(db: None) -> None:
    session, token = session_start(user=ana(), verified=True)
    assert len(token) >= 43  # 256 bits in base64
    assert token.encode() not in bytes(session.token_digest)
    actor = session_actor(token=token)
    assert (actor.session_id, actor.name, actor.roles) == (
        session.pk,
        "ana",
        frozenset({Role.AUDITOR}),
    )
    with pytest.raises(SessionUnknown):
        session_actor(token=token + "x")


def test_one_statement_tells_the_same_of_a_token_as_of_its_session(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    old, _ = [factories.account(name, "Name", Role.ADMINISTRATOR) for name in ("one", "two")]
    new = factories.account("new", "New", Role.AUDITOR, waits=timedelta(hours=1))
    User.objects.filter(pk=new.pk).update(must_set_password=True)
    for user, is_old in ((old, True), (new, False)):
        session, token = session_start(user=user, verified=is_old)
        with django_assert_num_queries(1):
            actor = session_actor(token=token)
        assert actor == actor_of(StaffSession.objects.get(pk=session.pk))
        assert (actor.own_password, actor.verified) == (is_old, is_old)
    assert actor.second_from is not None


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
        ana(full_name="Another Person")


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
