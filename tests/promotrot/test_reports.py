"""Report Promotrot's sales, awards and organiser's share."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.ledger.organiser import Part
from core.reports.tables import Period
from promotrot import reports
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd
from tests.support import emitting, factories
from tests.support.promotrot import owing

pytestmark = pytest.mark.django_db


def today() -> Period:
    day = natural_day(clock.now())
    return Period(day, day)


@pytest.mark.article("15.III.6.2")
def test_sales_awards_and_share_are_those_of_the_emission() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 40)
    (sold,) = reports.sold(today())
    assert (sold.game, sold.tickets, sold.sold_cents) == ("promotrot", 40, 4_000)
    assert (sold.annulled_cents, sold.voided_cents) == (0, 0)
    won = list(reports.won(today()))
    assert [(row[2], row[3], row[4], row[6]) for row in won] == [
        ("small/1", "1", 2, 800),
        ("small/1", "2", 20, 2_000),
    ]
    assert sum(row[6] for row in won) == sum(
        PlayEnd.objects.values_list("awarded_cents", flat=True)
    )
    assert list(reports.share(today())) == []
    emitting.closed(emission)
    ((_, game, reference, takings, to_prizes, kept, *parts),) = reports.share(today())
    assert (game, reference, takings, to_prizes) == ("promotrot", "small/1", 4_000, 2_800)
    assert kept == sum(parts) == 1_200
    assert len(parts) == len(Part)


@pytest.mark.article("15.III.6.2")
def test_extra_prizes_have_a_row_of_their_own() -> None:
    """[P2]: those of pre-drawn tickets, and those that a play wins beside a prize of its own."""
    second = emitting.opened(owing.owing(560), extra_tier=1)
    emitting.sold_and_played(second, 40)
    assert _won(second) == {"1": (2, 800), "2": (20, 2_000), "+3": (1, 400)}
    point, ladder = factories.point(), emitting.document("trotters-ladder", tickets=20)
    first = emitting.opened(ladder)
    emitting.sold(first, 20, point)
    second = emitting.opened(emitting.closed(first).game, extra_tier=5)
    emitting.finished(point, emitting.sold(second, 20, point))
    won = _won(second)
    assert won.pop("+7") == (7, 700)
    values = dict(second.tiers.values_list("number", "value_cents"))
    assert all(cents == prizes * values[int(tier)] for tier, (prizes, cents) in won.items())


def _won(emission: Emission) -> dict[str, tuple[int, int]]:
    """Return the prizes and cents of the report, by tier."""
    rows = [row for row in reports.won(today()) if row[2] == emission.reference]
    return {row[3]: (row[4], row[6]) for row in rows}


def test_another_day_has_nothing() -> None:
    emitting.sold_and_played(emitting.opened(emitting.small()), 2)
    before = today().first - timedelta(days=1)
    period = Period(before, before)
    assert list(reports.sold(period)) == list(reports.won(period)) == []
    factories.time_pass(days=1)
    assert list(reports.sold(today())) == []
