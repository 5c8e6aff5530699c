"""Read race cards: runners with the numbers their bets count on, and the legs of a contest."""

import pytest

from lototrot.models.contest import Contest
from lototrot.selectors.cards import contest_legs, meeting_cards, race_cards
from tests.support import factories

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.2")]


def test_a_card_says_who_is_withdrawn_and_on_whom_the_bets_count() -> None:
    contest = factories.contest()
    race = factories.races_of(contest)[0]
    factories.withdrawal(race, 4, confirmed=False)
    legs = contest_legs(Contest.objects.select_related("meeting").get(pk=contest.pk))
    assert [leg.position for leg in legs] == [1, 2, 3, 4, 5, 6, 7]
    assert 4 not in legs[0].offered and 4 in legs[1].offered
    runner = legs[0].card.runners[3]
    assert (runner.runner.number, runner.withdrawn, runner.unconfirmed) == (4, True, True)
    assert runner.trace == (4, 5)
    assert legs[0].card.winners == ()


def test_the_races_of_a_meeting_come_by_scheduled_start() -> None:
    meeting = factories.meeting(races=3)
    factories.classified(meeting.races.order_by("number")[0], [7])
    cards = meeting_cards(meeting)
    assert [card.race.number for card in cards] == [1, 2, 3]
    assert [card.winners for card in cards] == [(7,), (), ()]


def test_the_conditions_come_from_the_document_of_the_programme() -> None:
    race = factories.meeting(races=1).races.select_related("racecourse").get()
    entry = {"racecourse": race.racecourse.code, "number": race.number, "conditions": "3 years"}
    (card,) = race_cards([race], {"races": [entry]})
    assert card.conditions == "3 years"
    assert race_cards([race], {})[0].conditions == ""
