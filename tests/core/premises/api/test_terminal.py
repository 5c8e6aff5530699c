"""Requests of a terminal about itself: enrolment, token, operator session."""

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password

from core.premises.models import Operator, OperatorSession, Premises
from tests.support import factories
from tests.support.api import Api, refused, terminal_api

PIN = "482913"

pytestmark = pytest.mark.django_db


@pytest.fixture
def point() -> factories.Point:
    found = factories.point()
    Operator.objects.filter(pk=found.operator.pk).update(pin=make_password(PIN))
    return found


def test_an_operator_signs_on_and_off(point: factories.Point) -> None:
    bare = terminal_api(point, signed_on=False)
    response = bare.post("terminal/session", {"number": point.operator.number, "pin": PIN})
    assert response.status_code == 201
    session = response.json()
    assert session["operator"] == point.operator.number
    signed_on = Api(
        Authorization=f"Terminal {point.token}", **{"X-Operator-Session": session["token"]}
    )
    me = signed_on.get("terminal").json()
    assert me["session"]["name"] == point.operator.name
    assert signed_on.delete("terminal/session").status_code == 204
    refused(signed_on.delete("terminal/session"), 401, "operator_session_expired")
    assert signed_on.get("terminal").json()["session"] is None


def test_a_session_belongs_to_one_terminal(point: factories.Point) -> None:
    other = factories.point(point.premises)
    foreign = Api(
        Authorization=f"Terminal {other.token}", **{"X-Operator-Session": point.session_token}
    )
    refused(foreign.delete("terminal/session"), 401, "operator_session_unknown")
    assert OperatorSession.objects.get(pk=point.session.pk).ended_at is None


def test_wrong_pins_are_limited_at_one_terminal_and_keep_nobody_out_at_another(
    point: factories.Point,
) -> None:
    stolen = terminal_api(factories.point(point.premises), signed_on=False)
    number = point.operator.number
    refused(stolen.post("terminal/session", {"number": 9999, "pin": PIN}), 401, "pin_refused")
    codes = Counter(
        stolen.post("terminal/session", {"number": number, "pin": "000001"}).json()["code"]
        for _ in range(20)
    )
    assert codes == {"pin_refused": 5, "throttled": 15}
    right = {"number": number, "pin": PIN}
    limited = stolen.post("terminal/session", right)
    refused(limited, 429, "throttled")
    assert 1 <= int(limited.headers["Retry-After"]) <= 180
    own = terminal_api(point, signed_on=False)
    assert own.post("terminal/session", right).status_code == 201


def test_an_operator_of_other_premises_is_unknown_here(point: factories.Point) -> None:
    elsewhere = terminal_api(factories.point(), signed_on=False)
    body = {"number": point.operator.number, "pin": PIN}
    refused(elsewhere.post("terminal/session", body), 401, "pin_refused")


def test_who_am_i(point: factories.Point) -> None:
    me = terminal_api(point).get("terminal").json()
    assert me["premises"] == point.premises.code
    assert me["capabilities"] == ["check", "deposit", "pay", "sell"]
    assert me["is_simulated"] is False
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    assert "sell" not in terminal_api(office).get("terminal").json()["capabilities"]


def test_rolling_the_token_ends_the_old_one_when_the_new_one_is_used(
    point: factories.Point,
) -> None:
    old = terminal_api(point)
    lost, rolled = old.post("terminal/token"), old.post("terminal/token")
    assert rolled.status_code == 201
    assert old.get("terminal").status_code == 200

    def with_token(answer: Any) -> Api:
        return Api(
            Authorization=f"Terminal {answer.json()['token']}",
            **{"X-Operator-Session": point.session_token},
        )

    refused(with_token(lost).get("terminal"), 401, "terminal_unknown")
    new = with_token(rolled)
    assert new.get("terminal").json()["session"]["operator"] == point.operator.number
    refused(old.get("terminal"), 401, "terminal_unknown")
    assert new.get("terminal").status_code == 200


def test_expired_sessions(point: factories.Point) -> None:
    factories.time_pass(days=31)
    signed_on = terminal_api(point)
    refused(signed_on.delete("terminal/session"), 401, "operator_session_expired")
    assert signed_on.get("terminal").json()["session"] is None


def test_terminals_and_staff_do_not_mix(point: factories.Point, organiser: Api) -> None:
    refused(terminal_api(point).get("premises"), 401, "credentials_missing")
    problem = organiser.get("terminal")
    refused(problem, 401, "credentials_missing")
    assert problem.headers["WWW-Authenticate"].startswith("Terminal")
    refused(Api(Authorization="Terminal zzz").get("terminal"), 401, "terminal_unknown")
