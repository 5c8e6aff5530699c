"""Fill in the division of the prize money: the reserve is what remains."""

from typing import Any

import pytest

from lototrot.admin.shares_form import Data, SharesForm
from lototrot.engine.bet_type import BetType
from lototrot.services.authority import amendments

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.9.2")]


class _Shares(SharesForm):
    def rules_read(self, data: Data, figures: Data) -> BetType:
        return amendments.rules_of(figures)


def filled(**changes: Any) -> _Shares:
    typed = {"legs": "7", "jackpot_threshold_cents": "1000", "below_0": "60,5", "below_1": "30"}
    return _Shares(typed | changes)


def test_the_reserve_is_what_remains_and_an_empty_second_column_is_as_the_first() -> None:
    form = filled()
    assert form.is_valid(), form.errors
    assert form.rules is not None
    assert form.rules.below == form.rules.above
    assert form.rules.below.reserve == 100 - form.rules.below.categories[7] - 30
    assert form.needless().split() == [f"{s}_{w}" for s in ("below", "above") for w in (7, 8, 9)]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"below_3": "5"}, "below_2"),
        ({"below_1": "39,6"}, "below_1"),
        ({"above_0": "50"}, "above_0"),
        ({"above_1": "50"}, "above_0"),
        ({"legs": "2", "below_2": "1"}, "below_2"),
        ({"below_0": ""}, "below_0"),
        ({"jackpot_threshold_cents": ""}, "jackpot_threshold_cents"),
    ],
)
def test_a_fault_stands_at_its_field(changes: dict[str, str], field: str) -> None:
    form = filled(**changes)
    form.is_valid()
    assert form.rules is None
    assert list(form.errors) == [field]


def test_it_begins_as_a_document() -> None:
    form = _Shares()
    form.begin_with(amendments.rules_in_force().to_document())
    assert form.initial["below_3"] == "30"
    assert form.initial["jackpot_threshold_cents"] == "150000.00"
    assert "below_4" not in form.initial
