"""A clock that lies: the server's clock is set back and forward by five minutes.

Sales and plays stop with a transient `clock_unsound` while the clock is behind the newest act on
record, or differs by more than two seconds from two of three references. A start can still be
recorded. Sales go on by themselves when the clock is right again. The twin without the guard takes
bets after the start.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.alarms.selectors import standing
from core.database import clock
from core.database.due_work import send_due
from core.nights.models import JobRun
from core.premises.requests import new_uuid
from core.staff.powers import Role
from core.timekeeping.models import Incident
from lototrot.models.contest import Contest
from lototrot.models.running import RaceStart
from lototrot.models.tickets import Ticket
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.services.closing import seed_reveal
from tests.support import emitting, factories
from tests.support.admin_desk import Desk
from tests.support.api import refused, staff_api, terminal_api
from tests.support.concurrency.sales import sell as sell_at
from tests.support.concurrency.sales import selling_point
from tests.support.databases import Database
from tests.support.factories.clocks import server_clock_off, watched
from tests.support.lototrot.sale_bodies import asked, sell
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

FIVE_MINUTES = timedelta(minutes=5)
pytestmark = [pytest.mark.article("14.III.4"), pytest.mark.usefixtures("machine_clock")]


@dataclass(frozen=True, slots=True)
class Eve:
    """A contest that closes in two minutes, another on later races, and a play on sale."""

    contest: Contest
    later: Contest
    emission: Emission
    point: factories.Point

    def bet(self, on: Contest | None = None) -> Any:
        return sell(self.point, asked(on or self.contest))

    def play(self) -> Any:
        price_cents = self.emission.price_cents
        body = {
            "uuid": str(new_uuid()),
            "emission": self.emission.pk,
            "price_cents": price_cents,
        }
        return terminal_api(self.point).post("promotrot/plays", body)

    def report_start(self, instant: datetime) -> Any:
        race = factories.races_of(self.contest)[0]
        body = {"actual_start_at": instant.isoformat(), "source": "Starter"}
        return staff_api(Role.STEWARDS).post(f"lototrot/races/{race.pk}/start", body)

    def nothing_is_sold(self) -> None:
        """Check that each sale is refused for a while, and that nothing is written."""
        before = Ticket.objects.count(), PlayTicket.objects.count()
        for answer in (self.bet(), self.bet(self.later), self.play()):
            assert refused(answer, 409, "clock_unsound")["transient"] is True
        assert (Ticket.objects.count(), PlayTicket.objects.count()) == before

    def everything_is_sold(self) -> None:
        assert self.bet(self.later).status_code == 201
        assert self.play().status_code == 201


@pytest.fixture
def eve(own_database: Database) -> Eve:
    contest, point = factories.contest(), factories.point()
    later = factories.contest(
        factories.meeting(first_start_at=contest.scheduled_close_at + timedelta(days=1))
    )
    for each in (contest, later):
        factories.acknowledge(each, point)
    thief = Eve(contest, later, emitting.opened(emitting.small()), point)
    factories.time_to(contest.scheduled_close_at - timedelta(minutes=2))
    watched()
    assert thief.bet().status_code == 201
    thief.everything_is_sold()
    return thief


def test_without_the_guard_bets_are_taken_after_the_start(eve: Eve) -> None:
    start = factories.time_pass(minutes=2)
    factories.time_pass(minutes=1)
    with server_clock_off(-FIVE_MINUTES, guard=False):
        assert eve.bet().status_code == 201
    late = Ticket.objects.latest("pk")
    assert late.sold_at < start <= clock.now() - timedelta(minutes=1)


def test_a_clock_set_back_stops_sales_at_once_and_a_start_is_recorded(eve: Eve) -> None:
    start = factories.time_pass(minutes=2)
    factories.time_pass(minutes=1)
    with server_clock_off(-FIVE_MINUTES):
        eve.nothing_is_sold()
        watched()
        eve.nothing_is_sold()
        incident = Incident.objects.get()
        assert (incident.cause, incident.ended_at) == ("behind_record", None)
        assert round(incident.ahead_us / 1e6) == -300
        ahead = clock.now() + FIVE_MINUTES + timedelta(seconds=30)
        refused(eve.report_start(ahead), 422, "instant_ahead")
        answer = eve.report_start(start)
        assert answer.status_code == 201, answer.content
        eve.contest.refresh_from_db()
        assert eve.contest.state == "stopped"
        confirmation = f"proposals/{answer.json()['proposal']}/confirmation"
        assert staff_api(Role.STEWARDS).post(confirmation).status_code == 200
        eve.contest.refresh_from_db()
        assert (eve.contest.state, eve.contest.closing_cause) == ("closed", "start")
        recorded = RaceStart.objects.get()
        assert recorded.actual_start_at == start > recorded.recorded_at
        assert recorded.real_at is not None
        assert round((recorded.real_at - recorded.recorded_at).total_seconds()) == 300
    eve.nothing_is_sold()
    watched()
    assert Incident.objects.get().ended_at is not None
    refused(eve.bet(), 409, "contest_closed")
    eve.everything_is_sold()
    assert Ticket.objects.filter(contest=eve.contest, sold_at__gte=start).count() == 0


def test_a_clock_set_forward_stops_sales_and_what_follows_from_the_time(eve: Eve) -> None:
    with server_clock_off(FIVE_MINUTES):
        watched()
        eve.nothing_is_sold()
        assert Incident.objects.get().cause == "references"
        assert clock.now() > eve.contest.scheduled_close_at
        assert send_due() == 0  # or a worker would close the contest, for good
        refused(staff_api(Role.ORGANISER).post("nights", {}), 409, "clock_unsound")
        assert not JobRun.objects.exists()
    watched()
    assert eve.bet().status_code == 201
    eve.everything_is_sold()
    assert Incident.objects.get().ended_at is not None


@pytest.mark.article("15.II.2")
def test_what_was_published_meanwhile_refuses_no_act_of_the_hours_after(
    own_database: Database, tmp_path: Path
) -> None:
    """Somebody commits to an emission while the clock is five hours ahead. Outside nobody may hear
    for the rest of the day that each act is dated back.
    """
    with server_clock_off(timedelta(hours=5)):
        emitting.committed(emitting.planned(emitting.approved(emitting.small("early"))))
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 1)
    seed_reveal(emission=emitting.closed(emission))
    file = written(tmp_path, "log.jsonl", published_log())
    lines = verifier("emissions").check(file, public_key()).splitlines()
    assert lines[1].startswith("early/1: NOT PUT ON SALE")
    assert lines[2].startswith("small/1: closed")
    assert verifier("public_log").check(file, public_key()).endswith("; 2 DATED OUT OF TURN")


def test_one_reference_that_differs_stops_nothing(eve: Eve) -> None:
    with server_clock_off(FIVE_MINUTES):
        watched(["machine"])
        eve.everything_is_sold()
    assert not Incident.objects.exists()


def test_the_operator_and_the_staff_see_it(eve: Eve) -> None:
    terminal = terminal_api(eve.point)
    organiser = staff_api(Role.ORGANISER)
    codes = lambda: {each["code"] for each in organiser.get("alarms").json()["items"]}  # noqa: E731
    assert "clock_unsound" not in codes()
    with server_clock_off(FIVE_MINUTES):
        watched()
        assert terminal.get("promotrot/terminal/games").json()["refusal"] == "clock_unsound"
        assert "clock_unsound" in codes()
        assert "The clock is not to be trusted" in Desk(Role.ADMINISTRATOR).get("/admin/")
        metrics = Desk(Role.ADMINISTRATOR).client.get("/metrics").content.decode()
        assert "\nclock_unsound 1.0" in metrics
        assert 'alarms{code="clock_unsound"} 1.0' in metrics
        assert {each.alarm.code for each in standing()} >= {"clock_unsound"}
        assert staff_api(Role.CASHIER).get("alarms").json() == {"items": []}
    watched()
    assert "clock_unsound" not in codes()
    assert terminal.get("promotrot/terminal/games").json()["refusal"] is None


def test_a_sale_registered_before_is_answered_again(eve: Eve) -> None:
    body = asked(eve.contest)
    first = sell(eve.point, body)
    with server_clock_off(-FIVE_MINUTES):
        again = sell(eve.point, body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["uuid"] == again.json()["uuid"]


def test_no_ticket_is_annulled_while_the_clock_is_wrong(own_database: Database) -> None:
    """Or who has seen the race takes the losing bets back, by a clock that was set back."""
    contest, point = selling_point()
    factories.time_to(contest.scheduled_close_at - timedelta(minutes=2))
    watched()
    sold = sell_at(point, contest, new_uuid())
    assert sold.code is not None
    factories.time_pass(minutes=3)
    body = {"code": sold.code.grouped, "reason": "Wrong race"}
    with server_clock_off(-FIVE_MINUTES):
        annulment = f"lototrot/tickets/{sold.uuid}/annulment"
        refused(terminal_api(point).post(annulment, body), 409, "clock_unsound")
    watched()
    refused(terminal_api(point).post(annulment, body), 409, "contest_closed")
