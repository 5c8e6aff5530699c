"""Sum the takings of contests, of voided tickets and after the settlement, too."""

from datetime import timedelta

import pytest

from lototrot.models.tickets import Void
from lototrot.selectors.totals import Totals, contest_totals, voids_of
from tests.support import factories, rounds


@pytest.mark.django_db
def test_voided_tickets_do_not_count_and_a_settlement_has_the_last_word() -> None:
    contest = rounds.published()
    at = factories.point()
    assert contest_totals(contest) == Totals(0, 0, 0)
    voided, _ = rounds.sell(contest, at, [(1,) * 7, (3,) * 7])
    Void.objects.create(
        ticket=voided, reason="error", note="", voided_at=voided.sold_at, operator=at.operator
    )
    assert contest_totals(contest) == Totals(1, 128, 12_800)
    rounds.bare_settlement(factories.contest_closed(contest))
    assert contest_totals(contest) == Totals(0, 0, 0)


@pytest.mark.django_db
def test_voids_are_those_of_the_contest_and_not_of_one_sold_at_the_same_time() -> None:
    at = factories.point()
    one = rounds.published()
    other = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    unsold = factories.contest(factories.meeting(day=one.day + timedelta(days=1)))
    rounds.sell(one, at, [(1,) * 7])
    rounds.sell(other, at, [(1, 1)])
    rounds.sell(one, at, [(1,) * 7, (2,) * 7])
    first, _, last = one.tickets.order_by("pk")
    between = other.tickets.get()
    assert first.pk < between.pk < last.pk
    for ticket in (first, between, last):
        Void.objects.create(
            ticket=ticket,
            reason="error",
            note="",
            voided_at=last.sold_at,
            operator=at.operator,
        )
    assert [voids_of(each) for each in (one, other, unsold)] == [2, 1, 0]
