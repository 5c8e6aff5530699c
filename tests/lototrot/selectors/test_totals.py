"""Sum the takings of contests, of voided tickets and after the settlement, too."""

import pytest

from lototrot.models.tickets import Void
from lototrot.selectors.totals import Totals, contest_totals
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
