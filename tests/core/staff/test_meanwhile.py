"""Do to an account what others may do while its person signs on, or changes their password.

A hash takes a processor for a tenth of a second, and may wait for seconds for its place. What
others do to the account in that time, each on a connection of their own, holds.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client
from django.urls import reverse

from core.journal.acting import acting
from core.staff import accounts, backends, second_factor, two_persons
from core.staff.actor import StaffActor
from core.staff.devices import CONSOLE
from core.staff.models import Proposal, StaffSession, User
from core.staff.powers import Role
from core.staff.services import (
    SessionExpired,
    SignOnRefused,
    actor_of,
    second_factor_of,
    session_start,
    sign_on_check,
)
from core.traffic import hashing
from tests.support import factories
from tests.support.concurrency.sales import apart, together
from tests.support.databases import Database

PASSWORD = "correct horse battery"
OTHER = "another long sentence"
PATIENCE_S = 60


class People:
    """Two administrators, and a cashier who has a password."""

    def __init__(self) -> None:
        stored = make_password(PASSWORD)
        account = factories.account("ana", "Joan Mas", Role.CASHIER, stored=stored)
        self.cashier = factories.signed_on(account)
        self.by = factories.staff(Role.ADMINISTRATOR)
        self.second = factories.staff(Role.ADMINISTRATOR)

    def user(self) -> User:
        return User.objects.get(pk=self.cashier.user_id)

    def password_set(self) -> None:
        user = self.cashier.user_id
        self.confirmed(accounts.password_propose(by=self.by, user_id=user, password=OTHER))

    def factor_ended(self) -> None:
        user = self.cashier.user_id
        self.confirmed(second_factor.factor_end_propose(by=self.by, user_id=user))

    def closed(self) -> None:
        accounts.user_deactivate(by=self.by, user_id=self.cashier.user_id)

    def confirmed(self, proposal: Proposal) -> None:
        two_persons.confirm(proposal=proposal.uuid, by=self.second)

    def sessions_live(self) -> list[int]:
        live = StaffSession.objects.filter(user=self.cashier.user_id, ended_at=None)
        return list(live.values_list("pk", flat=True))


@pytest.fixture
def people(own_database: Database) -> People:
    return People()


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Do an act, on another connection, when the hash of the next secret has been compared."""
    compare, once = hashing.check_password, [act]

    def compared(*arguments: object, **options: object) -> bool:
        is_right = compare(*arguments, **options)
        while once:
            apart(once.pop()).result(PATIENCE_S)
        return is_right

    monkeypatch.setattr(hashing, "check_password", compared)


def change(by: StaffActor) -> User:
    with acting("own", staff=by.user_id):
        return accounts.password_change(by=by, current=PASSWORD, new=PASSWORD[::-1])


@pytest.mark.parametrize("act", ["password_set", "closed"])
def test_a_session_that_ended_meanwhile_changes_no_password(
    people: People, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, getattr(people, act))
    with pytest.raises(SessionExpired):
        change(people.cashier)
    user = people.user()
    assert user.check_password(OTHER if act == "password_set" else PASSWORD)
    assert user.must_set_password == (act == "password_set")
    assert people.sessions_live() == []


@pytest.mark.parametrize("act", ["password_set", "closed", "changed"])
def test_nobody_signs_on_with_what_was_taken_meanwhile(
    people: People, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts = {"changed": lambda: change(people.cashier) and None}
    meanwhile(monkeypatch, acts.get(act) or getattr(people, act))
    user, _ = sign_on_check(username="ana", password=PASSWORD, code="", origin=CONSOLE)
    with pytest.raises(SignOnRefused):
        session_start(user=user)
    assert people.sessions_live() == ([people.cashier.session_id] if act == "changed" else [])


def test_a_code_given_before_the_second_factor_ended_opens_nothing(people: People) -> None:
    secret = factories.second_factor(people.user())
    code = factories.one_time_code(secret)
    user, verified = sign_on_check(username="ana", password=PASSWORD, code=code, origin=CONSOLE)
    people.factor_ended()
    with pytest.raises(SignOnRefused):
        session_start(user=user, verified=verified)
    assert people.sessions_live() == []


def browser_signs_on() -> Client:
    browser = Client()
    answer = browser.post(reverse("admin:login"), {"username": "ana", "password": PASSWORD})
    assert answer.status_code == 302
    return browser


def test_a_browser_is_not_signed_on_with_a_password_that_was_replaced_meanwhile(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, people.password_set)
    browser = browser_signs_on()
    assert people.sessions_live() == []
    assert browser.get(reverse("admin:index")).status_code == 302
    assert not browser.session.keys()


def test_a_browser_without_a_code_is_not_verified_by_the_device_that_came_meanwhile(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who knows the password alone waits for its person to set the second factor up."""

    def checked(**credentials: Any) -> tuple[User, bool]:
        outcome = sign_on_check(**credentials)
        factories.second_factor(people.user())
        return outcome

    monkeypatch.setattr(backends, "sign_on_check", checked)
    browser_signs_on()
    session = StaffSession.objects.latest("pk")
    assert (session.channel, session.verified) == (StaffSession.Channel.ADMIN, False)


def test_two_administrators_who_close_each_other_at_once_are_one_closed(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can open either again where the system has lost its last administrator."""
    pair = [factories.staff(Role.ADMINISTRATOR) for _ in range(2)]
    end, both = accounts.sessions_end, threading.Barrier(2)

    def sessions_end(user: User) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait(timeout=1)
        end(user)

    monkeypatch.setattr(accounts, "sessions_end", sessions_end)
    acts = [
        lambda by=by, other=other: accounts.user_deactivate(by=by, user_id=other.user_id)
        for by, other in (pair, pair[::-1])
    ]
    answers = together(*acts)
    assert sorted(type(answer).__name__ for answer in answers) == ["SessionExpired", "User"]
    assert User.objects.filter(is_active=True).count() == 1


def test_a_session_that_ended_meanwhile_sets_no_second_factor_up(people: People) -> None:
    """Or who had the former password shuts its person out, who has no such device."""
    by = actor_of(session_start(user=people.user())[0])
    secret = second_factor.factor_begin(by=by).secret
    people.password_set()
    with pytest.raises(SessionExpired):
        second_factor.factor_confirm(by=by, code=factories.one_time_code(secret))
    with pytest.raises(SessionExpired):
        second_factor.factor_begin(by=by)
    assert second_factor_of(people.user()) is None
