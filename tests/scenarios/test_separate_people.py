"""Separate people: inspector and auditor hold no other role, administrators no power over money,
races or draws. What gives or gives back power takes two administrators.
"""

from typing import Any

import pytest

from core.staff.models import User
from core.staff.powers import ALONE, Role, table
from tests.support import factories
from tests.support.api import Api, refused, staff_api

PASSWORD = "correct horse battery"
NAME = "Maria Riera"
ACCOUNT = {"username": "or-17", "full_name": NAME, "password": PASSWORD}
ADMINISTRATORS_MAY = {
    "clock.watch",
    "longwork.read",
    "lototrot.read",
    "nights.read",
    "premises.read",
    "proofs.read",
    "proofs.watch",
    "reports.save_views",
    "staff.accounts",
    "staff.accounts.read",
    "staff.own_password",
    "staff.proposals.read",
}
pytestmark = pytest.mark.django_db


@pytest.fixture
def one() -> Api:
    return staff_api(Role.ADMINISTRATOR)


@pytest.fixture
def two(one: Api) -> Api:
    return staff_api(Role.ADMINISTRATOR)


def sign_on(username: str = "or-17", password: str = PASSWORD) -> Any:
    return Api().post("staff/sessions", {"username": username, "password": password})


def proposed(answer: Any) -> str:
    assert answer.status_code == 202, answer.content
    return f"proposals/{answer.json()['proposal']}/confirmation"


def test_administrators_have_no_power_over_money_races_or_draws() -> None:
    of_administrators = {act for act, roles in table().items() if Role.ADMINISTRATOR in roles}
    assert of_administrators == ADMINISTRATORS_MAY
    assert table()["staff.accounts"] == {Role.ADMINISTRATOR}
    assert table()["clock.move"] == {Role.ORGANISER}


@pytest.mark.parametrize("alone", sorted(ALONE))
def test_one_person_is_not_given_both(one: Api, two: Api, alone: Role) -> None:
    both = ACCOUNT | {"roles": [alone, "organiser"], "appointment": "Order 7/2026"}
    refused(one.post("staff", both), 422, "roles_incompatible")
    assert not User.objects.filter(username="or-17").exists()
    organiser = factories.staff(Role.ORGANISER)
    path = f"staff/{organiser.user_id}/roles"
    refused(one.post(path, {"roles": [alone, "organiser"]}), 422, "roles_incompatible")
    assert User.objects.get(pk=organiser.user_id).roles == ["organiser"]
    assert one.get("proposals").json()["items"] == []


def test_an_account_takes_two_administrators(one: Api, two: Api) -> None:
    confirmation = proposed(one.post("staff", ACCOUNT | {"roles": ["organiser"]}))
    refused(sign_on(), 401, "sign_on_refused")
    refused(one.post(confirmation), 403, "same_person")
    refused(staff_api(Role.ORGANISER).post(confirmation), 403, "power_missing")
    refused(sign_on(), 401, "sign_on_refused")
    answer = two.get("proposals").json()["items"][0]["content"]
    assert answer == {
        "username": "or-17",
        "full_name": "Maria Riera",
        "roles": ["organiser"],
        "appointment": "",
    }
    assert two.post(confirmation).status_code == 200
    assert sign_on().status_code == 201


def test_power_that_was_taken_by_one_is_given_back_by_two(one: Api, two: Api) -> None:
    other = factories.staff(Role.CASHIER)
    user = User.objects.get(pk=other.user_id)
    path = f"staff/{user.pk}"
    factories.second_factor(user)
    confirmation = proposed(one.post(f"{path}/password", {"password": PASSWORD}))
    refused(sign_on(user.username), 401, "sign_on_refused")
    assert two.post(confirmation).status_code == 200
    refused(sign_on(user.username), 401, "second_factor_needed")

    confirmation = proposed(one.post(f"{path}/second-factor/ending"))
    refused(sign_on(user.username), 401, "second_factor_needed")
    assert two.post(confirmation).status_code == 200
    assert sign_on(user.username).json()["verified"] is False
    refused(one.post(f"{path}/second-factor/ending"), 409, "second_factor_missing")

    refused(one.post(f"{path}/reactivation"), 409, "account_open")
    assert one.post(f"{path}/deactivation").json()["is_active"] is False
    refused(sign_on(user.username), 401, "sign_on_refused")
    confirmation = proposed(one.post(f"{path}/reactivation"))
    refused(sign_on(user.username), 401, "sign_on_refused")
    assert two.post(confirmation).status_code == 200
    assert sign_on(user.username).status_code == 201

    confirmation = proposed(one.post(f"{path}/roles", {"roles": ["supervisor"]}))
    assert User.objects.get(pk=user.pk).roles == ["cashier"]
    assert two.post(confirmation).status_code == 200
    assert User.objects.get(pk=user.pk).roles == ["supervisor"]


def test_nobody_gives_power_to_themselves(one: Api, two: Api) -> None:
    users = list(User.objects.order_by("pk"))
    for path, body in (
        ("roles", {"roles": ["organiser"]}),
        ("password", {"password": PASSWORD}),
        ("deactivation", {}),
        ("second-factor/ending", {}),
    ):
        refused(one.post(f"staff/{users[0].pk}/{path}", body), 403, "own_account")
    confirmation = proposed(one.post(f"staff/{users[1].pk}/roles", {"roles": ["organiser"]}))
    refused(two.post(confirmation), 403, "own_account")
    assert User.objects.get(pk=users[1].pk).roles == ["administrator"]
    refused(one.post("staff/0/roles", {"roles": []}), 404, "user_unknown")


def test_the_same_request_twice_proposes_once(one: Api, two: Api) -> None:
    organiser = factories.staff(Role.ORGANISER)
    path = f"staff/{organiser.user_id}/roles"
    proposed(one.post(path, {"roles": ["stewards"]}))
    refused(two.post(path, {"roles": ["stewards"]}), 409, "proposal_pending")
    body = ACCOUNT | {"roles": ["cashier"]}
    first = one.post("staff", body, Idempotency_Key="an-account-of-today")
    again = one.post("staff", body, Idempotency_Key="an-account-of-today")
    proposal, repeat = first.json(), again.json()
    assert (proposal["content"].pop("full_name"), repeat["content"].pop("full_name")) == (NAME, "")
    assert proposal == repeat


def test_an_administrator_moves_no_clock(one: Api, settings: Any) -> None:
    settings.SIMULATED_TIME = True
    body = {"now": "2040-01-01T00:00:00Z", "reason": "x"}
    refused(one.post("clock", body), 403, "power_missing")
    settings.SIMULATED_TIME = False
    refused(staff_api(Role.ORGANISER).post("clock", body), 403, "simulated_time_refused")
