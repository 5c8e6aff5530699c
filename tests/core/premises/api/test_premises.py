"""The register: premises, authorisations, terminals, operators."""

import datetime
from typing import Any

import pytest

from core.database import clock
from core.premises.models import Authorisation, Enrolment, Operator, Premises, Terminal
from core.staff.powers import Role
from tests.support import factories
from tests.support.api import Api, places, refused, staff_api, terminal_api

PREMISES = {
    "code": "P-0001",
    "name": "Bar Central",
    "kind": "establishment",
    "address": "Major 1",
    "municipality": "Manacor",
}
OPERATOR = {"number": 1, "name": "Joan Sastre", "pin": "482913"}
AUTHORISATION = {
    "premises": "P-0001",
    "game": "lototrot",
    "valid_from": "2026-01-01T00:00:00+01:00",
    "valid_until": "2027-01-01T00:00:00+01:00",
    "reference": "DGJ 12/2026",
}

pytestmark = pytest.mark.django_db


TERMINAL = {"premises": "P-0001", "code": "T-0001"}


def confirmed(answer: Any) -> None:
    """Confirm the proposal of an answer as a second organiser."""
    assert answer.status_code == 201, answer.content
    path = f"proposals/{answer.json()['proposal']}/confirmation"
    carried_out = staff_api(Role.ORGANISER).post(path)
    assert carried_out.status_code == 200, carried_out.content


@pytest.fixture
def code(organiser: Api) -> str:
    confirmed(organiser.post("premises", {"premises": [PREMISES]}))
    return PREMISES["code"]


def test_premises_and_what_belongs_to_them(organiser: Api, auditor: Api, code: str) -> None:
    lists = {"authorisations": [AUTHORISATION], "terminals": [TERMINAL]}
    proposed = organiser.post("premises", lists)
    refused(organiser.post("terminals/T-0001/enrolment-code"), 404, "terminal_not_found")
    path = f"proposals/{proposed.json()['proposal']}/confirmation"
    refused(organiser.post(path), 403, "same_person")
    confirmed(proposed)
    response = organiser.post("terminals/T-0001/enrolment-code")
    assert response.status_code == 201
    assert response.json()["enrolment_code"]
    operator = organiser.post(f"premises/{code}/operators", OPERATOR)
    assert operator.status_code == 201
    assert "pin" not in operator.json()
    whole = auditor.get(f"premises/{code}").json()
    assert {key: whole[key] for key in PREMISES} == PREMISES
    assert [a["reference"] for a in whole["authorisations"]] == ["DGJ 12/2026"]
    assert whole["authorisations"][0]["valid_from"] == "2025-12-31T23:00:00Z"
    assert [t["code"] for t in whole["terminals"]] == ["T-0001"]
    assert [o["name"] for o in whole["operators"]] == ["Joan Sastre"]
    assert [p["code"] for p in auditor.get("premises").json()["items"]] == [code]


def test_others_may_read_but_not_write(auditor: Api, code: str) -> None:
    for path, body in (
        ("premises", {"premises": [{**PREMISES, "code": "P-2"}]}),
        ("premises", {"authorisations": [AUTHORISATION]}),
        ("premises", {"terminals": [TERMINAL]}),
        ("terminals/enrolments", {"terminals": ["T-1"], "reason": "x"}),
        (f"premises/{code}/operators", OPERATOR),
        ("terminals/T-1/enrolment-code", {}),
        ("terminals/T-1/revocation", {}),
        ("authorisations/1/end", {}),
    ):
        refused(auditor.post(path, body), 403, "power_missing")
    assert Premises.objects.count() == 1
    assert not Terminal.objects.exists()


def test_a_cashier_does_not_read_the_register(code: str) -> None:
    refused(staff_api(Role.CASHIER).get("premises"), 403, "power_missing")


def test_what_is_not_there(organiser: Api) -> None:
    refused(organiser.get("premises/P-9"), 404, "premises_unknown")
    for body in ({"authorisations": [AUTHORISATION]}, {"terminals": [TERMINAL]}):
        refused(organiser.post("premises", body), 404, "premises_unknown")
    refused(organiser.post("premises", {}), 422, "opening_empty")
    refused(organiser.post("premises/P-9/operators", OPERATOR), 404, "premises_unknown")
    anew = {"terminals": ["T-9"], "reason": "x"}
    refused(organiser.post("terminals/enrolments", anew), 404, "terminal_not_found")
    refused(organiser.post("terminals/T-9/enrolment-code"), 404, "terminal_not_found")
    refused(organiser.post("terminals/T-9/revocation"), 404, "terminal_not_found")
    refused(organiser.post("authorisations/999999/end"), 404, "authorisation_unknown")


def test_codes_are_taken_once(organiser: Api, code: str) -> None:
    refused(organiser.post("premises", {"premises": [PREMISES]}), 409, "code_taken")
    confirmed(organiser.post("premises", {"terminals": [TERMINAL]}))
    refused(organiser.post("premises", {"terminals": [TERMINAL]}), 409, "code_taken")
    organiser.post(f"premises/{code}/operators", OPERATOR)
    refused(organiser.post(f"premises/{code}/operators", OPERATOR), 409, "code_taken")
    assert (Premises.objects.count(), Terminal.objects.count(), Operator.objects.count()) == (
        1,
        1,
        1,
    )


@pytest.mark.article("14.I.6")
def test_authorisations_neither_overlap_nor_run_backwards(organiser: Api, code: str) -> None:
    def asked(**changes: object) -> Any:
        return organiser.post("premises", {"authorisations": [{**AUTHORISATION, **changes}]})

    confirmed(asked())
    overlapping = asked(valid_from="2026-06-01T00:00:00Z", valid_until=None)
    refused(overlapping, 409, "authorisation_overlaps")
    refused(asked(valid_until="2025-01-01T00:00:00Z"), 422, "period_backwards")
    confirmed(asked(game="promotrot"))
    for instant in ("2026-01-01T00:00:00", "2026-01-01", 5, None, "0001-01-01T00:00:00+14:00"):
        problem = refused(asked(valid_from=instant), 422, "fields_invalid")
        assert list(places(problem)) == ["$.authorisations[0].valid_from"]


@pytest.mark.article("14.I.6")
def test_an_authorisation_ends_at_once(organiser: Api) -> None:
    place = factories.premises()
    held = Authorisation.objects.filter(premises=place).first()
    assert held is not None
    ended = organiser.post(f"authorisations/{held.pk}/end").json()["valid_until"]
    assert datetime.datetime.fromisoformat(ended) <= clock.now()
    assert organiser.post(f"authorisations/{held.pk}/end").json()["valid_until"] == ended


def enrolling(anybody: Api, code: str) -> Any:
    """Return the answer to an enrolment."""
    body = {"enrolment_code": code, "public_key": factories.KEY.public}
    return anybody.post("terminal/enrolment", body)


def test_enrolment_is_one_time_and_kept_as_a_digest(
    organiser: Api, anybody: Api, code: str
) -> None:
    secret = factories.enrolment_code(code, "T-1")
    assert not Enrolment.objects.filter(code_digest=secret.encode()).exists()
    enrolled = enrolling(anybody, secret)
    assert enrolled.status_code == 201
    token = enrolled.json()["token"]
    refused(enrolling(anybody, secret), 401, "enrolment_refused")
    refused(enrolling(anybody, "x"), 401, "enrolment_refused")
    terminal = Api(Authorization=f"Terminal {token}")
    assert terminal.get("terminal").json()["terminal"] == "T-1"

    refused(organiser.post("terminals/T-1/enrolment-code"), 409, "enrolment_not_confirmed")
    anew = {"terminals": ["T-1"], "reason": "New machine"}
    confirmed(organiser.post("terminals/enrolments", anew))
    again = organiser.post("terminals/T-1/enrolment-code").json()["enrolment_code"]
    assert terminal.get("terminal").status_code == 200, "the old token lives until the code is used"
    enrolling(anybody, again)
    refused(terminal.get("terminal"), 401, "terminal_unknown")


def test_an_enrolment_code_expires(anybody: Api, code: str) -> None:
    secret = factories.enrolment_code(code, "T-1")
    factories.time_pass(hours=25)
    late = enrolling(anybody, secret)
    refused(late, 401, "enrolment_refused")


def test_a_revoked_terminal_is_shut_out(organiser: Api) -> None:
    point = factories.point()
    terminal = terminal_api(point)
    assert terminal.get("terminal").status_code == 200
    revoked = organiser.post(f"terminals/{point.terminal.code}/revocation").json()["revoked_at"]
    refused(terminal.get("terminal"), 403, "terminal_revoked")
    twice = organiser.post(f"terminals/{point.terminal.code}/revocation").json()["revoked_at"]
    assert twice == revoked


@pytest.mark.parametrize("pin", ["123456", "111111", "12345", "abcdef", "987654", "48291é"])
def test_weak_pins(organiser: Api, code: str, pin: str) -> None:
    refused(organiser.post(f"premises/{code}/operators", {**OPERATOR, "pin": pin}), 422, "pin_weak")


@pytest.mark.parametrize(
    ("change", "place", "code"),
    [
        ({"code": "p 1"}, "$.code", "invalid"),
        ({"code": "P\n"}, "$.code", "invalid"),
        ({"code": 7}, "$.code", "invalid"),
        ({"code": "P" * 21}, "$.code", "max_length"),
        ({"name": "Bar\nCentral"}, "$.name", "control_character"),
        ({"name": ""}, "$.name", "blank"),
        ({"name": None}, "$.name", "null"),
        ({"name": "é" * 121}, "$.name", "max_length"),
        ({"name": ["Bar"]}, "$.name", "type"),
        ({"kind": "casino"}, "$.kind", "invalid_choice"),
        ({"kind": {}}, "$.kind", "invalid_choice"),
    ],
)
def test_fields_of_premises(
    organiser: Api, change: dict[str, object], place: str, code: str
) -> None:
    body = {"premises": [{**PREMISES, **change}]}
    problem = refused(organiser.post("premises", body), 422, "fields_invalid")
    assert places(problem) == {place.replace("$", "$.premises[0]"): code}
    assert not Premises.objects.exists()


@pytest.mark.parametrize("number", [0, -1, 32_768, 2**63, 2**64, 10**400, 1.0, "1", True, None])
def test_an_operators_number_is_a_small_whole_number(
    organiser: Api, code: str, number: object
) -> None:
    body = {**OPERATOR, "number": number}
    problem = refused(organiser.post(f"premises/{code}/operators", body), 422, "fields_invalid")
    assert list(places(problem)) == ["$.number"]


def test_an_operator_gets_another_pin_and_leaves(organiser: Api, auditor: Api) -> None:
    place = factories.point()
    base = f"premises/{place.premises.code}/operators/{place.operator.number}"
    at = terminal_api(place, signed_on=False)
    assert organiser.post(f"{base}/pin", {"pin": "314159"}).status_code == 200
    credentials = {"number": place.operator.number, "pin": "314159"}
    refused(at.prove("terminal/session", credentials), 403, "pin_not_own")
    refused(at.prove("terminal/pin", credentials | {"new_pin": "314159"}), 422, "pin_same")
    assert at.prove("terminal/pin", credentials | {"new_pin": "271828"}).status_code == 204
    refused(at.prove("terminal/session", credentials), 401, "pin_refused")
    signing_on = {"number": place.operator.number, "pin": "271828"}
    assert at.prove("terminal/session", signing_on).status_code == 201
    refused(organiser.post(f"{base}/pin", {"pin": "123456"}), 422, "pin_weak")
    assert organiser.post(f"{base}/deactivation").json()["is_active"] is False
    assert organiser.post(f"{base}/deactivation").status_code == 200
    refused(at.prove("terminal/session", signing_on), 401, "pin_refused")
    refused(organiser.post(f"{base}/pin", {"pin": "314159"}), 409, "operator_inactive")
    missing = f"premises/{place.premises.code}/operators/31000/deactivation"
    refused(organiser.post(missing), 404, "operator_unknown")
    refused(auditor.post(f"{base}/deactivation"), 403, "power_missing")
