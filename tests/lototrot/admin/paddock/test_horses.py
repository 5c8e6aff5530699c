"""Horses by cloth, number and name, as far as the programme names them."""

import pytest

from lototrot.admin.paddock.horses import (
    cloth,
    horse,
    horse_table,
    horses,
    named,
    runners_of,
    runners_of_races,
)
from lototrot.models.programme import Runner
from tests.support import factories


def test_a_number_from_19_on_has_a_ring_on_the_colour() -> None:
    assert cloth(18) == '<b class="cloth" data-cloth="18">18</b>'
    assert cloth(19) == '<b class="cloth again" data-cloth="1">19</b>'


def test_a_name_of_the_programme_is_text_and_no_markup() -> None:
    runners = {7: Runner(number=7, name="<b>Ouragan</b>", driver="R. & Co")}
    text = horse(7, runners)
    assert "&lt;b&gt;Ouragan&lt;/b&gt;" in text
    assert "<small>R. &amp; Co</small>" in text
    assert "&lt;i&gt;" in horse_table(("horse", "ruling"), [(text, "<i>")])


def test_a_number_without_a_runner_is_a_number() -> None:
    assert named(4, {}) == "4"
    assert 'data-cloth="4"' in horse(4, {})
    assert "<small>" not in horse(4, {})


def test_horses_stand_in_the_order_of_their_numbers() -> None:
    text = horses({12, 3}, {})
    assert text.index(">3<") < text.index(">12<")
    assert horses((), {}) == ""


@pytest.mark.django_db
def test_runners_are_those_of_each_race() -> None:
    one, other = factories.meeting().races.order_by("number")[:2]
    runners = runners_of_races([one.pk, other.pk, 0])
    assert runners[one.pk] == runners_of(one.pk)
    assert {row.race_id for row in runners[other.pk].values()} == {other.pk}
    assert list(runners[one.pk]) == sorted(runners[one.pk])
    assert runners[0] == {}
