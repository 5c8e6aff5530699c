"""Show a terminal what it may sell or must finish, and what it sold on a day."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from promotrot.models.emission import Emission
from promotrot.models.game import DisplayAcknowledgement
from promotrot.models.play import PlayEnd
from promotrot.selectors.counter import emissions_at, terminal_day
from tests.support import emitting, factories
from tests.support.factories import Point

pytestmark = pytest.mark.django_db


def at(place: Point) -> list[Emission]:
    return list(emissions_at(place.terminal.pk, place.operator.pk))


def test_emissions_on_sale_are_shown_the_cheapest_first(place: Point) -> None:
    tiers = [tier | {"cash_cents": 2 * tier["cash_cents"]} for tier in emitting.SMALL_TIERS]
    dear = emitting.opened(emitting.small("dear", price_cents=200, tiers=tiers))
    cheap = emitting.opened(emitting.small("cheap"))
    emitting.planned(emitting.approved(emitting.small("planned")))
    listed = at(place)
    assert [emission.pk for emission in listed] == [cheap.pk, dear.pk]
    assert all(emission.on_sale for emission in listed)


def test_an_emission_that_is_sold_out_stays_only_where_a_play_is_to_be_finished(
    place: Point,
) -> None:
    elsewhere = factories.point()
    emission = emitting.opened(emitting.small())
    tickets = emitting.sold(emission, 40, place)
    assert at(elsewhere) == []
    (left,) = at(place)
    assert (left.pk, left.on_sale) == (emission.pk, False)
    emitting.finished(place, tickets)
    assert at(place) == []


@pytest.mark.article("15.III.5.2")
def test_a_game_is_acknowledged_by_one_operator_at_one_terminal(place: Point) -> None:
    """[P20]"""
    emission = emitting.opened(emitting.small())
    DisplayAcknowledgement.objects.get_or_create(
        approval=emission.approval,
        terminal=place.terminal,
        operator=place.operator,
        defaults={"acknowledged_at": clock.now()},
    )
    other = factories.point(displays=False)
    (here,), (there,) = at(place), at(other)
    assert here.acknowledged
    assert not there.acknowledged
    (with_another_operator,) = emissions_at(place.terminal.pk, other.operator.pk)
    assert not with_another_operator.acknowledged


def test_a_day_counts_what_this_terminal_sold_and_what_was_awarded(place: Point) -> None:
    emission = emitting.opened(emitting.small())
    tickets = emitting.sold(emission, 12, place)
    emitting.sold(emission, 3)
    emitting.finished(place, tickets[:10])
    totals = terminal_day(terminal_id=place.terminal.pk, day=None)
    assert totals.day == natural_day(clock.now())
    assert (totals.plays, totals.amount_cents, totals.ended) == (12, 1_200, 10)
    assert totals.awarded_cents == sum(PlayEnd.objects.values_list("awarded_cents", flat=True))


def test_another_day_has_nothing(place: Point) -> None:
    emitting.sold(emitting.opened(emitting.small()), 1, place)
    before = natural_day(clock.now()) - timedelta(days=1)
    totals = terminal_day(terminal_id=place.terminal.pk, day=before)
    assert (totals.plays, totals.amount_cents, totals.ended, totals.awarded_cents) == (0, 0, 0, 0)
