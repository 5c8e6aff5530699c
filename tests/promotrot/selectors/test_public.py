"""Publish figures of the complete emission only, and late enough to hide the last prizes."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from promotrot.models.emission import Emission, PublicFigures
from promotrot.selectors.public import delay_tickets, figures_due, public_figures
from promotrot.services.figures import figures_take
from tests.support import emitting

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.III.5.2")
def test_figures_are_late_and_of_the_whole_emission(emission: Emission) -> None:
    assert delay_tickets(emission) == 20
    for _ in range(10):
        emitting.sold_and_played(emission, 3)
        assert figures_due() == [emission.pk]
        figures_take(emission=emission)
        assert figures_due() == []
    figures = public_figures(emission)  # 30 are sold: the figures are those of 9
    assert figures.tickets_remaining == 31
    assert figures.as_of is not None
    kept = PublicFigures.objects.get(sold=9)
    assert [tier.awarded for tier in figures.tiers] == [
        kept.awarded.get(str(tier.tier), 0) for tier in figures.tiers
    ]
    emitting.sold_and_played(emission, 10)  # all: it is sold out, and still told late
    assert public_figures(emission).tickets_remaining == 22
    emission = emitting.closed(emission)
    figures = public_figures(emission)
    assert figures.tickets_remaining == 0
    assert [(tier.count, tier.remaining) for tier in figures.tiers] == [(2, 0), (20, 0)]
    assert figures.top_prize_left is False


def test_the_plays_of_a_closed_emission_are_not_counted_at_every_request(
    emission: Emission,
) -> None:
    """Strangers ask for its page, and a great emission has millions of them."""
    emitting.sold_and_played(emission, 25)
    emission = emitting.closed(emission)
    first = public_figures(emission)
    with CaptureQueriesContext(connection) as asked:
        again = public_figures(emission)
    assert again == first
    assert "promotrot_playend" not in str(asked.captured_queries)


def test_before_enough_is_sold_the_figures_are_those_of_the_opening(emission: Emission) -> None:
    emitting.sold_and_played(emission, 5)
    figures_take(emission=emission)
    figures = public_figures(emission)
    assert (figures.as_of, figures.tickets_remaining) == (emission.opening.opened_at, 40)
    assert [tier.remaining for tier in figures.tiers] == [2, 20]
    assert figures.top_prize_left is True


def test_a_block_of_several_is_the_delay_and_a_play_decides_without_a_table() -> None:
    emission = emitting.opened(emitting.document("trotters-ladder"))
    assert delay_tickets(emission) == 10_000
    figures = public_figures(emission)
    assert {tier.remaining for tier in figures.tiers} == {None}
    assert figures.top_prize_left is None


def test_figures_once_taken_stay(emission: Emission) -> None:
    emitting.sold_and_played(emission, 5)
    figures_take(emission=emission)
    with pytest.raises(DatabaseError), transaction.atomic():
        PublicFigures.objects.update(sold=0)
