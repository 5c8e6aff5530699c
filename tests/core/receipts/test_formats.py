"""Money and time as printed."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.receipts.formats import (
    format_cents,
    format_count,
    format_date,
    format_moment,
    format_percent,
    format_scheduled,
    format_time,
)


@pytest.mark.parametrize(
    ("cents", "catalan", "english"),
    [
        (123450, "1.234,50 €", "€1,234.50"),
        (0, "0,00 €", "€0.00"),
        (5, "0,05 €", "€0.05"),
        (-7, "-0,07 €", "-€0.07"),
        (-123456789, "-1.234.567,89 €", "-€1,234,567.89"),
        (15_000_000, "150.000,00 €", "€150,000.00"),
    ],
)
def test_euros(cents: int, catalan: str, english: str) -> None:
    assert format_cents(cents, "ca") == format_cents(cents, "es") == catalan
    assert format_cents(cents, "en") == english


def test_thousands_are_apart() -> None:
    assert format_count(1_234_567, "ca") == format_count(1_234_567, "es") == "1.234.567"
    assert format_count(1_234_567, "en") == "1,234,567" and format_count(-999, "ca") == "-999"


def test_percentages_have_the_comma_of_their_language() -> None:
    assert format_percent("72.5", "ca") == format_percent("72.5", "es") == "72,5 %"
    assert format_percent("72.5", "en") == "72.5 %"
    with pytest.raises(ValueError, match="fr"):
        format_percent("70", "fr")


@given(st.integers())
def test_no_cent_is_lost(cents: int) -> None:
    text = format_cents(cents, "ca").removesuffix(" €")
    assert int(text.replace(".", "").replace(",", "")) == cents


def test_moments_are_in_madrid_to_the_second() -> None:
    winter = datetime(2026, 1, 31, 23, 30, 5, 999_999, tzinfo=UTC)
    assert format_moment(winter, "ca") == format_moment(winter, "es") == "01/02/2026 00:30:05"
    assert format_moment(winter, "en") == "1 Feb 2026 00:30:05"
    assert format_time(datetime(2026, 7, 1, 16, 0, tzinfo=UTC), "ca") == "18:00:00"


def test_the_hour_that_comes_twice_says_which() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    second = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert format_moment(first, "ca") == "25/10/2026 02:30:00 CEST"
    assert format_moment(second, "ca") == "25/10/2026 02:30:00 CET"


def test_a_time_that_was_set_names_neither_its_own_day_nor_seconds() -> None:
    closing = datetime(2027, 5, 15, 15, 30, tzinfo=UTC)
    assert format_scheduled(closing, "en", date(2027, 5, 15)) == "17:30"
    assert format_scheduled(closing, "en", date(2027, 5, 16)) == "15 May 2027, 17:30"
    assert format_scheduled(closing.replace(second=5), "ca", date(2027, 5, 15)) == "17:30:05"
    assert format_scheduled(closing, "ca", date(2027, 5, 16)) == "15/05/2027, 17:30"


def test_days() -> None:
    assert format_date(date(2026, 4, 3), "es") == "03/04/2026"
    assert format_date(date(2026, 4, 3), "en-gb") == "3 Apr 2026"


def test_what_would_mislead_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        format_moment(datetime(2026, 1, 1), "ca")
    with pytest.raises(ValueError, match="language"):
        format_cents(1, "fr")
    with pytest.raises(ValueError, match="language"):
        format_time(datetime(2026, 1, 1, tzinfo=UTC), "fr")
    with pytest.raises(TypeError):
        format_date(datetime(2026, 1, 1, tzinfo=UTC), "ca")
