"""After a contest closes nothing is recorded: not even a sale in flight (14.III.4)."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from core.database import clock
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.stops import SalesStop
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.races import contest_limit
from lototrot.services.contest import closing
from lototrot.services.contest.closing import contest_close_early
from lototrot.services.races import course, declarations, stopping
from lototrot.services.races.declarations import meeting_declare, race_declare
from lototrot.services.races.starts import start_report
from lototrot.services.races.stopping import race_stop
from lototrot.services.settlement import start_correction
from tests.support import factories as f
from tests.support.concurrency.sales import (
    PATIENCE_S,
    elsewhere,
    recorded_at_return_and_in_the_end,
    sold_before_commit,
    stopped_sale,
)
from tests.support.databases import Database
from tests.support.lototrot.starting import start

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.article("14.III.4")]

Act = Callable[[], object]


def by_stop(contest: Contest) -> Act:
    by, race = f.staff(Role.STEWARDS), f.races_of(contest)[2]
    return lambda: race_stop(by=by, race_id=race.pk, source="Starter")


def by_start(contest: Contest) -> Act:
    by, race = f.staff(Role.STEWARDS), f.races_of(contest)[2]
    return lambda: start_report(by=by, race_id=race.pk, source="Starter")


def by_declaration(contest: Contest) -> Act:
    by, race = f.staff(Role.ORGANISER), f.races_of(contest)[2]
    return lambda: race_declare(by=by, race_id=race.pk, kind="not_run", **DECIDED)


def by_calling_off(contest: Contest) -> Act:
    by = f.staff(Role.ORGANISER)
    return lambda: meeting_declare(by=by, meeting=contest.meeting, **DECIDED)


def by_organiser(contest: Contest) -> Act:
    by = f.staff(Role.ORGANISER)
    return lambda: contest_close_early(by=by, contest_id=contest.pk)


STOPPING = [by_stop, by_start, by_declaration, by_calling_off]
WAYS = [*STOPPING, by_organiser]
DECIDED = {"reason": "Storm", "text": "Resolució", "author": "authority"}


def refusal(way: object) -> str:
    """Return the code with which a sale is refused afterwards."""
    return "sales_stopped" if way in STOPPING else "contest_closed"


@pytest.fixture
def unlocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The services without their locks: what these tests must be able to see."""
    for module in (course, closing, stopping, declarations):
        monkeypatch.setattr(module, "hold", lambda *wanted, **options: None)


@pytest.mark.parametrize("way", WAYS)
def test_closing_waits_for_the_sale_in_flight(
    own_database: Database, way: Callable[[Contest], Act]
) -> None:
    contest, point = f.contest(), f.point()
    assert recorded_at_return_and_in_the_end(own_database, contest, point, way(contest)) == (1, 1)
    assert f.sell(contest, point).outcome == refusal(way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("unlocked")
def test_without_the_lock_that_sale_is_recorded_after_it(
    own_database: Database, way: Callable[[Contest], Act]
) -> None:
    contest, point = f.contest(), f.point()
    assert recorded_at_return_and_in_the_end(own_database, contest, point, way(contest)) == (0, 1)


@pytest.mark.parametrize("way", WAYS)
def test_a_sale_that_comes_meanwhile_waits_and_is_refused(way: Callable[[Contest], Act]) -> None:
    contest, point = f.contest(), f.point()
    assert sold_before_commit(contest, point, way(contest)) == refusal(way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("unlocked")
def test_without_the_lock_that_sale_is_made(way: Callable[[Contest], Act]) -> None:
    contest, point = f.contest(), f.point()
    assert sold_before_commit(contest, point, way(contest)) == "sold"


def test_the_sale_in_flight_is_found_if_the_start_was_before_it(own_database: Database) -> None:
    """[E3]: it is recorded, as it was under way when the start was reported, and in breach."""
    contest, point = f.contest(), f.point()
    (by, second), race = f.two_stewards(), f.races_of(contest)[0]
    began = clock.now()

    def report() -> object:
        return start(race, began, by=by, second=second)

    assert recorded_at_return_and_in_the_end(own_database, contest, point, report) == (1, 1)
    assert breach_pending(contest.pk)


def test_reports_at_once_leave_one_start_to_confirm(own_database: Database) -> None:
    contest, point = f.contest(), f.point()
    with stopped_sale(own_database, lambda: f.sell(contest, point)) as sale:
        reports = [elsewhere(by_start(contest)) for _ in range(3)]
        sale.commit()
        errors = [report.exception(PATIENCE_S) for report in reports]
    assert [type(error) for error in errors if error] == [two_persons.ProposalPending] * 2
    assert SalesStop.objects.count() == 1


def test_starts_of_two_races_at_once_close_it_once(own_database: Database) -> None:
    contest, point = f.contest(), f.point()
    races = f.races_of(contest)
    (by, second), began = f.two_stewards(), clock.now()
    with stopped_sale(own_database, lambda: f.sell(contest, point)) as sale:
        acts = [
            elsewhere(lambda race=race: start(race, began, by=by, second=second))
            for race in races[:3]
        ]
        sale.commit()
        for act in acts:
            act.result(PATIENCE_S)
    contest.refresh_from_db()
    assert contest.state == "closed"
    assert contest_limit(contest.pk) == began


def test_two_confirm_at_once_and_it_is_done_once(own_database: Database) -> None:
    """The second person clicks twice, and a third one clicks, too: one correction."""
    contest, point = f.contest(), f.point()
    race = f.races_of(contest)[0]
    f.started(race)
    proposal = start_correction.start_correct(
        by=f.staff(Role.STEWARDS),
        race_id=race.pk,
        source="Video",
        actual_start_at=race.starts.get().actual_start_at - timedelta(seconds=1),
    )
    seconds = [f.staff(Role.STEWARDS) for _ in range(2)]
    with stopped_sale(own_database, lambda: f.sell(contest, point)) as sale:
        acts = [
            elsewhere(lambda by=by: two_persons.confirm(proposal=proposal.uuid, by=by))
            for by in (seconds[0], seconds[0], seconds[1])
        ]
        sale.commit()
        errors = [act.exception(PATIENCE_S) for act in acts]
    assert [type(error) for error in errors if error] == [two_persons.ProposalDecided]
    assert race.starts.count() == 2
