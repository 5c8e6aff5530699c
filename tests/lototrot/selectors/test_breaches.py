"""Find bets in breach, also when their cause comes late to the record."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from core.database import clock
from core.premises.models import Authorisation, Suspension, Terminal
from core.premises.openings import NewAuthorisation
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.tickets import Void
from lototrot.selectors.breaches import (
    breach_list,
    breach_pending,
    breach_set,
    contests_with_breaches,
)
from lototrot.selectors.contests import ContestUnknown
from lototrot.services.races.stopping import meeting_stop
from tests.support import factories as f
from tests.support import rounds
from tests.support.lototrot.breaching import reasons, sell, started_at
from tests.support.lototrot.starting import declare, start

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6", "14.III.4")]


@pytest.fixture
def point() -> f.Point:
    return f.point()


def _corrected(race: Race, instant: datetime) -> None:
    before = race.starts.order_by("-pk").first()
    race.starts.create(
        actual_start_at=instant,
        source="Video",
        recorded_at=clock.now(),
        recorded_by_id=before.recorded_by_id,
        recorded_in_id=before.recorded_in_id,
        proposal=f.proposal(
            "lototrot.start_correction",
            f"{race.pk}",
            f.start_of(race, instant, "Video", replaces=before.pk),
        ),
        corrects=before,
    )


def test_what_was_sold_at_or_after_the_actual_start_is_in_breach(
    contest: Contest, point: f.Point
) -> None:
    """[E3]: the instant of the start itself is too late; the microsecond before is not."""
    before, at, after = (sell(contest, point) for _ in range(3))
    started_at(contest, at.sold_at)
    assert reasons(contest) == {at.ticket_id: ["after_limit"], after.ticket_id: ["after_limit"]}
    assert breach_pending(contest.pk)
    assert before.ticket_id not in reasons(contest)


def test_the_limit_moves_with_a_corrected_start(contest: Contest, point: f.Point) -> None:
    first, second = sell(contest, point), sell(contest, point)
    race = f.races_of(contest)[0]
    started_at(contest, clock.now())
    assert not breach_pending(contest.pk)
    for instant, count in ((second.sold_at, 1), (first.sold_at, 2), (clock.now(), 0)):
        _corrected(race, instant)
        assert len(breach_list(contest.pk)) == count


def test_a_start_reported_after_the_scheduled_closing_leaves_all_sales_to_be_looked_at(
    contest: Contest, point: f.Point
) -> None:
    """It stops nothing, as sales had ended, but they went on after the start that it states."""
    closes_at = contest.scheduled_close_at
    f.time_to(closes_at - timedelta(minutes=1))
    late = sell(contest, point)
    f.time_to(closes_at + timedelta(minutes=1))
    race = f.races_of(contest)[0]
    start(race, closes_at - timedelta(minutes=5))
    assert [*reasons(contest)] == [late.ticket_id]
    _corrected(race, closes_at - timedelta(minutes=3))
    assert [*reasons(contest)] == [late.ticket_id]
    assert breach_pending(contest.pk)


def test_a_race_declared_not_run_that_started_after_all_leaves_all_sales_to_be_looked_at(
    contest: Contest, point: f.Point
) -> None:
    """[B13, C6]: the contest closed as of an instant that sales outlasted, and so did the start."""
    race, closes_at = f.races_of(contest)[0], contest.scheduled_close_at
    sold = []
    for minutes in (4, 2):
        f.time_to(closes_at - timedelta(minutes=minutes))
        sold.append(sell(contest, point).ticket_id)
    declare(race, declared_at=closes_at - timedelta(minutes=5))
    assert [*reasons(contest)] == sold
    start(race, closes_at - timedelta(minutes=3))
    assert [*reasons(contest)] == sold[1:]


def test_a_stop_that_ended_before_the_sales_of_a_later_contest_is_not_their_end(
    point: f.Point,
) -> None:
    """[C6, E3]: the first contest of the meeting was stopped and closed when this was a draft."""
    meeting = f.meeting(races=6)
    races = list(meeting.races.order_by("number"))
    first = f.contest(kind="five-races", races=races[:5])
    later = f.contest(
        rules=rounds.record(rounds.rules(**rounds.TWO_LEGS)),
        races=races[4:],
        state=Contest.State.DRAFT,
    )
    f.time_to(races[0].scheduled_start_at - timedelta(seconds=30))
    meeting_stop(by=f.staff(Role.STEWARDS), meeting=meeting, source="The horses are called")
    start(races[0], first.scheduled_close_at - timedelta(seconds=40))
    f.contest_opened(later)
    f.time_to(later.scheduled_close_at - timedelta(minutes=1))
    late = sell(later, point, [(1,)] * 2)
    f.time_to(later.scheduled_close_at + timedelta(minutes=1))
    start(races[4], later.scheduled_close_at - timedelta(minutes=5))
    _corrected(races[4], later.scheduled_close_at - timedelta(minutes=3))
    assert [*reasons(later)] == [late.ticket_id]


def test_an_ordered_contest_is_looked_at_again_once_its_start_is_corrected(point: f.Point) -> None:
    """A correction from before the order was judged with the order, and is not a new one."""
    contest = rounds.settled(point)
    race = f.races_of(contest)[0]
    _corrected(race, clock.now())
    rounds.order(contest)
    assert contests_with_breaches() == []
    f.time_pass(days=1)
    _corrected(race, contest.tickets.earliest("pk").sold_at)
    assert contests_with_breaches() == [contest]


def test_a_resolution_looks_at_the_ordered_contests_whose_sales_it_reaches(
    point: f.Point, django_assert_num_queries: Any
) -> None:
    """As of an instant after the sale it breaks no bet, and the older contest is not read."""
    older = rounds.ordered(point)
    f.time_pass(days=7)
    newer = rounds.ordered(point)
    assert older.day < newer.day
    held = point.premises.authorisations.get(game="lototrot")
    f.time_pass(days=30)
    f.ended(held, clock.now() - timedelta(days=1))
    with django_assert_num_queries(1):
        assert contests_with_breaches() == []
    f.ended(held, newer.tickets.earliest("pk").sold_at)
    assert contests_with_breaches() == [newer]
    f.ended(held, older.tickets.earliest("pk").sold_at)
    assert contests_with_breaches() == [older, newer]


def test_a_declaration_that_a_race_is_not_run_is_a_limit_too(
    contest: Contest, point: f.Point
) -> None:
    """[E1]"""
    sell(contest, point)
    f.declared(f.races_of(contest)[5])
    late = sell(contest, point)
    assert reasons(contest) == {late.ticket_id: ["after_limit"]}


def test_the_first_start_counts_whatever_its_place_on_the_ticket(
    contest: Contest, point: f.Point
) -> None:
    """[E2]"""
    races = f.races_of(contest)
    sell(contest, point)
    f.started(races[4])
    late = sell(contest, point)
    f.started(races[0])
    assert list(reasons(contest)) == [late.ticket_id]


def test_without_a_start_on_record_only_places_are_judged(contest: Contest) -> None:
    sell(contest, f.point())
    assert not breach_pending(contest.pk)
    assert breach_set(contest.pk).tickets == 0


def test_an_authorisation_ended_as_of_an_earlier_instant_leaves_bets_in_breach(
    contest: Contest, point: f.Point
) -> None:
    other = f.point()
    for at in (point, other):
        sell(contest, at)
    boundary = clock.now()
    late = [sell(contest, point), sell(contest, point)]
    sell(contest, other)
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(
        valid_until=boundary
    )
    assert reasons(contest) == {sale.ticket_id: ["premises_not_authorised"] for sale in late}
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(
        valid_until=late[0].sold_at
    )
    assert len(breach_list(contest.pk)) == 2  # the instant of its end is out
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(valid_until=None)
    assert not breach_pending(contest.pk)


def test_an_authorisation_for_the_other_game_is_none(contest: Contest, point: f.Point) -> None:
    sale = sell(contest, point)
    Authorisation.objects.filter(premises=point.premises, game="lototrot").update(
        valid_until=sale.sold_at - timedelta(seconds=1)
    )
    assert reasons(contest) == {sale.ticket_id: ["premises_not_authorised"]}


def test_two_periods_that_meet_cover_the_whole_sale(contest: Contest, point: f.Point) -> None:
    sell(contest, point)
    boundary = clock.now()
    authorisation = Authorisation.objects.get(premises=point.premises, game="lototrot")
    Authorisation.objects.filter(pk=authorisation.pk).update(valid_until=boundary)
    f.opened(
        authorisations=[
            NewAuthorisation(point.premises.code, "lototrot", boundary, reference="AUT-2")
        ]
    )
    sell(contest, point)
    assert not breach_pending(contest.pk)


@pytest.mark.parametrize("scope", ["everywhere", "premises", "terminal"])
def test_what_was_sold_during_a_suspension_is_in_breach_after_it_was_lifted_too(
    contest: Contest, point: f.Point, scope: str
) -> None:
    """[E10]: as of a past instant. What was sold before, or after it was lifted, is not."""
    other, by = f.point(), f.staff(Role.ORGANISER)
    sell(contest, point)
    at = sell(contest, point)
    during = [at, sell(contest, point)]
    beside = sell(contest, other)
    since, lifted_at = at.sold_at, sell(contest, point).sold_at
    Suspension.objects.create(
        **({} if scope == "everywhere" else {scope: getattr(point, scope)}),
        reason="Inspection",
        since=since,
        suspended_by_id=by.user_id,
        suspended_in_id=by.session_id,
        lifted_at=lifted_at,
        lifted_by_id=by.user_id,
    )
    f.contest_closed(contest)
    suspended = [*during, beside] if scope == "everywhere" else during
    assert reasons(contest) == {sale.ticket_id: ["sales_suspended"] for sale in suspended}


def test_a_terminal_revoked_by_then_is_in_breach(contest: Contest, point: f.Point) -> None:
    sell(contest, point)
    late = sell(contest, point)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=late.sold_at)
    assert reasons(contest) == {late.ticket_id: ["terminal_revoked"]}


def test_every_reason_is_given_and_other_contests_are_left_alone(
    contest: Contest, point: f.Point
) -> None:
    other = f.contest(f.meeting(day=contest.day + timedelta(days=1)))
    sale = sell(contest, point)
    started_at(contest, sale.sold_at)
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=sale.sold_at)
    Authorisation.objects.filter(premises=point.premises).update(valid_until=sale.sold_at)
    (breach,) = breach_list(contest.pk)
    assert breach.reasons == ["after_limit", "premises_not_authorised", "terminal_revoked"]
    assert (breach.uuid, breach.premises) == (sale.uuid, point.premises.code)
    assert (breach.terminal, breach.amount_cents) == (point.terminal.code, 100)
    assert not breach_pending(other.pk)
    with pytest.raises(ContestUnknown):
        breach_pending(0)


def test_the_list_is_read_page_by_page(contest: Contest, point: f.Point) -> None:
    start = clock.now()
    sold = [sell(contest, point).ticket_id for _ in range(5)]
    started_at(contest, start)
    first = breach_list(contest.pk, limit=2)
    rest = breach_list(contest.pk, after=first[-1].ticket_id, limit=10)
    assert [breach.ticket_id for breach in first + rest] == sold


def test_a_ticket_voided_as_an_error_is_not_in_breach_any_more(
    contest: Contest, point: f.Point
) -> None:
    sale = sell(contest, point)
    Void.objects.create(
        ticket_id=sale.ticket_id,
        reason="error",
        note="Wrong race",
        voided_at=clock.now(),
        operator=point.operator,
    )
    started_at(contest, sale.sold_at)
    assert not breach_pending(contest.pk)
