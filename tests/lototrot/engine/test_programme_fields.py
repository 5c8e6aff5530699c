"""Read single fields of the official programme by the rules of both formats (14.III.5.2)."""

from collections.abc import Mapping
from datetime import date, time

import pytest

from lototrot.engine import programme_fields
from lototrot.engine.programme import Faults, ProgrammeInvalid, Record
from lototrot.engine.programme_fields import Field, Wrong, read_fields

FIELDS = {
    f"{part}.{field.name}": field
    for part in ("MEETING", "RACECOURSE", "RACE", "RUNNER")
    for field in getattr(programme_fields, part)
}


def read(fields: tuple[Field, ...], source: Mapping[str, object]) -> tuple[Record, Faults]:
    record, faults = Record("/meeting"), Faults()
    read_fields(record, fields, source, lambda name: f"/meeting/{name}", faults)
    return record, faults


def test_right_values_are_stored_with_their_places() -> None:
    source = {
        "day": " 2027-04-10 ",
        "name": "\u00a0A\u0301guila ",
        "reference": "R-1",
        "ends_next_day_at": "02:30",
    }
    record, _ = read(programme_fields.MEETING, source)
    assert record.values == {
        "day": date(2027, 4, 10),
        "name": "Águila",
        "reference": "R-1",
        "ends_next_day_at": time(2, 30),
    }
    assert record.places == {name: f"/meeting/{name}" for name in source}


def test_every_wrong_field_is_reported_and_left_out() -> None:
    record, faults = read(programme_fields.MEETING, {"day": 20270410, "name": "  "})
    assert record.values == {}
    with pytest.raises(ProgrammeInvalid) as refusal:
        faults.refuse()
    errors = [(error["place"], error["code"]) for error in refusal.value.data["errors"]]
    assert sorted(errors) == [
        ("/meeting/day", "wrong_type"),
        ("/meeting/name", "missing_field"),
        ("/meeting/reference", "missing_field"),
    ]


def test_an_absent_optional_field_is_no_error() -> None:
    record, _ = read(programme_fields.RUNNER, {"number": 7, "name": "Roc", "driver": " "})
    assert record.values == {"number": 7, "name": "Roc"}


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("RUNNER.number", 0, "out_of_range"),
        ("RUNNER.number", 32, "out_of_range"),
        ("RUNNER.sex", "horse", "not_allowed"),
        ("RUNNER.name", "x" * 81, "too_long"),
        ("RUNNER.name", "a\u202eb", "control_character"),
        ("RACECOURSE.code", "pardo", "bad_format"),
        ("RACECOURSE.timezone", "../../etc/passwd", "unknown_timezone"),
        ("RACE.scheduled_start", "2027-04-10T17:00", "start_without_offset"),
        ("RACE.scheduled_start", "2027-04-10 17:00+02:00", "bad_start"),
        ("MEETING.day", "2027-02-29", "bad_date"),
    ],
)
def test_a_wrong_value_has_its_code(field: str, value: object, code: str) -> None:
    with pytest.raises(Wrong) as refusal:
        FIELDS[field].convert(value)
    assert refusal.value.code == code


@pytest.mark.article("14.I.5")
@pytest.mark.parametrize("number", [1, 31])
def test_numbers_of_horses_go_from_1_to_31(number: int) -> None:
    assert FIELDS["RUNNER.number"].convert(number) == number
