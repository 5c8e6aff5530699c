"""The official programme: both formats give the same meeting, and one error is one error."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lototrot.engine import programme_csv, programme_fields
from lototrot.engine.programme import (
    SENTENCES,
    Programme,
    ProgrammeInvalid,
    Race,
    Racecourse,
    Runner,
)
from lototrot.engine.programme_csv import parse_csv
from lototrot.engine.programme_json import parse_json, to_json

ROOT = Path(__file__).resolve().parents[3]
ZONES = ("Europe/Madrid", "America/New_York", "Pacific/Auckland", "UTC")


def plain_text(limit: int) -> st.SearchStrategy[str]:
    return (
        st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1)
        .map(lambda text: unicodedata.normalize("NFC", text.strip(" "))[:limit].strip(" "))
        .filter(lambda text: text and unicodedata.normalize("NFC", text) == text)
    )


NAMES = st.one_of(
    plain_text(80), st.sampled_from(["=1+1", "@cmd", 'a "b", c', "-2;3", "Ñandú l·l"])
)
RUNNERS = st.lists(
    st.builds(
        Runner,
        number=st.integers(1, 31),
        name=NAMES,
        driver=st.none() | NAMES,
        trainer=st.none() | NAMES,
        sex=st.none() | st.sampled_from(programme_fields.SEXES),
        age_years=st.none() | st.integers(1, 30),
        distance_m=st.none() | st.integers(200, 10_000),
    ),
    min_size=3,
    max_size=6,
    unique_by=lambda runner: runner.number,
).map(lambda runners: tuple(sorted(runners, key=lambda runner: runner.number)))


@st.composite
def races_at(draw: st.DrawFn, racecourse: Racecourse, day: date) -> list[Race]:
    """Starts within ten hours of noon, so on the day even where the clock changes."""
    noon = datetime.combine(day, time(12), ZoneInfo(racecourse.timezone)).astimezone(UTC)
    numbers = sorted(draw(st.sets(st.integers(1, 99), min_size=1, max_size=3)))
    minutes = draw(
        st.sets(st.integers(-600, 600), min_size=len(numbers), max_size=len(numbers)).map(sorted)
    )
    races = []
    for number, minute in zip(numbers, minutes, strict=True):
        local = (noon + timedelta(minutes=minute)).astimezone(ZoneInfo(racecourse.timezone))
        races.append(
            Race(
                racecourse=racecourse.code,
                number=number,
                name=draw(NAMES),
                scheduled_start=datetime.fromisoformat(local.isoformat()),
                runners=draw(RUNNERS),
                distance_m=draw(st.none() | st.integers(200, 10_000)),
                start_method=draw(st.none() | st.sampled_from(programme_fields.START_METHODS)),
                conditions=draw(st.none() | plain_text(500)),
            )
        )
    return races


@st.composite
def programmes(draw: st.DrawFn) -> Programme:
    day = draw(st.dates(date(2001, 1, 1), date(2098, 12, 31)))
    courses = draw(
        st.lists(
            st.builds(
                Racecourse,
                code=st.from_regex(r"[A-Z][A-Z0-9-]{1,11}", fullmatch=True),
                name=NAMES,
                timezone=st.sampled_from(ZONES),
                municipality=NAMES,
                country=st.sampled_from(["ES", "FR", "US"]),
            ),
            min_size=1,
            max_size=2,
            unique_by=lambda racecourse: racecourse.code,
        )
    )
    races = [race for racecourse in courses for race in draw(races_at(racecourse, day))]
    return Programme(
        day=day,
        name=draw(NAMES),
        reference=draw(plain_text(40)),
        racecourses=tuple(sorted(courses, key=lambda racecourse: racecourse.code)),
        races=tuple(
            sorted(races, key=lambda race: (race.scheduled_start, race.racecourse, race.number))
        ),
    )


def rows_of(programme: Programme) -> list[list[str]]:
    """The meeting as the rows of its CSV, the first line included."""
    courses = {racecourse.code: racecourse for racecourse in programme.racecourses}
    rows = [list(programme_csv.COLUMNS)]
    for race in programme.races:
        for runner in race.runners:
            parts = {
                "meeting": programme,
                "racecourse": courses[race.racecourse],
                "race": race,
                "runner": runner,
            }
            row = []
            for column in programme_csv.COLUMNS:
                part, _, name = column.partition("_")
                value = getattr(parts[part], name)
                written = value.isoformat() if isinstance(value, datetime) else value
                row.append("" if written is None else str(written))
            rows.append(row)
    return rows


def written(rows: list[list[str]], delimiter: str = ",", line_end: str = "\n") -> bytes:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return file.getvalue().encode()


def refused(parse: Callable[[bytes], Programme], data: bytes) -> list[tuple[str, str]]:
    """The (place, code) of each error of a file that must be refused."""
    with pytest.raises(ProgrammeInvalid) as caught:
        parse(data)
    assert caught.value.code == "programme_invalid"
    errors: list[dict[str, str]] = caught.value.data["errors"]
    assert all(error["message"] and error["code"] in SENTENCES for error in errors)
    json.dumps(errors, ensure_ascii=False).encode()
    return [(error["place"], error["code"]) for error in errors]


@pytest.mark.article("14.III.5.2")
@given(programmes())
@settings(deadline=None, max_examples=30)
def test_written_and_read_again_it_is_the_same(programme: Programme) -> None:
    data = to_json(programme)
    again = parse_json(data)
    assert again == programme
    assert to_json(again) == data
    assert [race.scheduled_start.utcoffset() for race in again.races] == [
        race.scheduled_start.utcoffset() for race in programme.races
    ]


@pytest.mark.article("14.III.5.2")
@given(
    programmes(),
    st.sampled_from([",", ";"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.randoms(use_true_random=False),
)
@settings(deadline=None, max_examples=30)
def test_csv_and_json_of_one_meeting_are_equal(
    programme: Programme, delimiter: str, line_end: str, mark: bytes, shuffle: Any
) -> None:
    header, *rows = rows_of(programme)
    shuffle.shuffle(rows)
    columns = list(range(len(header)))
    shuffle.shuffle(columns)
    table = [[row[column] for column in columns] for row in [header, *rows]]
    assert parse_csv(mark + written(table, delimiter, line_end)) == programme
    assert parse_json(mark + to_json(programme)) == programme


SPOILT_RUNNER = [
    ("number", 0, "out_of_range"),
    ("number", 32, "out_of_range"),
    ("number", -(10**30), "out_of_range"),
    ("number", 1.0, "wrong_type"),
    ("number", True, "wrong_type"),
    ("number", "3", "wrong_type"),
    ("number", None, "missing_field"),
    ("name", "  ", "missing_field"),
    ("name", "x" * 81, "too_long"),
    ("name", "a\nb", "control_character"),
    ("name", "\u202eabc", "control_character"),
    ("name", "\ud800", "control_character"),
    ("driver", ["x"], "wrong_type"),
    ("sex", "horse", "not_allowed"),
    ("age_years", float("nan"), "wrong_type"),
    ("distance_m", 10_001, "out_of_range"),
    ("weight", 3, "unknown_field"),
    ("a/~b", 3, "unknown_field"),
]


@given(programmes(), st.sampled_from(SPOILT_RUNNER), st.data())
@settings(deadline=None, max_examples=50)
def test_one_spoilt_runner_is_the_one_error_in_json(
    programme: Programme, spoilt: tuple[str, object, str], data: st.DataObject
) -> None:
    name, value, code = spoilt
    document = json.loads(to_json(programme))
    race = data.draw(st.integers(0, len(programme.races) - 1))
    runner = data.draw(st.integers(0, len(programme.races[race].runners) - 1))
    document["races"][race]["runners"][runner][name] = value
    pointer = name.replace("~", "~0").replace("/", "~1")
    assert refused(parse_json, json.dumps(document).encode()) == [
        (f"/races/{race}/runners/{runner}/{pointer}", code)
    ]


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
@settings(deadline=None, max_examples=50)
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


def large_meeting() -> list[list[str]]:
    start = datetime(2027, 4, 10, 8, tzinfo=ZoneInfo("Europe/Madrid"))
    racecourse = Racecourse("SONPARDO", "Son Pardo", "Europe/Madrid", "Palma", "ES")
    runners = tuple(Runner(number, f"Horse {number}") for number in range(1, 15))
    races = tuple(
        Race("SONPARDO", number, f"Race {number}", start + timedelta(minutes=8 * number), runners)
        for number in range(1, 73)
    )
    return rows_of(Programme(start.date(), "Large", "R-1", (racecourse,), races))


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


def test_the_manual_names_every_error_and_field_and_its_examples_are_one_meeting() -> None:
    manual = (ROOT / "docs" / "programme-format.md").read_text("utf-8")
    as_json, as_csv = (
        re.search(rf"```{language}\n(.*?)```", manual, re.DOTALL) for language in ("json", "csv")
    )
    assert as_json and as_csv
    programme = parse_json(as_json[1].encode())
    assert parse_csv(as_csv[1].encode()) == programme
    assert programme.races[0].runners[1].name == 'Exemple "Segon"'
    documented = re.findall(r"^\| `([a-z_0-9]+)` \|", manual.split("## Errors")[1], re.MULTILINE)
    assert sorted(documented) == sorted(SENTENCES)
    table = manual.split("### Fields")[1].split("## JSON")[0]
    parts = ("MEETING", "RACECOURSE", "RACE", "RUNNER")
    for field in (field for part in parts for field in getattr(programme_fields, part)):
        assert f"`{field.name}`" in table
