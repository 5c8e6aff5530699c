"""Trace each mark of a ticket to the horse on which it counts."""

import pytest

from core.database import clock
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.tickets import Ticket
from lototrot.selectors.races import race_record
from lototrot.selectors.traces import ticket_trace
from tests.support import factories as f

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.1")]


@pytest.fixture
def contest() -> Contest:
    return f.contest()


@pytest.fixture
def ticket(contest: Contest) -> Ticket:
    """4, 9 and 10 in the first race, 1 in the others."""
    sale = f.sell(contest, f.point(), [(10, 4, 9), *[(1,)] * 6])
    return Ticket.objects.get(pk=sale.ticket_id)


def first_leg(ticket: Ticket) -> dict[int, tuple[int, ...]]:
    return {mark.number: mark.trace for mark in ticket_trace(ticket)[0].marks}


def test_every_race_and_mark_of_the_ticket_is_there(ticket: Ticket, contest: Contest) -> None:
    traced = ticket_trace(ticket)
    assert [leg.position for leg in traced] == [1, 2, 3, 4, 5, 6, 7]
    assert [leg.race_id for leg in traced] == [race.pk for race in f.races_of(contest)]
    assert first_leg(ticket) == {4: (4,), 9: (9,), 10: (10,)}
    assert [[mark.number for mark in leg.marks] for leg in traced[1:]] == [[1]] * 6


def test_four_to_five_to_six(ticket: Ticket, race: Race) -> None:
    """[B1, B2]: up to the next, around the end of the list to number one."""
    f.withdrawal(race, 4)
    f.withdrawal(race, 5, confirmed=False)
    f.withdrawal(race, 10)
    f.withdrawal(race, 1)
    assert first_leg(ticket) == {4: (4, 5, 6), 9: (9,), 10: (10, 1, 2)}


def test_gaps_in_the_numbers_are_skipped() -> None:
    contest = f.contest(f.meeting(numbers=(2, 4, 7)))
    sale = f.sell(contest, f.point(), [(4, 7), *[(2,)] * 6])
    race = f.races_of(contest)[0]
    f.withdrawal(race, 4)
    ticket = Ticket.objects.get(pk=sale.ticket_id)
    assert first_leg(ticket) == {4: (4, 7), 7: (7,)}
    f.withdrawal(race, 7)
    assert first_leg(ticket) == {4: (4, 7, 2), 7: (7, 2)}


def test_a_horse_left_at_the_start_receives_no_bet_and_keeps_its_own(
    ticket: Ticket, race: Race
) -> None:
    """[B4, B5]: nor does disqualification move a bet; and a disqualified horse receives them."""
    f.withdrawal(race, 4)
    f.time_pass(seconds=1)
    f.classified(race, [8], left={5: "Refused", 9: "Refused"}, disqualified=[6, 10])
    assert first_leg(ticket) == {4: (4, 5, 6), 9: (9,), 10: (10,)}


@pytest.mark.article("14.III.5.4.2")
def test_when_all_are_withdrawn_no_bet_moves(ticket: Ticket, race: Race) -> None:
    """[B7]: before its declaration, and after it."""
    for number in range(1, 11):
        f.withdrawal(race, number)
    assert first_leg(ticket) == {4: (4,), 9: (9,), 10: (10,)}
    f.declared(race)
    assert first_leg(ticket) == {4: (4,), 9: (9,), 10: (10,)}


@pytest.mark.article("14.III.5.4.2")
def test_in_a_race_not_run_a_bet_moves_to_one_of_the_draw(ticket: Ticket, race: Race) -> None:
    """[B7]: those withdrawn by the declaration are not drawn; a later one still is."""
    f.withdrawal(race, 4)
    f.time_pass(seconds=1)
    f.declared(race)
    f.time_pass(seconds=1)
    f.withdrawal(race, 9)
    assert first_leg(ticket) == {4: (4, 5), 9: (9,), 10: (10,)}


@pytest.mark.article("14.III.5.4.3")
def test_in_a_suspended_race_a_bet_moves_to_one_that_started(ticket: Ticket, race: Race) -> None:
    """[B8]"""
    f.withdrawal(race, 4)
    f.time_pass(seconds=1)
    f.started(race)
    f.time_pass(seconds=1)
    declaration = f.declared(race, "suspended")
    assert first_leg(ticket)[4] == (4, 5)
    assert race_record(race.pk).declaration == declaration


def test_a_withdrawal_not_before_the_start_moves_nothing(ticket: Ticket, race: Race) -> None:
    began = clock.now()
    f.time_pass(seconds=1)
    f.withdrawal(race, 4)
    f.started(race, at=began)
    assert first_leg(ticket)[4] == (4,)


def test_one_ticket_costs_a_fixed_number_of_queries(
    ticket: Ticket, contest: Contest, django_assert_num_queries
) -> None:
    for race in f.races_of(contest):
        f.withdrawal(race, 1)
    with django_assert_num_queries(6):
        assert len(ticket_trace(ticket)) == 7
