"""Growth is judged by all lengths: what grows is found, and what does not grow is not."""

import pytest

from tests.bench.growth.judging import (
    GrowsTooFast,
    Wanted,
    faster_than_linear,
    growth,
    judged,
    refuse_faster_than_linear,
    slope,
)

LENGTHS = (1, 2, 4, 8)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3.0, 3.0, 3.0, 3.0], 0.0),
        ([3.0, 6.0, 12.0, 24.0], 1.0),
        ([3.0, 12.0, 48.0, 192.0], 2.0),
        ([8.0, 4.0, 2.0, 1.0], -1.0),
        ([0.0, 0.0, 0.0, 0.0], 0.0),
    ],
)
def test_the_slope_is_the_power_by_which_a_figure_grows(
    values: list[float], expected: float
) -> None:
    assert slope(LENGTHS, values) == pytest.approx(expected)
    assert growth(LENGTHS, values) == pytest.approx(8**expected)


def test_the_lengths_between_count_as_the_ends_do() -> None:
    by_the_ends_alone = 1.0
    assert slope(LENGTHS, [1.0, 1.0, 1.0, 8.0]) == pytest.approx(0.9)  # by hand: 3 * 1.5 / 5
    assert slope(LENGTHS, [1.0, 8.0, 8.0, 8.0]) == pytest.approx(0.9)
    assert slope(LENGTHS, [1.0, 1.0, 8.0, 8.0]) == pytest.approx(1.2)
    assert slope(LENGTHS, [1.0, 4.0, 2.0, 8.0]) == pytest.approx(0.8) != by_the_ends_alone


def test_what_grows_faster_than_the_history_is_named_and_refused() -> None:
    linear = [100.0, 200.0, 400.0, 800.0]
    series = {
        "flat": [1.0, 1.1, 0.9, 1.0],
        "linear": linear,
        "linear, and something": [10 + value for value in linear],
        "square": [value * value for value in linear],
        "late": [1.0, 1.0, 2.0, 30.0],
    }
    assert faster_than_linear(LENGTHS, series) == ["square", "late"]
    with pytest.raises(GrowsTooFast, match="the history: square, late"):
        refuse_faster_than_linear(LENGTHS, series)
    refuse_faster_than_linear(LENGTHS, {"flat": series["flat"]})


def test_each_row_says_what_was_wanted_what_was_measured_and_whether_it_is_met() -> None:
    table = (
        Wanted("night_ratio", at_most=1.2, grows="night"),
        Wanted("live_ratio", at_most=1.2, grows="live"),
        Wanted("sale_ratio", at_least=0.95),
        Wanted("pay_ratio", at_least=0.95),
        Wanted("bytes", at_most=1_000),
    )
    figures = {"night_ratio": 1.2, "live_ratio": 1.21, "sale_ratio": 0.95, "pay_ratio": 0.94}
    head, *rows = judged(table, figures, {"night": 1.1})
    assert head.split() == ["figure", "wanted", "measured", "fitted", "met"]
    assert [row.split() for row in rows] == [
        ["night_ratio", "at", "most", "1.2", "1.20", "1.10", "yes"],
        ["live_ratio", "at", "most", "1.2", "1.21", "NO"],
        ["sale_ratio", "at", "least", "0.95", "0.95", "yes"],
        ["pay_ratio", "at", "least", "0.95", "0.94", "NO"],
        ["bytes", "at", "most", "1,000", "not", "not", "measured"],
    ]
