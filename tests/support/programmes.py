"""Make programmes and their CSV files for tests, and read the errors of refused files."""

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import strategies as st

from core.kernel.texts import invisible_at
from lototrot.engine import programme_csv, programme_fields
from lototrot.engine.programme import (
    SENTENCES,
    Programme,
    ProgrammeInvalid,
    Race,
    Racecourse,
    Runner,
)

ZONES = ("Europe/Madrid", "America/New_York", "Pacific/Auckland", "UTC")


def plain_text(limit: int) -> st.SearchStrategy[str]:
    return (
        st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1)
        .map(lambda text: unicodedata.normalize("NFC", text.strip(" "))[:limit].strip(" "))
        .filter(lambda text: text and unicodedata.normalize("NFC", text) == text)
        .filter(lambda text: invisible_at(text) is None)
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
        form=st.none() | st.just("1 3 D 2"),
    ),
    min_size=3,
    max_size=6,
    unique_by=lambda runner: runner.number,
).map(lambda runners: tuple(sorted(runners, key=lambda runner: runner.number)))


# Strategies are made once: to make one of a text takes as long as to draw from it.
_NUMBERS = st.sets(st.integers(1, 99), min_size=1, max_size=3)
_DISTANCES_M = st.none() | st.integers(200, 10_000)
_START_METHODS = st.none() | st.sampled_from(programme_fields.START_METHODS)
_CONDITIONS = st.none() | plain_text(500)
_REFERENCES = plain_text(40)
_DAYS = st.dates(date(2001, 1, 1), date(2098, 12, 31))
_ENDS_NEXT_DAY = st.none() | st.sampled_from([time(6), time(7, 30), time(12)])
_RACECOURSES = st.lists(
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


@st.composite
def races_at(draw: st.DrawFn, racecourse: Racecourse, day: date) -> list[Race]:
    """Return races within ten hours of noon, so on the day even where the clock changes."""
    noon = datetime.combine(day, time(12), ZoneInfo(racecourse.timezone)).astimezone(UTC)
    numbers = sorted(draw(_NUMBERS))
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
                distance_m=draw(_DISTANCES_M),
                start_method=draw(_START_METHODS),
                conditions=draw(_CONDITIONS),
            )
        )
    return races


@st.composite
def programmes(draw: st.DrawFn) -> Programme:
    day = draw(_DAYS)
    courses = draw(_RACECOURSES)
    races = [race for racecourse in courses for race in draw(races_at(racecourse, day))]
    return Programme(
        day=day,
        name=draw(NAMES),
        ends_next_day_at=draw(_ENDS_NEXT_DAY),
        reference=draw(_REFERENCES),
        racecourses=tuple(sorted(courses, key=lambda racecourse: racecourse.code)),
        races=tuple(
            sorted(races, key=lambda race: (race.scheduled_start, race.racecourse, race.number))
        ),
    )


def rows_of(programme: Programme) -> list[list[str]]:
    """Return the meeting as the rows of its CSV, the first line included."""
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
                if isinstance(value, time):
                    value = value.isoformat(timespec="minutes")
                written = value.isoformat() if isinstance(value, datetime) else value
                row.append("" if written is None else str(written))
            rows.append(row)
    return rows


def written(rows: list[list[str]], delimiter: str = ",", line_end: str = "\n") -> bytes:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    return file.getvalue().encode()


def refused(parse: Callable[[bytes], Programme], data: bytes) -> list[tuple[str, str]]:
    """Return the (place, code) of each error of a file that must be refused."""
    with pytest.raises(ProgrammeInvalid) as caught:
        parse(data)
    assert caught.value.code == "programme_invalid"
    errors: list[dict[str, str]] = caught.value.data["errors"]
    assert all(error["message"] and error["code"] in SENTENCES for error in errors)
    json.dumps(errors, ensure_ascii=False).encode()
    return [(error["place"], error["code"]) for error in errors]


def large_meeting() -> list[list[str]]:
    start = datetime(2027, 4, 10, 8, tzinfo=ZoneInfo("Europe/Madrid"))
    racecourse = Racecourse("SONPARDO", "Son Pardo", "Europe/Madrid", "Palma", "ES")
    runners = tuple(Runner(number, f"Horse {number}") for number in range(1, 15))
    races = tuple(
        Race("SONPARDO", number, f"Race {number}", start + timedelta(minutes=8 * number), runners)
        for number in range(1, 73)
    )
    return rows_of(Programme(start.date(), "Large", "R-1", (racecourse,), races))
