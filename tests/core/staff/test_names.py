"""Names are encrypted under a key of each person; nothing that is kept tells one."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import DatabaseError, IntegrityError, connection, transaction

from core.api.models import FirstAnswer
from core.database import clock
from core.database.encryption import ContentUnreadable
from core.journal import acting
from core.kernel.errors import Invalid
from core.premises.models import Operator
from core.staff import accounts, two_persons
from core.staff.models import NewPassword, User
from core.staff.names import (
    EncryptedName,
    UsernameTellsName,
    all_names,
    decrypt_name,
    encrypt_name,
    with_name,
)
from core.staff.powers import Role
from core.staff.services import user_create
from tests.support import factories
from tests.support.admin_desk import Desk, row_url
from tests.support.api import refused, staff_api

NAME = "Núria Bibiloni"
PASSWORD = "correct horse battery"
ACCOUNT = {
    "username": "or-9",
    "full_name": NAME,
    "password": PASSWORD,
    "roles": ["organiser"],
}

pytestmark = pytest.mark.django_db


def kept() -> str:
    """Return every row of every table, as text."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        texts = []
        for table in tables:
            cursor.execute(f'SELECT coalesce(string_agg(t::text, chr(10)), $$$$) FROM "{table}" t')
            texts.append(cursor.fetchone()[0])
    return "\n".join(texts)


def account(name: str = NAME) -> User:
    by = factories.staff(Role.ADMINISTRATOR)
    proposal = accounts.account_propose(by=by, **ACCOUNT | {"full_name": name})
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ADMINISTRATOR))
    return User.objects.get(username="or-9")


@pytest.mark.parametrize("name", ["", "A", NAME, "é" * 120, "Joan  Mas ", "猫" * 64])
def test_a_name_is_read_as_it_was_encrypted(name: str) -> None:
    encrypted = encrypt_name(User, name)
    ciphertext = encrypted.ciphertext
    assert decrypt_name(User, encrypted) == name
    assert (name not in ("", "A") and name.encode() in ciphertext) or len(ciphertext) % 64 == 28


def _other_last_byte(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


def test_a_name_opens_with_no_other_key_and_in_no_other_table() -> None:
    one, other = encrypt_name(User, NAME), encrypt_name(User, NAME)
    assert one.ciphertext != other.ciphertext
    broken: list[Callable[[], str]] = [
        lambda: decrypt_name(User, EncryptedName(one.ciphertext, other.key)),
        lambda: decrypt_name(Operator, one),
        lambda: decrypt_name(User, EncryptedName(_other_last_byte(one.ciphertext), one.key)),
        lambda: decrypt_name(User, EncryptedName(one.ciphertext, b"")),
    ]
    for each in broken:
        with pytest.raises(ContentUnreadable):
            each()


def test_the_database_keeps_no_name_in_clear_through_any_door() -> None:
    one, two = Desk(Role.ADMINISTRATOR), staff_api(Role.ADMINISTRATOR)
    typed = ACCOUNT | {"password_again": PASSWORD}
    one.do(User, "create", **typed)
    body = ACCOUNT | {"username": "or-10", "full_name": "Onofre Cifre"}
    answers = [two.post("staff", body, Idempotency_Key="account-of-10") for _ in range(2)]
    assert [each.json()["content"]["full_name"] for each in answers] == ["Onofre Cifre", ""]
    (waiting,) = (
        each
        for each in staff_api(Role.ADMINISTRATOR).get("proposals").json()["items"]
        if each["content"]["username"] == "or-9"
    )
    assert waiting["content"]["full_name"] == NAME
    confirmed = two.post(f"proposals/{waiting['proposal']}/confirmation", {})
    assert confirmed.status_code == 200
    user = User.objects.get(username="or-9")
    assert user.full_name == NAME
    one.do(user, "roles", roles=["stewards"])
    assert LogEntry.objects.count() > 0 and FirstAnswer.objects.count() > 0
    place = factories.point().premises
    organiser = staff_api(Role.ORGANISER)
    typed = {"number": 70, "name": "Pòlit Quetgles", "pin": "482913"}
    path = f"premises/{place.code}/operators"
    answers = [organiser.post(path, typed, Idempotency_Key="operator-70") for _ in range(2)]
    assert [each.json()["name"] for each in answers] == ["Pòlit Quetgles", ""]
    text = kept()
    for word in ("Bibiloni", "Cifre", "Quetgles", "Núria", json.dumps("Pòlit")[1:-1]):
        assert word not in text


def test_a_user_name_that_tells_the_name_is_refused() -> None:
    for username in ("nuria", "n.bibiloni", "NúriaB", "x-bibiloni-2"):
        with pytest.raises(UsernameTellsName):
            user_create(username=username, full_name=NAME, password=PASSWORD, roles=["auditor"])
        with pytest.raises(UsernameTellsName):
            account_of(username)
    account_of("nb")


@pytest.mark.parametrize(
    "username", ["\u043er-17", "or-17\u0301", "\uff4fr-17", "OR-17", "or 17", "-or", "", "a" * 61]
)
def test_a_user_name_that_is_read_as_another_one_is_refused(username: str) -> None:
    """Books and minutes call a person by it: acts would be taken for those of another person."""
    account_of("or-17")
    for attempt in (account_of, _on_the_console):
        with pytest.raises(Invalid) as refused:
            attempt(username)
        assert refused.value.code == "username_malformed"


def _on_the_console(username: str) -> None:
    user_create(username=username, full_name=NAME, password=PASSWORD, roles=["administrator"])


def account_of(username: str) -> None:
    by = factories.staff(Role.ADMINISTRATOR)
    accounts.account_propose(
        by=by, username=username, full_name=NAME, password=PASSWORD, roles=["auditor"]
    )


def test_the_key_of_a_rejected_account_is_destroyed_and_of_an_opened_one_moves() -> None:
    by = factories.staff(Role.ADMINISTRATOR)
    proposal = accounts.account_propose(by=by, **ACCOUNT)
    assert proposal.shown_content["full_name"] == NAME
    two_persons.reject(proposal=proposal.uuid, by=by)
    assert NewPassword.objects.get().name_key is None
    assert proposal.shown_content["full_name"] == ""
    assert account().full_name == NAME
    assert set(NewPassword.objects.values_list("name_key", flat=True)) == {None}


def test_names_are_found_in_part_and_without_regard_to_capitals() -> None:
    user = account()
    assert dict(all_names(User))[user.pk] == NAME
    assert User.objects.filter(with_name(User, "BIBI")).get() == user
    assert not User.objects.filter(with_name(User, "nobody of that name")).exists()


def test_pages_show_and_find_the_name() -> None:
    user, desk = account(), Desk(Role.AUDITOR)
    assert NAME in desk.get(row_url(user))
    listed = desk.get("/admin/staff/user/?q=bibilon")
    assert "or-9" in listed and desk.person.username not in listed.partition("<main")[2]


def test_the_database_erases_no_name_by_one_statement() -> None:
    user = account()
    rows = User.objects.filter(pk=user.pk)
    other = encrypt_name(User, "Another")
    gone = {"name_key": None, "name_erased_at": clock.now()}
    for change in (gone, {"name_key": other.key}, {"name_encrypted": other.ciphertext}):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**change)
    rows.update(is_active=False)
    with pytest.raises(DatabaseError, match="two persons"), transaction.atomic():
        rows.update(**gone)
    for half in ({"name_key": None}, {"name_erased_at": clock.now()}):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**half)


def test_an_erased_name_is_for_ever_and_its_account_stays_closed() -> None:
    user = account()
    rows = User.objects.filter(pk=user.pk)
    rows.update(is_active=False)
    with acting.acting("command:names_erase_again"):
        rows.update(name_key=None, name_erased_at=clock.now())
        with pytest.raises(DatabaseError, match="only erased, once"), transaction.atomic():
            rows.update(name_key=encrypt_name(User, "Back").key, name_erased_at=None)
        with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
            rows.update(is_active=True)
    again = rows.get()
    assert NAME not in again.full_name and again.name_and_alias.endswith("(or-9)")
    assert dict(all_names(User)).get(user.pk) is None


@pytest.mark.parametrize(
    ("stored", "typed"), [("bruno.c", "brun0.c"), ("box-11", "box-l1"), ("0l1va", "ollva")]
)
def test_a_user_name_that_looks_like_another_is_refused(stored: str, typed: str) -> None:
    """Books and minutes call people by it: `0` is read as `o`, and `1` as `l`."""
    factories.account(stored, "Somebody")
    by = staff_api(Role.ADMINISTRATOR)
    for username in (stored, typed):
        refused(by.post("staff", ACCOUNT | {"username": username}), 409, "username_taken")
    with pytest.raises(IntegrityError, match="username_read_as_another"), transaction.atomic():
        User.objects.create(**_columns(typed))
    assert by.post("staff", ACCOUNT | {"username": f"{typed}-2"}).status_code == 202


@pytest.mark.parametrize(
    "username",
    ["", "Ana", "ana maria", "an\u00e0", "\u0430na", "-ana", "ana\n", "a" * 59 + "\n", "ana_2"],
)
def test_the_database_refuses_a_malformed_user_name(username: str) -> None:
    with pytest.raises(IntegrityError, match="username_well_formed"), transaction.atomic():
        User.objects.create(**_columns(username))


def _columns(username: str) -> dict[str, Any]:
    name = encrypt_name(User, "Somebody")
    return {
        "username": username,
        "name_encrypted": name.ciphertext,
        "name_key": name.key,
        "password": "!",
        "roles": ["stewards"],
        "created_at": clock.now(),
    }
