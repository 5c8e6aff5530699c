"""Check verify/races.py against the engine on every small race, and its days of the order."""

from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lototrot.engine import races as engine
from tests.support.verifying.forging import Refused
from tests.support.verifying.load import verifier

races = verifier("races")

numbers = st.sets(st.integers(1, 8))


@given(
    programme=st.sets(st.integers(1, 8), min_size=1),
    withdrawn=numbers,
    left=numbers,
    outcome=st.sampled_from(engine.Outcome),
    data=st.data(),
)
def test_the_numbers_that_are_right_are_the_engines(
    programme: set[int], withdrawn: set[int], left: set[int], outcome: Any, data: Any
) -> None:
    withdrawn, left = withdrawn & programme, (left & programme) - withdrawn
    assume(programme - withdrawn - left or outcome is engine.Outcome.NOT_RUN)
    document = {
        "programme": sorted(programme),
        "withdrawn": sorted(withdrawn),
        "left": sorted(left),
        "outcome": str(outcome),
    }
    field = races.starters(document, document["outcome"])
    most = 2 if outcome is engine.Outcome.RUN else 1  # a dead heat, or the first of a draw
    winners = st.sets(st.sampled_from(field), min_size=1, max_size=most)
    document["winners"] = sorted(data.draw(winners))
    race = engine.Race(
        programme=tuple(sorted(programme)),
        withdrawn=frozenset(withdrawn),
        left=frozenset(left),
        disqualified=frozenset(),
        winners=frozenset(document["winners"]),
        outcome=outcome,
    )
    for number in document["programme"]:
        assert races.deemed(number, document) == engine.substitute(number, race)[-1]
    assert races.right_numbers(document) == [*engine.numbers_of(engine.right_mask(race))]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [*product(("programme",), ([2, 1], [1, 1])), *product(("withdrawn", "left"), ([2, 1], [1, 3]))],
)
def test_numbers_that_are_none_of_the_programme_are_refused(name: str, numbers: list[int]) -> None:
    race = {"programme": [1, 2], "withdrawn": [], "left": []}
    races.check_numbers(race, "races[0]")
    with pytest.raises(Refused, match=rf"races\[0\]\.{name}"):
        races.check_numbers(race | {name: numbers}, "races[0]")


class Log(verifier("public_log").Log):
    """A log with one payment order, published when it was ordered or later, or none."""

    def __init__(self, order: dict[str, Any] | None, published_at: str = "") -> None:
        self.order, self.at = order, published_at

    def published_at(self, kind: str, subject: str) -> str:
        assert self.order is not None
        return self.at or str(self.order["ordered_at"])

    def has(self, kind: str, subject: str) -> bool:
        return self.order is not None

    def document(self, kind: str, subject: str) -> dict[str, Any]:
        assert self.order is not None
        return self.order

    def digest(self, kind: str, subject: str) -> str:
        return "ab"


CERTIFICATE = {
    "settlement": "s",
    "contest": 1,
    "day": "2027-04-10",
    "races": [{"official_at": "2027-04-10T13:00:00Z"}, {"official_at": "2027-04-10T23:00:00Z"}],
}
ORDER = {
    "settlement": "s",
    "contest": 1,
    "certificate": "ab",
    "ordered_at": "2027-04-12T10:00:00Z",
    "ordered_on": "2027-04-12",
    "results_day": "2027-04-11",
    "claim_days": 30,
    "first_pay_day": "2027-04-12",
    "last_claim_day": "2027-05-11",
}


def test_the_days_of_the_order_count_from_the_results() -> None:
    assert races.check_order(Log(None), CERTIFICATE) == ""
    assert races.check_order(Log(ORDER), CERTIFICATE) == "; payable until 2027-05-11"
    later = {"ordered_at": "2027-04-14T10:00:00Z", "ordered_on": "2027-04-14"}
    late = ORDER | later | {"last_claim_day": "2027-05-13"}
    assert races.check_order(Log(late), CERTIFICATE).endswith("2027-05-13")


def test_a_result_of_the_night_is_of_the_meetings_day_until_noon() -> None:
    """B15: not one of another day, nor that of an afternoon."""
    order = ORDER | {"results_day": "2027-04-10", "first_pay_day": "2027-04-11"}
    night = [{"official_at": "2027-04-11T03:00:00.000000Z"}]
    assert races.check_order(Log(order), CERTIFICATE | {"races": night})
    for day, at in (
        ("2027-04-10", "2027-04-11T11:00:00.000000Z"),
        ("2027-04-10", "2027-04-12T03:00:00.000000Z"),
        ("2027-04-09", "2027-04-11T03:00:00.000000Z"),
    ):
        other = CERTIFICATE | {"day": day, "races": [{"official_at": at}]}
        with pytest.raises(Refused, match=r"payment_order\.results_day"):
            races.check_order(Log(order), other)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("certificate", "cd"),
        ("settlement", "t"),
        ("contest", 2),
        ("results_day", "2027-04-09"),
        ("results_day", "2027-04-12"),
        ("ordered_on", "2027-04-14"),
        ("first_pay_day", "2027-04-13"),
        ("last_claim_day", "2027-05-10"),
        ("claim_days", 29),
    ],
)
@pytest.mark.article("14.III.8.1", "14.III.10.2")
def test_another_value_is_refused_by_its_name(name: str, value: Any) -> None:
    with pytest.raises(Refused, match=rf"payment_order\.{name}"):
        races.check_order(Log(ORDER | {name: value}), CERTIFICATE)


@pytest.mark.article("14.III.10.2")
def test_an_order_is_not_dated_back() -> None:
    """Published three weeks late, it would leave nine days to claim."""
    for at in ("2027-04-12T09:59:59Z", "2027-04-12T11:00:01Z", "2027-05-02T10:00:00Z"):
        with pytest.raises(Refused, match=r"payment_order\.ordered_at: not when it was published"):
            races.check_order(Log(ORDER, at), CERTIFICATE)
    assert races.check_order(Log(ORDER, "2027-04-12T11:00:00Z"), CERTIFICATE)
