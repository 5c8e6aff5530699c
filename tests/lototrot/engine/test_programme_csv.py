"""Read programmes from CSV; every error has its line and column (14.III.5.2)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lototrot.engine.programme import (
    Programme,
    ProgrammeInvalid,
)
from lototrot.engine.programme_csv import parse_csv
from tests.support.programmes import large_meeting, programmes, refused, rows_of, written
from tests.support.running.effort import tries

SPOILT_CELL = [
    ("meeting_day", "2000-01-01", "inconsistent"),
    ("meeting_name", "", "inconsistent"),
    ("racecourse_timezone", "Europe/Paris", "inconsistent"),
    ("race_name", "\x00", "inconsistent"),
    ("race_scheduled_start", "soon", "inconsistent"),
    ("runner_number", "0", "out_of_range"),
    ("runner_number", "9" * 50, "out_of_range"),
    ("runner_number", "3a", "wrong_type"),
    ("runner_number", "٣", "wrong_type"),
    ("runner_number", " ", "missing_field"),
    ("runner_name", "", "missing_field"),
    ("runner_name", "x" * 81, "too_long"),
    ("runner_name", "a\tb", "control_character"),
    ("runner_sex", "MARE", "not_allowed"),
    ("runner_age_years", "4.5", "wrong_type"),
    ("runner_distance_m", "-5", "out_of_range"),
]


@given(programmes(), st.sampled_from(SPOILT_CELL), st.data())
@settings(deadline=None, max_examples=tries(50))
def test_one_spoilt_cell_is_the_one_error_in_csv(
    programme: Programme, spoilt: tuple[str, str, str], data: st.DataObject
) -> None:
    column, value, code = spoilt
    rows = rows_of(programme)
    line = data.draw(st.integers(1, len(rows) - 1))
    position = rows[0].index(column)
    rows[line][position] = value
    assert refused(parse_csv, written(rows)) == [
        (f"line {line + 1}, column {position + 1} ({column})", code)
    ]


@pytest.mark.parametrize("line", [2, 3, 500, 1009])
def test_one_bad_line_in_a_thousand_is_found_and_named(line: int) -> None:
    rows = large_meeting()
    assert len(rows) == 1009
    assert len(parse_csv(written(rows)).races) == 72
    rows[line - 1] = rows[line - 1][:-1]
    assert refused(parse_csv, written(rows)) == [(f"line {line}", "row_length")]


def test_every_bad_line_is_named_together_with_a_right_one() -> None:
    rows = large_meeting()
    name = rows[0].index("race_name")
    number = rows[0].index("runner_number")
    rows[1][name] = "Race one"
    rows[700][name] = "Another"
    rows[900][number] = rows[901][number]
    with pytest.raises(ProgrammeInvalid) as caught:
        parse_csv(written(rows))
    errors = {error["place"]: error for error in caught.value.data["errors"]}
    assert {place: error["code"] for place, error in errors.items()} == {
        f"line 2, column {name + 1} (race_name)": "inconsistent",
        f"line 701, column {name + 1} (race_name)": "inconsistent",
        f"line 902, column {number + 1} (runner_number)": "repeated_number",
    }
    assert "line 3" in errors[f"line 2, column {name + 1} (race_name)"]["message"]
    assert "line 901" in errors[f"line 902, column {number + 1} (runner_number)"]["message"]


def test_names_are_text_composed_and_without_spaces_around() -> None:
    rows = large_meeting()
    position = rows[0].index("runner_name")
    rows[1][position] = '  =HYPERLINK("x")\u00a0'
    rows[2][position] = "A\u0301guila"
    first, second, *_ = parse_csv(written(rows)).races[0].runners
    assert (first.name, second.name) == ('=HYPERLINK("x")', "Águila")
