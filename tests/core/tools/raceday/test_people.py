"""Enter the people and places of the demonstration through the API."""

import os
from collections.abc import Iterator

import pytest

from core.premises.operators import pin_check
from core.tools.raceday import people
from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.key import TerminalKey
from tests.support import factories
from tests.support.browser.site import serving
from tests.support.databases import Database

SINCE = "2020-01-01T00:00:00Z"
PIN = "183054"


@pytest.fixture
def staff(own_database: Database) -> Iterator[people.Staff]:
    """Yield the staff of a running system: two administrators and two organisers."""
    environment = os.environ | own_database.environment
    with serving() as port:
        staff = people.Staff(Api(f"http://127.0.0.1:{port}"))
        people.administrators_enter(staff, environment)
        people.staff_open(staff, ["org1", "org2"])
        factories.time_pass(days=1, minutes=1)  # before that, nobody new is a second person
        yield staff


def test_people_and_terminals_sign_on_and_renew_their_sessions(staff: people.Staff) -> None:
    organiser, second = staff["org1"], staff["org2"]
    assert set(staff.passwords) == set(staff.devices) == {"admin", "admin2", "org1", "org2"}
    with pytest.raises(ApiProblem, match="power_missing"):
        organiser.get("journal/acts")
    people.premises_open(organiser, second, [1], SINCE)
    sellers = people.terminals_enrol(organiser, second, 1, PIN)
    assert [seller.terminal for seller in sellers] == ["T-0001-1", "T-0001-2"]
    assert {seller.premises for seller in sellers} == {"P-0001"}
    first = sellers[0].api
    assert first.get("terminal")["premises"] == "P-0001"
    assert first._sign_on is not None
    renewed = first._sign_on()
    assert renewed["Authorization"] != first.headers["Authorization"]
    assert renewed["X-Operator-Session"] != first.headers["X-Operator-Session"]
    visiting = {"terminals": [{"premises": "P-0001", "code": "T-VISITOR"}]}
    people.opened(organiser, second, visiting)
    enrolment = people.enrolment_code(organiser, "T-VISITOR")
    visitor = people.Seller.enrol(
        organiser.base_url, "P-0001", "T-VISITOR", people.OPERATOR, code=enrolment, pin=PIN
    )
    assert visitor.api.headers["X-Operator-Session"]
    with pytest.raises(ApiProblem):
        body = {"enrolment_code": enrolment, "public_key": TerminalKey().public}
        Api(organiser.base_url).post("terminal/enrolment", body)


def test_there_is_a_person_for_every_duty_and_a_name_for_each() -> None:
    roles = [role for _name, role in people.STAFF.values()]
    assert {role: roles.count(role) for role in ("organiser", "stewards")} == {
        "organiser": 2,
        "stewards": 2,
    }
    assert not people.ADMINISTRATORS.keys() & people.STAFF.keys()
    assert len({name for name, _role in people.STAFF.values()}) == len(people.STAFF)


def test_every_pin_that_is_drawn_is_one_that_operators_may_have() -> None:
    drawn = {people.pin_make() for _ in range(20_000)}
    assert len(drawn) == 10 * 9 * 8
    for pin in drawn:
        pin_check(pin)
    chosen = drawn.pop()
    assert chosen not in {people.pin_make(other_than=chosen) for _ in range(20_000)}
