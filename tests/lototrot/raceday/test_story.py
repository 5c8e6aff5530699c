"""Play the first meeting in a running system, from its programme to its winning tickets."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from core.config.celery import app
from core.database import due_work
from core.database.due_work import send_due
from core.kernel.days import natural_day
from core.tools.raceday import people
from core.tools.raceday.api import Api
from core.tools.raceday.stage import Amiss, Stage
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket, Void
from lototrot.raceday import meeting, story
from lototrot.raceday.meeting import Day
from lototrot.raceday.selling import Mix
from lototrot.sample import facts
from tests.support.browser.site import serving
from tests.support.databases import Database
from tests.support.lototrot.answering import Answers, staff_of

T = TypeVar("T")
STAFF = ("org1", "org2", "com1", "com2", "aud1")


def done_meanwhile(look: Callable[[], T | None], what: str, *, within_s: float) -> T:
    """Do what is due, as beat and worker do, and look once."""
    send_due()
    answer = look()
    assert answer is not None, what
    return answer


@contextmanager
def tasks_at_once() -> Iterator[None]:
    """Do a task where it is sent, as there is no worker."""
    app.conf.task_always_eager = True
    try:
        yield
    finally:
        app.conf.task_always_eager = False


@pytest.fixture
def stage(
    own_database: Database, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    """Yield the stage of a system with two terminals, whose due tasks are done at each wait."""
    settings.SIMULATED_TIME = True
    monkeypatch.setattr(meeting, "wait_for", done_meanwhile)
    monkeypatch.setattr(due_work, "_sweep_ask", lambda: None)  # there is no broker
    environment = os.environ | own_database.environment
    with serving() as port, tasks_at_once():
        api = Api(f"http://127.0.0.1:{port}")
        stage = Stage(api, environment, people.Staff(api))
        people.administrators_enter(stage.staff, environment)
        people.staff_open(stage.staff, STAFF)
        stage.move_to(story.morning(), "test")
        organisers = stage.staff["org1"], stage.staff["org2"]
        people.premises_open(*organisers, [1], "2027-01-01T00:00Z")
        stage.sellers = people.terminals_enrol(*organisers, 1, "183054")
        yield stage


def test_a_meeting_is_told_to_its_winning_tickets(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mix = Mix(singles=10, multiples=25, quick_picks=2)
    monkeypatch.setattr(story, "FIRST_SALES", mix)
    monkeypatch.setattr(story, "LAST_SALES", mix)
    story.tell(stage)
    contest = Contest.objects.get()
    settlement = contest.settlements.get()
    assert contest.state == Contest.State.ORDERED
    assert contest.closing_cause == "start"
    assert contest.day == natural_day(story.morning())
    kept = stage.kept
    assert settlement.tickets == len(kept["lototrot.tickets"]) == 74
    voids = dict(Void.objects.values_list("ticket__uuid", "reason"))
    assert sorted(voids.values()) == ["breach", "error", "error"]
    assert kept["lototrot.late"]["uuid"] in {str(ident) for ident in voids}
    assert Ticket.objects.count() == 74 + len(voids)
    prizes = sum(winner["prize_cents"] for winner in kept["lototrot.winners"])
    assert prizes == settlement.prizes_cents > 0
    printed = capsys.readouterr().out
    assert " of the public log has its terms" in printed
    assert "75 tickets sealed before any result" in printed
    assert "dead heat" in printed
    assert "{" not in printed


def test_the_day_begins_five_hours_before_its_first_race() -> None:
    first = min(race.started_at for race in facts.load(facts.SON_PARDO).races)
    assert (first - story.morning()).total_seconds() == 5 * 3600


def test_a_bet_on_a_withdrawn_number_differs_from_the_favourites_in_one_race() -> None:
    day = Day(facts.load(facts.SON_PARDO), staff_of(Answers()), contest=7)
    withdrawn = day.facts.withdrawals[0]
    favourites = [[number] for number in story._favourites(day)]
    bet = story._with_number(day, withdrawn)
    changed = [place for place in range(7) if bet["races"][place] != favourites[place]]
    (place,) = changed
    race = day.facts.races[place]
    assert (race.racecourse, race.race) == (withdrawn.racecourse, withdrawn.race)
    assert bet["races"][place] == [withdrawn.number]
    standing = story._favourites(day, day.facts.withdrawals)
    assert not {(w.racecourse, w.race, w.number) for w in day.facts.withdrawals} & {
        (race.racecourse, race.race, number)
        for race, number in zip(day.facts.races, standing, strict=True)
    }


def test_a_late_ticket_that_is_not_found_in_breach_is_amiss() -> None:
    answers = Answers().to("lototrot/contests/7/breaches", [])
    day = Day(facts.load(facts.SON_PARDO), staff_of(answers), contest=7)
    with pytest.raises(Amiss, match="found in breach"):
        story._settle(day, [], {"uuid": "late"})
