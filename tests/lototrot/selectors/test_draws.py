"""Read the public draws of races, at each stage."""

import pytest

from core.draws.models import Draw
from lototrot.selectors.draws import TOLD_FOR, draws_told, race_draws, race_of, subject_of
from tests.support import factories
from tests.support.lototrot.starting import declare

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.2")]


def test_a_subject_names_a_race_and_back() -> None:
    assert race_of(subject_of(17)) == 17


def test_a_draw_is_announced_first_and_gives_a_winner_when_it_is_certified() -> None:
    contest = factories.contest(kind="five-races")
    race, other = factories.races_of(contest)[:2]
    declare(race)
    draw = race_draws([race.pk, other.pk])
    assert draw.keys() == {race.pk}
    assert (draw[race.pk].begun, draw[race.pk].order, draw[race.pk].certified) == (False, (), None)
    factories.drawn(race, 3)
    certified = race_draws([race.pk])[race.pk].certified
    assert certified is not None and certified.number == 3


def test_players_are_told_of_recent_draws_only() -> None:
    contest = factories.contest(kind="five-races")
    race = factories.races_of(contest)[0]
    declare(race)
    assert [draw.state for draw in draws_told()] == [Draw.State.ANNOUNCED]
    factories.time_pass(days=TOLD_FOR.days + 1)
    assert list(draws_told()) == []
