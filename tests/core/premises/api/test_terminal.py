"""Requests of a terminal about itself: enrolment, token, operator session."""

import json
from collections import Counter

import pytest
from django.contrib.auth.hashers import make_password
from django.db import transaction

from core.alarms.alarms import tokens_unknown
from core.database import clock
from core.premises import services
from core.premises.models import Operator, OperatorSession, Premises, Terminal, TerminalCopy
from core.tools.raceday.key import TerminalKey
from tests.support import factories
from tests.support.api import Api, refused, terminal_api

PIN = "482913"

pytestmark = pytest.mark.django_db


@pytest.fixture
def point() -> factories.Point:
    where = factories.point()
    Operator.objects.filter(pk=where.operator.pk).update(pin=make_password(PIN))
    return where


def test_an_operator_signs_on_and_off(point: factories.Point) -> None:
    bare = terminal_api(point, signed_on=False)
    response = bare.prove("terminal/session", {"number": point.operator.number, "pin": PIN})
    assert response.status_code == 201
    session = response.json()
    assert session["operator"] == point.operator.number
    signed_on = Api(
        Authorization=f"Terminal {session['terminal_token']}",
        **{"X-Operator-Session": session["token"]},
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
    refused(stolen.prove("terminal/session", {"number": 9999, "pin": PIN}), 401, "pin_refused")
    codes = Counter(
        stolen.prove("terminal/session", {"number": number, "pin": "000001"}).json()["code"]
        for _ in range(20)
    )
    assert codes == {"pin_refused": 5, "throttled": 15}
    right = {"number": number, "pin": PIN}
    limited = stolen.prove("terminal/session", right)
    refused(limited, 429, "throttled")
    assert 1 <= int(limited.headers["Retry-After"]) <= 180
    own = terminal_api(point, signed_on=False)
    assert own.prove("terminal/session", right).status_code == 201


def test_an_operator_of_other_premises_is_unknown_here(point: factories.Point) -> None:
    elsewhere = terminal_api(factories.point(), signed_on=False)
    body = {"number": point.operator.number, "pin": PIN}
    refused(elsewhere.prove("terminal/session", body), 401, "pin_refused")


def test_who_am_i(point: factories.Point) -> None:
    me = terminal_api(point).get("terminal").json()
    assert me["premises"] == point.premises.code
    assert me["capabilities"] == ["check", "deposit", "pay", "sell"]
    assert me["is_simulated"] is False
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    assert "sell" not in terminal_api(office).get("terminal").json()["capabilities"]


def at_terminal(token: str, session: str = "") -> Api:
    return Api(Authorization=f"Terminal {token}", **{"X-Operator-Session": session})


def roll(of: Api) -> str:
    """Return the token that a terminal gets for its proof."""
    answer = of.prove("terminal/token", {})
    assert answer.status_code == 201, answer.content
    return str(answer.json()["token"])


def test_rolling_the_token_ends_the_old_one_when_the_new_one_is_used(
    point: factories.Point,
) -> None:
    old = terminal_api(point)
    lost, rolled = roll(old), roll(old)
    assert old.get("terminal").status_code == 200
    refused(at_terminal(lost).get("terminal"), 401, "terminal_unknown")
    new = at_terminal(rolled, point.session_token)
    assert new.get("terminal").json()["session"]["operator"] == point.operator.number
    refused(old.get("terminal"), 401, "token_replaced")
    assert new.get("terminal").status_code == 200, "what was under way means nothing"


def test_a_token_expires_and_the_key_alone_renews_it(point: factories.Point) -> None:
    token = roll(terminal_api(point))
    factories.time_pass(seconds=services.TOKEN_LENGTH.total_seconds() + 1)
    late = at_terminal(token, point.session_token)
    refused(late.get("terminal"), 401, "token_expired")
    refused(late.delete("terminal/session"), 401, "token_expired")
    refused(late.post("terminal/token"), 401, "proof_missing")
    fresh = at_terminal(roll(late), point.session_token)
    assert fresh.get("terminal").json()["session"]["operator"] == point.operator.number


def test_a_copy_used_after_the_roll_is_seen_and_closes_the_terminal(
    point: factories.Point, organiser: Api
) -> None:
    """A copy serves at most until the machine that was copied rolls its token."""
    copied = terminal_api(point)
    assert copied.get("terminal").status_code == 200
    own = at_terminal(roll(copied), point.session_token)
    assert own.get("terminal").status_code == 200
    factories.time_pass(minutes=2)
    refused(copied.get("terminal"), 401, "token_replaced")
    for of in (own, at_terminal(roll_refused(own))):
        refused(of.get("terminal"), 403, "terminal_copied")
    refused(own.delete("terminal/session"), 403, "terminal_copied")
    (alarm,) = [a for a in organiser.get("alarms").json()["items"] if "copied" in a["code"]]
    assert alarm["subject"] == point.terminal.code
    (sign,) = TerminalCopy.objects.all()
    assert (sign.terminal, sign.sign) == (point.terminal, TerminalCopy.Sign.REPLACED_TOKEN)

    code = factories.enrolment_code(point.premises, point.terminal.code)
    anew = {"enrolment_code": code, "public_key": TerminalKey().public}
    token = Api().post("terminal/enrolment", anew).json()["token"]
    factories.time_pass(minutes=2)
    refused(copied.get("terminal"), 401, "terminal_unknown")
    assert at_terminal(token).get("terminal").status_code == 200, "old copies close it no more"
    assert not [a for a in organiser.get("alarms").json()["items"] if "copied" in a["code"]]


def roll_refused(of: Api) -> str:
    """Return the token of a terminal that may not roll it."""
    refused(of.prove("terminal/token", {}), 403, "terminal_copied")
    return of.headers["Authorization"].removeprefix("Terminal ")


@pytest.mark.parametrize("path", ["terminal/token", "terminal/session", "terminal/pin"])
def test_a_copied_token_without_the_key_opens_no_new_one(point: factories.Point, path: str) -> None:
    """The PIN and the token are not enough: a person who signs with another key is seen."""
    body = {"number": point.operator.number, "pin": PIN, "new_pin": "314159"}
    sent = {"token": {}, "session": {k: body[k] for k in ("number", "pin")}, "pin": body}
    bare = terminal_api(point, signed_on=False)
    refused(bare.post(path, sent[path.rpartition("/")[2]]), 401, "proof_missing")
    assert not TerminalCopy.objects.exists()
    stranger = TerminalKey()
    stolen = bare.prove(path, sent[path.rpartition("/")[2]], key=stranger)
    refused(stolen, 401, "proof_refused")
    assert TerminalCopy.objects.get().sign == TerminalCopy.Sign.WRONG_KEY
    refused(terminal_api(point).get("terminal"), 403, "terminal_copied")
    contest = factories.contest()
    assert factories.sell(contest, point).outcome == "terminal_copied"


def test_a_proof_is_of_its_request_and_good_once(point: factories.Point) -> None:
    bare = terminal_api(point, signed_on=False)
    body = json.dumps({"number": point.operator.number, "pin": PIN})
    proof = factories.KEY.prove("/api/v1/terminal/session", point.token, body.encode())
    assert bare.raw("terminal/session", body, **proof).status_code == 201
    used = refused(bare.raw("terminal/session", body, **proof), 409, "proof_used")
    assert used["data"]["last"] == factories.KEY.number
    for header in ("", "7", "x.y", "1.é", f"{2**60}.AA", f"{factories.KEY.number + 1}.AA="):
        missing = bare.raw("terminal/session", body, **{"X-Terminal-Proof": header})
        refused(missing, 401, "proof_missing")
    assert OperatorSession.objects.filter(terminal=point.terminal).count() == 2


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


def restored_over(point: factories.Point) -> Api:
    """Return the terminal with a token that the database, restored to before it, does not know."""
    with pytest.raises(RuntimeError, match="restored"), transaction.atomic():
        own = at_terminal(roll(terminal_api(point)), point.session_token)
        assert own.get("terminal").status_code == 200
        raise RuntimeError("restored")
    return own


def test_a_terminal_whose_token_a_restore_lost_goes_on_by_its_key(point: factories.Point) -> None:
    """Tokens last an hour: else each terminal would be enrolled again by two persons."""
    own = restored_over(point)
    refused(own.get("terminal"), 401, "terminal_unknown")
    refused(own.prove("terminal/token", {}), 401, "terminal_unknown")
    answer = own.prove("terminal/token", {"terminal": point.terminal.code})
    assert answer.status_code == 201, answer.content
    assert at_terminal(answer.json()["token"]).get("terminal").status_code == 200
    factories.time_pass(minutes=2)
    refused(terminal_api(point).get("terminal"), 401, "token_replaced")  # a copy is seen as ever


def test_staff_see_that_a_token_was_not_known_and_the_shop_goes_on(point: factories.Point) -> None:
    """The database forgot the token, or somebody copied the machine with its key."""
    own, named = restored_over(point), {"terminal": point.terminal.code}
    assert tokens_unknown() == []
    own.prove("terminal/token", named, key=TerminalKey())
    assert tokens_unknown() == [], "a stranger who knows its code raises nothing"
    for _ in range(2):  # its answer was lost
        answer = own.prove("terminal/token", named)
        assert answer.status_code == 201
    (alarm,) = tokens_unknown()
    assert alarm.subject == point.terminal
    sign = TerminalCopy.objects.latest("pk")
    assert (sign.terminal, sign.sign) == (point.terminal, TerminalCopy.Sign.UNKNOWN_TOKEN)
    assert alarm.since == sign.seen_at
    again = at_terminal(answer.json()["token"], point.session_token)
    assert again.get("terminal").status_code == 200
    factories.time_pass(hours=2)
    assert again.prove("terminal/token", named).status_code == 201
    assert len(tokens_unknown()) == 1 and TerminalCopy.objects.count() == 1, "known again"
    own.prove("terminal/token", named)
    assert len(tokens_unknown()) == 1 and TerminalCopy.objects.count() == 2
    factories.time_pass(hours=25)
    assert tokens_unknown() == []


def test_a_machine_that_names_itself_all_day_leaves_a_row_an_hour(point: factories.Point) -> None:
    """Its owner could make a hundred an hour, which each look at the alarms would read."""
    own, named = restored_over(point), {"terminal": point.terminal.code}
    for _ in range(5):
        assert own.prove("terminal/token", named).status_code == 201
    assert TerminalCopy.objects.count() == 1
    code = factories.enrolment_code(point.premises, point.terminal.code)
    services.terminal_enrol(code=code, public_key=factories.KEY.public)
    assert tokens_unknown() == []
    assert own.prove("terminal/token", named).status_code == 201
    assert len(tokens_unknown()) == 1, "not told of since it enrolled again"


def test_the_code_of_a_terminal_opens_nothing_without_its_key(point: factories.Point) -> None:
    """Its code is printed on each ticket: a stranger who names it closes nothing either."""
    own, named = restored_over(point), {"terminal": point.terminal.code}
    refused(own.prove("terminal/token", named, key=TerminalKey()), 401, "terminal_unknown")
    refused(own.post("terminal/token", named), 401, "proof_missing")
    refused(own.prove("terminal/token", {"terminal": "T-NONE"}), 401, "terminal_unknown")
    refused(own.prove("terminal/token", {"terminal": "T\x00"}), 400, "malformed_json")
    assert not TerminalCopy.objects.exists()
    proof = factories.KEY.prove("/api/v1/terminal/token", "zzz", json.dumps(named).encode())
    stranger = Api(Authorization="Terminal zzz")
    assert stranger.raw("terminal/token", json.dumps(named), **proof).status_code == 201
    refused(stranger.raw("terminal/token", json.dumps(named), **proof), 409, "proof_used")


@pytest.mark.parametrize("state", ["revoked", "copied"])
def test_a_closed_terminal_stays_closed_after_a_restore(point: factories.Point, state: str) -> None:
    own, now = restored_over(point), clock.now()
    Terminal.objects.filter(pk=point.terminal.pk).update(**{f"{state}_at": now})
    named = {"terminal": point.terminal.code}
    refused(own.prove("terminal/token", named), 403, f"terminal_{state}")
