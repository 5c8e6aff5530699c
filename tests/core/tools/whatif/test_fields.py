"""The values of a case are checked one by one, and errors name their place."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from core.kernel.errors import Invalid
from core.kernel.money import MAX_CENTS
from core.tools.whatif.fields import (
    Fields,
    MissingField,
    OutOfRange,
    RepeatedValue,
    UnknownField,
    WrongType,
    distinct_integers,
    instant,
    integer,
    listed,
)


def _fields(**values: object) -> Fields:
    return Fields(values, "input", needs=(), may=tuple(values))


def test_fields_are_required_optional_or_refused() -> None:
    fields = Fields({"amount": 5}, "input", needs=("amount",), may=("day",))
    assert fields.integer("amount") == 5
    assert fields.get("amount") == 5
    assert not fields.has("day")
    with pytest.raises(MissingField, match=r"input\.amount is missing"):
        Fields({}, "input", needs=("amount",))
    with pytest.raises(UnknownField, match=r"input\.price is not known"):
        Fields({"price": 1}, "input", needs=())
    with pytest.raises(WrongType, match="input: an object"):
        Fields([], "input", needs=())


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda: integer(True, "x"), WrongType),
        (lambda: integer("1", "x"), WrongType),
        (lambda: integer(-1, "x"), OutOfRange),
        (lambda: integer(MAX_CENTS + 1, "x"), OutOfRange),
        (lambda: listed("ab", "x"), WrongType),
        (lambda: distinct_integers([1, 1], "x"), RepeatedValue),
        (lambda: distinct_integers([1, "2"], "x"), WrongType),
        (lambda: instant("2006-03-05T12:00:00", "x"), WrongType),
        (lambda: instant("noon", "x"), WrongType),
        (lambda: instant(12, "x"), WrongType),
        (lambda: _fields(day="20060305").day("day"), WrongType),
        (lambda: _fields(day="2006-02-30").day("day"), WrongType),
        (lambda: _fields(game=1).choice("game", ["a"]), WrongType),
        (lambda: _fields(game="b").choice("game", ["a"]), OutOfRange),
    ],
)
def test_a_wrong_value_is_refused(read: Callable[[], object], error: type[Invalid]) -> None:
    with pytest.raises(error):
        read()


def test_good_values_are_read() -> None:
    assert integer(MAX_CENTS, "x") == MAX_CENTS
    assert distinct_integers([2, 1], "x") == [2, 1]
    assert instant("2006-03-05T12:00:00+00:00", "x") == datetime(2006, 3, 5, 12, tzinfo=UTC)
    assert _fields(day="2006-03-05").day("day") == date(2006, 3, 5)
    assert _fields(game="a").choice("game", ["a", "b"]) == "a"
    assert _fields(list=[1, "x"]).listed("list") == [1, "x"]


def test_without_a_day_the_text_of_2005_is_in_force() -> None:
    assert _fields().regulation() == _fields(day="2005-12-31").regulation()
