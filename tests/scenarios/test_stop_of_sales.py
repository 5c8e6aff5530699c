"""A false stop is lifted and nothing is lost; a true one closes with its instant (14.III.4) [E12].

One steward stops sales at once. Boards and terminals say "stopped", not "closed". Two persons lift
a false stop. A second person confirms a true one: the contest closes with the stop's instant, and
no ticket later than it was ever sold. A stop that nobody decides is an alarm after two minutes.
"""

import copy
from datetime import date, datetime

import pytest

from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from lototrot.selectors.board import board_document, board_pulse
from tests.support import factories
from tests.support.api import refused, staff_api, terminal_api
from tests.support.lototrot.meeting_by_api import Staff, at, contest_on_sale, ok, sold, started

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]
SUNDAY = date(2030, 6, 9)
SEVEN = [1] * 7


@pytest.fixture(scope="module")
def on_sale(shared: None) -> tuple[Staff, dict]:
    factories.time_to(at(SUNDAY, 12))
    staff = Staff()
    return staff, contest_on_sale(staff, SUNDAY)


@pytest.fixture
def staff(on_sale: tuple[Staff, dict]) -> Staff:
    return on_sale[0]


@pytest.fixture
def contest(on_sale: tuple[Staff, dict]) -> dict:
    return copy.deepcopy(on_sale[1])


@pytest.fixture
def race(staff: Staff, contest: dict) -> dict:
    detail = ok(staff.organiser.get(f"lototrot/contests/{contest['id']}"))
    return detail["legs"][0]["race"]


def state(staff: Staff, contest: dict) -> dict:
    return ok(staff.organiser.get(f"lototrot/contests/{contest['id']}"))


def stopped(staff: Staff, race: dict) -> dict:
    body = {"source": "Starter"}
    return ok(staff.steward.post(f"lototrot/races/{race['id']}/stop", body))


def test_a_false_stop_is_lifted_and_nothing_is_lost(
    staff: Staff, contest: dict, race: dict
) -> None:
    point = factories.point()
    before = ok(sold(point, contest, SEVEN))
    stop = stopped(staff, race)
    refused(sold(point, contest, SEVEN), 409, "sales_stopped")
    assert (state(staff, contest)["state"], state(staff, contest)["on_sale"]) == ("stopped", False)
    (contest_offered,) = ok(terminal_api(point).get("lototrot/terminal/contests"))["items"]
    assert contest_offered["state"] == "stopped"
    assert board_pulse()["contests"][str(contest["id"])]["state"] == "stopped"
    assert board_document()["contests"][0]["state"] == "stopped"
    path = f"lototrot/stops/{stop['id']}/lifting"
    lifting = staff.steward.post(path, {"reason": "A false start"})
    ident = ok(lifting)["proposal"]
    refused(staff.steward.post(f"proposals/{ident}/confirmation"), 403, "same_person")
    refused(sold(point, contest, SEVEN), 409, "sales_stopped")
    ok(staff.confirmed(lifting, staff.second_steward))
    after = ok(sold(point, contest, SEVEN))
    assert Ticket.objects.count() == 2
    assert before["code"] and after["code"]
    slip = terminal_api(point).get(f"lototrot/tickets/{before['uuid']}/slip.escpos")
    assert slip.status_code == 200, "a ticket sold before the stop is printed after it"


def test_a_true_stop_closes_with_its_instant(staff: Staff, contest: dict, race: dict) -> None:
    """The steward who reports the start reads a later time off the clock than the stop's."""
    point = factories.point()
    factories.time_to(at(SUNDAY, 16, 58))
    ok(sold(point, contest, SEVEN))
    stop = stopped(staff, race)
    factories.time_to(at(SUNDAY, 16, 58, 20))
    refused(sold(point, contest, SEVEN), 409, "sales_stopped")
    reported = started(staff, race, at(SUNDAY, 16, 58, 10))
    confirmation = f"proposals/{ok(reported)['proposal']}/confirmation"
    refused(staff.steward.post(confirmation), 403, "same_person")
    ok(staff.confirmed(reported, staff.second_steward))
    closed = state(staff, contest)
    assert (closed["state"], closed["closing_cause"]) == ("closed", "start")
    assert datetime.fromisoformat(closed["closed_at"]) == datetime.fromisoformat(stop["stopped_at"])
    refused(sold(point, contest, SEVEN), 409, "contest_closed")
    assert Ticket.objects.get().sold_at < datetime.fromisoformat(stop["stopped_at"])
    refused(
        staff.steward.post(f"lototrot/stops/{stop['id']}/lifting", {"reason": "x"}),
        409,
        "stop_ended",
    )


def test_a_stop_that_nobody_decides_is_an_alarm_and_stays(
    staff: Staff, contest: dict, race: dict
) -> None:
    stopped(staff, race)
    factories.time_pass(seconds=125)
    alarms = ok(staff.steward.get("alarms"))["items"]
    assert [alarm["code"] for alarm in alarms] == ["lototrot_sales_stopped"]
    refused(sold(factories.point(), contest, SEVEN), 409, "sales_stopped")


def test_the_organiser_neither_stops_nor_records_a_start(
    staff: Staff, contest: dict, race: dict
) -> None:
    path = f"lototrot/races/{race['id']}"
    for act in ("stop", "start"):
        refused(staff.organiser.post(f"{path}/{act}", {"source": "x"}), 403, "power_missing")
    assert state(staff, contest)["state"] == "open"
    refused(staff_api(Role.CASHIER).post(f"{path}/stop", {"source": "x"}), 403, "power_missing")
