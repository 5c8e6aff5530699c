"""Ask each question once within one reading, and anew outside of it."""

import pytest

from core.database import clock
from core.database.reading.once import once, one_reading

_asked: list[int] = []


@once
def _double(number: int) -> int | None:
    _asked.append(number)
    if number < 0:
        raise ValueError
    return 2 * number or None


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    _asked.clear()


def test_each_question_is_asked_once_within_a_reading_and_anew_after_it() -> None:
    with one_reading():
        assert [_double(1), _double(1), _double(2), _double(0), _double(0)] == [2, 2, 4, None, None]
        with one_reading():
            assert _double(1) == 2
        assert _double(2) == 4
    assert _asked == [1, 2, 0]
    with one_reading():
        assert _double(1) == 2
    assert _double(1) == _double(1) == 2
    assert _asked == [1, 2, 0, 1, 1, 1]


def test_a_reading_that_fails_keeps_nothing() -> None:
    for _ in range(2):
        with one_reading():
            for _ in range(2):
                with pytest.raises(ValueError):
                    _double(-1)
    with pytest.raises(KeyError), one_reading():
        raise KeyError
    assert _double(1) == _double(1)
    assert _asked == [-1] * 4 + [1, 1]


@pytest.mark.django_db
def test_one_reading_is_of_one_instant() -> None:
    with one_reading():
        instant = clock.now()
        assert clock.now() == instant
    assert clock.now() > instant
