from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel import money

PERCENTS = st.integers(0, 100 * 10**6).map(lambda n: Fraction(n, 10**6))


@given(st.integers(0, 10**15), st.integers(1, 10**6))
def test_a_division_upwards_is_the_least_whole_not_below(amount: int, divisor: int) -> None:
    exact = Fraction(amount, divisor)
    assert exact <= money.ceil_div(amount, divisor) < exact + 1


@given(st.integers(0, 10**9), st.integers(1, 10**6), st.integers(1, 500))
def test_a_step_is_the_largest_multiple_below(amount: int, divisor: int, step: int) -> None:
    exact = Fraction(amount, divisor)
    prize = money.floor_to_step(exact, step)
    assert prize % step == 0
    assert prize <= exact < prize + step


@pytest.mark.article("14.III.9.1")
@pytest.mark.parametrize(
    ("amount", "percent", "down", "up"),
    [(1, "60", 0, 1), (5, "60", 3, 3), (100010, "62.5", 62506, 62507), (7, "0.1", 0, 1)],
)
def test_percentages_name_their_rounding(amount: int, percent: str, down: int, up: int) -> None:
    exact = money.parse_percent(percent)
    assert money.percent_down(amount, exact) == down
    assert money.percent_up(amount, exact) == up


@given(
    st.integers(0, 10**12),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 1000), min_size=1),
    st.data(),
)
def test_a_split_loses_nothing(amount: int, weights: dict[str, int], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(weights)))
    if not any(weights.values()):
        with pytest.raises(ValueError, match="weight"):
            money.split(amount, weights, remainder_to=name)
        return
    parts = money.split(amount, weights, remainder_to=name)
    total = sum(weights.values())
    assert sum(parts.values()) == amount
    assert all(
        parts[part] == amount * weight // total for part, weight in weights.items() if part != name
    )
    assert parts[name] >= amount * weights[name] // total


def test_a_split_gives_the_cents_left_to_the_named_part() -> None:
    weights = {"commission": 1, "management": 1, "remainder": 1}
    assert money.split(100, weights, remainder_to="management") == {
        "commission": 33,
        "management": 34,
        "remainder": 33,
    }


@pytest.mark.parametrize(
    ("amount", "weights", "name"),
    [(-1, {"a": 1}, "a"), (1, {"a": -1, "b": 2}, "a"), (1, {"a": 1}, "b"), (1, {}, "a")],
)
def test_a_split_refuses_nonsense(amount: int, weights: dict[str, int], name: str) -> None:
    with pytest.raises(ValueError, match=r"split|part"):
        money.split(amount, weights, remainder_to=name)


@given(PERCENTS)
def test_a_percentage_survives_its_text(percent: Fraction) -> None:
    assert money.parse_percent(money.percent_text(percent)) == percent


@pytest.mark.parametrize(
    "value",
    [
        62.5,
        True,
        None,
        -1,
        101,
        "100.5",
        "",
        " 6",
        "1e1",
        "1/2",
        "NaN",
        "6.",
        "٦",
        "0.1234567",
        10**30,
    ],
)
def test_a_percentage_is_an_exact_decimal(value: object) -> None:
    with pytest.raises(money.BadPercent):
        money.parse_percent(value)


def test_a_percentage_without_end_has_no_text() -> None:
    with pytest.raises(money.BadPercent):
        money.percent_text(Fraction(100, 3))


def test_exact_amounts_are_ints_or_quotients() -> None:
    assert money.exact_json(Fraction(300, 2)) == 150
    assert money.exact_json(Fraction(2430000, 19)) == "2430000/19"
