"""20 June is called off on 10 June while 15 June is a draft: it settles in its place [A4, A20].

Not before 15 June is ordered, discarded, or past the day on which it could open.
"""

import copy
from collections.abc import Callable
from datetime import date

import pytest
from django.db import IntegrityError, transaction

from lototrot.models.contest import Contest
from lototrot.services.settlement.settling import settlements_due
from tests.support import factories, rounds
from tests.support.api import refused
from tests.support.lototrot.meeting_by_api import Staff, at, ok, settled

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.9.5", "14.III.5.4.2")]
JUNE_10, JUNE_15, JUNE_20 = date(2030, 6, 10), date(2030, 6, 15), date(2030, 6, 20)


@pytest.fixture(scope="module")
def ground(shared: None) -> tuple[Staff, Contest]:
    """People, and 20 June with a ticket, declared not run on 10 June, its races drawn."""
    factories.time_to(at(JUNE_10, 10))
    return Staff(), called_off()


@pytest.fixture
def staff(ground: tuple[Staff, Contest]) -> Staff:
    return ground[0]


@pytest.fixture
def contest(ground: tuple[Staff, Contest]) -> Contest:
    return copy.deepcopy(ground[1])


def of_day(day: date, state: str) -> Contest:
    meeting = factories.meeting(first_start_at=at(day, 17))
    return factories.contest(meeting, state=state)


def called_off() -> Contest:
    contest = of_day(JUNE_20, Contest.State.OPEN)
    factories.sell(contest, factories.point(), [(1,)] * 7)
    factories.contest_closed(contest, cause=Contest.Cause.NOT_RUN)
    for race in factories.races_of(contest):
        factories.declared(race)
        factories.drawn(race, 1)
    return contest


def discarded(staff: Staff, draft: Contest) -> None:
    path = f"lototrot/contests/{draft.pk}/discard"
    ok(staff.confirmed(staff.organiser.post(path, {"reason": "Cancelled"})))


def past(staff: Staff, draft: Contest) -> None:
    factories.time_to(at(JUNE_15, 24))


def ordered(staff: Staff, draft: Contest) -> None:
    """Sell, run, settle and order 15 June on its day."""
    factories.contest_opened(draft, at=at(JUNE_10, 11))
    draft.refresh_from_db()
    factories.sell(draft, factories.point(), [(2,)] * 7)
    factories.time_to(at(JUNE_15, 22))
    factories.contest_closed(draft)
    for race in factories.races_of(draft):
        factories.started(race, at=race.scheduled_start_at)
        factories.classified(race, [1])
    settled(staff, {"id": draft.pk})
    path = f"lototrot/contests/{draft.pk}/payment-order"
    ok(staff.confirmed(staff.organiser.post(path)))


@pytest.mark.parametrize(
    ("become", "prizes_cents"),
    # Of the 60 cents of 15 June nothing is won: 18 accumulate, and 42 go to the reserve.
    [(discarded, 18), (past, 18), (ordered, 18 + 18 + 42)],
)
def test_it_waits_for_the_earlier_meeting(
    staff: Staff,
    contest: Contest,
    become: Callable[[Staff, Contest], None],
    prizes_cents: int,
) -> None:
    draft = of_day(JUNE_15, Contest.State.DRAFT)
    path = f"lototrot/contests/{contest.pk}/settlement"
    problem = refused(staff.organiser.post(path), 409, "previous_contest_open")
    assert problem["data"] == {"contest": draft.pk, "day": "2030-06-15", "state": "draft"}
    assert settlements_due() == []
    with pytest.raises(IntegrityError, match="earlier meeting"), transaction.atomic():
        rounds.bare_settlement(contest)
    become(staff, draft)
    assert settlements_due() == [contest.pk]
    settlement = settled(staff, {"id": contest.pk})
    assert (settlement["winning_tickets"], settlement["prizes_cents"]) == (1, prizes_cents)
    rounds.books_agree()


def test_on_the_day_itself_the_draft_still_holds_the_chain(staff: Staff, contest: Contest) -> None:
    """Its closing may have passed, but not its day: it may be given another closing [E9]."""
    draft = of_day(JUNE_15, Contest.State.DRAFT)
    factories.time_to(at(JUNE_15, 23, 59))
    path = f"lototrot/contests/{contest.pk}/settlement"
    refused(staff.organiser.post(path), 409, "previous_contest_open")
    assert draft.day == JUNE_15


def test_a_draft_that_may_still_open_after_midnight_holds_the_chain(
    staff: Staff, contest: Contest
) -> None:
    """Far to the west, the first race of 15 June starts at 01:00 of Madrid [E2, B15]."""
    meeting = factories.meeting(day=JUNE_15, first_start_at=at(JUNE_15, 25))
    draft = factories.contest(meeting, state=Contest.State.DRAFT)
    path = f"lototrot/contests/{contest.pk}/settlement"
    factories.time_to(at(JUNE_15, 24, 59))
    problem = refused(staff.organiser.post(path), 409, "previous_contest_open")
    assert problem["data"] == {"contest": draft.pk, "day": "2030-06-15", "state": "draft"}
    with pytest.raises(IntegrityError, match="earlier meeting"), transaction.atomic():
        rounds.bare_settlement(contest)
    factories.time_to(at(JUNE_15, 25))
    settled(staff, {"id": contest.pk})


def test_the_other_chain_does_not_wait(contest: Contest) -> None:
    factories.contest(
        factories.meeting(races=5, first_start_at=at(JUNE_15, 17)),
        kind="five-races",
        state=Contest.State.DRAFT,
    )
    assert settlements_due() == [contest.pk]
