"""Ask for all rows, one row and one value; an answer may be of no row."""

import pytest
from psycopg import sql

from core.database.reading.asking import fetch_all, fetch_row, fetch_value

pytestmark = pytest.mark.django_db
NUMBERS = "SELECT n, n * %s FROM generate_series(1, %s) n"


def test_an_answer_has_rows_a_first_row_and_a_first_value() -> None:
    assert fetch_all(NUMBERS, [10, 3]) == [(1, 10), (2, 20), (3, 30)]
    assert fetch_row(NUMBERS, [10, 3]) == (1, 10)
    assert fetch_value(NUMBERS, [10, 3]) == 1


def test_an_answer_without_rows_is_empty_and_has_no_value() -> None:
    assert (fetch_all(NUMBERS, [10, 0]), fetch_row(NUMBERS, [10, 0])) == ([], None)
    with pytest.raises(TypeError):
        fetch_value(NUMBERS, [10, 0])


def test_a_statement_names_its_parameters_or_has_none() -> None:
    assert fetch_value("SELECT %(one)s + %(two)s", {"one": 1, "two": 2}) == 3
    assert fetch_value("SELECT 7 % 4") == 3  # no parameters: a percent sign is one
    assert fetch_value(sql.SQL("SELECT {}").format(sql.Literal("x"))) == "x"
