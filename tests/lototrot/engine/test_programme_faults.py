"""Each error has its code and its place, and no file, however hostile, does anything else."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lototrot.engine.programme import MAX_FAULTS, SENTENCES, Programme, ProgrammeInvalid
from lototrot.engine.programme_csv import parse_csv
from lototrot.engine.programme_json import parse_json
from tests.support.running.effort import tries

MEETING = {
    "format": "lototrot-programme-1",
    "meeting": {"day": "2027-04-10", "name": "Two places", "reference": "R-1"},
    "racecourses": [
        {
            "code": "PARDO",
            "name": "Son Pardo",
            "timezone": "Europe/Madrid",
            "municipality": "Palma",
            "country": "ES",
        },
        {
            "code": "YONKERS",
            "name": "Yonkers",
            "timezone": "America/New_York",
            "municipality": "Yonkers",
            "country": "US",
        },
    ],
    "races": [
        {
            "racecourse": code,
            "number": number,
            "name": f"Race {number}",
            "scheduled_start": start,
            "runners": [{"number": 1, "name": "One"}, {"number": 2, "name": "Two"}],
        }
        for code, number, start in (
            ("PARDO", 1, "2027-04-10T17:00+02:00"),
            ("PARDO", 2, "2027-04-10T17:30:00+02:00"),
            ("YONKERS", 1, "2027-04-10T20:30-04:00"),
        )
    ],
}
TABLE = """\
meeting_day,meeting_name,meeting_reference,racecourse_code,racecourse_name,racecourse_timezone,\
racecourse_municipality,racecourse_country,race_number,race_name,race_scheduled_start,\
runner_number,runner_name
2027-04-10,M,R-1,PARDO,Son Pardo,Europe/Madrid,Palma,ES,1,Race,2027-04-10T17:00+02:00,1,One
2027-04-10,M,R-1,PARDO,Son Pardo,Europe/Madrid,Palma,ES,1,Race,2027-04-10T17:00+02:00,2,Two
2027-04-10,M,R-1,PARDO,Son Pardo,Europe/Madrid,Palma,ES,1,Race,2027-04-10T17:00+02:00,3,Three
"""
Error = tuple[str, str]


def changed(pointer: str, value: Any) -> bytes:
    """The meeting with one value put at a JSON pointer; `...` removes what is there."""
    document = json.loads(json.dumps(MEETING))
    *path, last = pointer.split("/")[1:]
    parent = document
    for step in path:
        parent = parent[int(step)] if isinstance(parent, list) else parent[step]
    key = int(last) if isinstance(parent, list) else last
    if value is ...:
        del parent[key]
    elif isinstance(parent, list) and key == len(parent):
        parent.append(value)
    else:
        parent[key] = value
    return json.dumps(document).encode()


def refused(parse: Callable[[bytes], Programme], data: bytes) -> list[Error]:
    with pytest.raises(ProgrammeInvalid) as caught:
        parse(data)
    errors: list[dict[str, str]] = caught.value.data["errors"]
    assert all(error["message"] and len(error["message"]) < 300 for error in errors)
    json.dumps(errors, ensure_ascii=False).encode()
    return [(error["place"], error["code"]) for error in errors]


END = "/meeting/ends_next_day_at"
START = "/races/1/scheduled_start"
JSON_FAULTS: list[tuple[str, Any, list[Error]]] = [
    ("/format", "other-1", [("/format", "unknown_format")]),
    ("/format", ..., [("/format", "missing_field")]),
    ("/meeting", ..., [("/meeting", "missing_field")]),
    ("/meeting", None, [("/meeting", "wrong_type")]),
    ("/meeting/day", "2027-02-29", [("/meeting/day", "bad_date")]),
    ("/meeting/day", "2027-4-10", [("/meeting/day", "bad_date")]),
    ("/meeting/day", "20270410", [("/meeting/day", "bad_date")]),
    ("/meeting/reference", "x" * 41, [("/meeting/reference", "too_long")]),
    ("/races", {}, [("/races", "wrong_type")]),
    ("/races/1/number", 1, [("/races/1/number", "repeated_race")]),
    ("/races/1/runners", ..., [("/races/1/runners", "missing_field")]),
    ("/races/1/runners", [], [("/races/1/runners", "too_few_runners")]),
    ("/races/1/runners/1", ..., [("/races/1/runners", "too_few_runners")]),
    ("/races/1/runners/1", 7, [("/races/1/runners/1", "wrong_type")]),
    ("/races/1/runners/1/number", 1, [("/races/1/runners/1/number", "repeated_number")]),
    ("/races/0/start_method", "gallop", [("/races/0/start_method", "not_allowed")]),
    ("/races/1/racecourse", "LYON", [("/races/1/racecourse", "unknown_racecourse")]),
    ("/races/2/racecourse", "x", [("/races/2/racecourse", "bad_format")]),
    ("/racecourses/0/country", "Spain", [("/racecourses/0/country", "bad_format")]),
    ("/races/2", ..., [("/racecourses/1/code", "racecourse_without_races")]),
    (START, "2027-04-10T17:30", [(START, "start_without_offset")]),
    (START, "2027-04-10T17:30+2", [(START, "bad_start")]),
    (START, "2027-04-10T25:30+02:00", [(START, "bad_start")]),
    (START, "2027-04-10T17:30+99:00", [(START, "bad_start")]),
    (START, "2027-04-10 17:30+02:00", [(START, "bad_start")]),
    (START, "2027-04-10T17:30+01:00", [(START, "start_offset_mismatch")]),
    (START, "2027-04-10T15:30Z", [(START, "start_offset_mismatch")]),
    (START, "2027-04-11T17:30+02:00", [(START, "start_not_on_day")]),
    (START, "2027-04-10T17:00+02:00", [(START, "starts_out_of_order")]),
    (END, "6:00", [(END, "bad_hour")]),
    (END, "12:01", [(END, "end_not_in_the_morning")]),
    (
        # Half past two in Madrid, where the meeting has ended.
        "/meeting",
        {**MEETING["meeting"], "ends_next_day_at": "02:00"},
        [("/races/2/scheduled_start", "start_after_end")],
    ),
    (
        "/races",
        [{**MEETING["races"][0], "scheduled_start": "2027-04-11T00:10+02:00"}],
        [
            ("/racecourses/1/code", "racecourse_without_races"),
            ("/races/0/scheduled_start", "first_start_not_on_day"),
        ],
    ),
]
for zone in ("Europe/Nowhere", "../../etc/passwd", "Europe", "europe madrid", "Madrid", "A/" * 99):
    JSON_FAULTS.append(
        ("/racecourses/0/timezone", zone, [("/racecourses/0/timezone", "unknown_timezone")])
    )
JSON_FAULTS.append(
    (
        "/racecourses/2",
        {**MEETING["racecourses"][0], "name": "Again"},
        [("/racecourses/2/code", "repeated_racecourse")],
    )
)

TEXT = json.dumps(MEETING)
JSON_FILES: list[tuple[str, bytes, list[Error]]] = [
    ("empty", b"", [("line 1, column 1", "json_syntax")]),
    ("cut", b'{\n "a": ', [("line 2, column 7", "json_syntax")]),
    ("list", b"[]", [("", "wrong_type")]),
    ("utf16", TEXT.encode("utf-16"), [("byte 1", "not_utf8")]),
    ("latin1", b'{"a": "\xe9"}', [("byte 8", "not_utf8")]),
    ("marked latin1", b'\xef\xbb\xbf{"a": "\xe9"}', [("byte 11", "not_utf8")]),
    (
        "twice",
        TEXT.replace('"name": "Two"', '"name": "Two", "name": "Too"', 1).encode(),
        [("/races/0/runners/1/name", "duplicate_key")],
    ),
    (
        "no races",
        json.dumps({**MEETING, "racecourses": [], "races": []}).encode(),
        [("/races", "no_races")],
    ),
    ("deep lists", b"[" * 1_000_000, [("", "json_too_deep")]),
    ("deep objects", b'{"a":' * 300_000, [("", "json_too_deep")]),
]

PLACE = "line 3, column 9 (race_number)"
CSV_FILES: list[tuple[str, bytes, list[Error]]] = [
    (
        "race number",
        TABLE.replace("1,Race", "100,Race").encode(),
        [(PLACE.replace("3", "2", 1), "out_of_range")],
    ),
    (
        "one race number",
        TABLE.replace(
            "ES,1,Race,2027-04-10T17:00+02:00,2", "ES,,Race,2027-04-10T17:00+02:00,2"
        ).encode(),
        [(PLACE, "missing_field"), ("line 3", "too_few_runners")],
    ),
    (
        "code",
        TABLE.replace("PARDO", "pardo").encode(),
        [("line 2, column 4 (racecourse_code)", "bad_format")],
    ),
    ("extra cell", TABLE.replace(",Three", ",Three,x").encode(), [("line 4", "row_length")]),
    ("quote", TABLE.replace("Three", '"Three"3').encode(), [("line 4", "csv_syntax")]),
    (
        "open quote",
        TABLE.replace("Three", '"Three').encode() + b"\n\n\n",
        [("line 4", "csv_syntax")],
    ),
    ("first line only", TABLE.partition("\n")[0].encode(), [("line 2", "no_rows")]),
    (
        "unknown column",
        TABLE.replace("runner_name", "runner_name,horse").encode(),
        [("line 1, column 14", "unknown_column")],
    ),
    (
        "repeated column",
        TABLE.replace("runner_name", "runner_number").encode(),
        [("line 1, column 13", "repeated_column"), ("line 1", "missing_column")],
    ),
    (
        "latin1",
        TABLE.replace("Three", "\xe9").encode("latin-1"),
        [(f"byte {TABLE.index('Three') + 1}", "not_utf8")],
    ),
]


def test_what_is_changed_here_is_right_before() -> None:
    assert [race.racecourse for race in parse_json(TEXT.encode()).races] == [
        "PARDO",
        "PARDO",
        "YONKERS",
    ]
    assert len(parse_csv(TABLE.encode()).races[0].runners) == 3


@pytest.mark.article("14.III.5.2", "14.I.5")
@pytest.mark.parametrize(("pointer", "value", "errors"), JSON_FAULTS)
def test_one_change_one_error(pointer: str, value: Any, errors: list[Error]) -> None:
    assert refused(parse_json, changed(pointer, value)) == errors


@pytest.mark.parametrize(
    ("data", "errors"),
    [pytest.param(data, errors, id=name) for name, data, errors in JSON_FILES],
)
def test_json_files(data: bytes, errors: list[Error]) -> None:
    assert refused(parse_json, data) == errors


@pytest.mark.parametrize(
    ("data", "errors"),
    [pytest.param(data, errors, id=name) for name, data, errors in CSV_FILES],
)
def test_csv_files(data: bytes, errors: list[Error]) -> None:
    assert refused(parse_csv, data) == errors


def test_all_errors_are_reported_at_once() -> None:
    document = json.loads(changed("/races/1/runners/0/number", 40))
    document["meeting"]["extra"] = document["races"][0]["name"] = ""
    document["races"][2]["scheduled_start"] = "2027-04-10T20:30+02:00"
    assert sorted(refused(parse_json, json.dumps(document).encode())) == [
        ("/meeting/extra", "unknown_field"),
        ("/races/0/name", "missing_field"),
        ("/races/1/runners/0/number", "out_of_range"),
        ("/races/2/scheduled_start", "start_offset_mismatch"),
    ]


@pytest.mark.article("14.I.5")
def test_a_meeting_on_two_racecourses_runs_in_real_time() -> None:
    """[E2] 20:30 in New York is after midnight in Palma, and still the meeting's day there."""
    document = json.loads(TEXT)
    document["races"][2]["scheduled_start"] = "2027-04-10T11:10-04:00"
    races = parse_json(json.dumps(document).encode()).races
    assert [race.racecourse for race in races] == ["PARDO", "YONKERS", "PARDO"]


@pytest.mark.parametrize(
    ("start", "error"),
    [
        ("2027-10-31T02:30+02:00", None),
        ("2027-10-31T02:30+01:00", None),
        ("2027-10-31T01:30+01:00", "start_offset_mismatch"),
        ("2027-10-31T03:30+02:00", "start_offset_mismatch"),
    ],
)
def test_the_hour_that_comes_twice_is_told_apart_by_its_offset(
    start: str, error: str | None
) -> None:
    data = TABLE.replace("2027-04-10T17:00+02:00", start).replace("2027-04-10", "2027-10-31")
    if error is None:
        assert parse_csv(data.encode()).races[0].scheduled_start.isoformat()[:16] == start[:16]
    else:
        assert [code for _, code in refused(parse_csv, data.encode())] == [error]


def test_a_large_file_is_not_read() -> None:
    for parse in (parse_json, parse_csv):
        assert refused(parse, b"[" * 10_000_000) == [("", "too_large")]
    size = len(TEXT.encode())
    assert parse_json(TEXT.encode(), max_bytes=size).races
    limited = lambda data: parse_json(data, max_bytes=size - 1)  # noqa: E731
    assert refused(limited, TEXT.encode()) == [("", "too_large")]


def test_a_line_of_ten_megabytes_is_an_error_like_another() -> None:
    line = "x" * 10_000_000
    whole = {"max_bytes": 20_000_000}
    assert refused(lambda data: parse_json(data, **whole), changed("/meeting/name", line)) == [
        ("/meeting/name", "too_long")
    ]
    data = TABLE.replace("Three", line).encode()
    assert refused(lambda data: parse_csv(data, **whole), data) == [("line 4", "csv_syntax")]
    marks = TABLE.replace("Three", "a" + "\u0300" * 60_000).encode()
    assert refused(parse_csv, marks) == [("line 4, column 13 (runner_name)", "too_long")]


@pytest.mark.parametrize(
    "number", ["1" * 1_000_000, "-" + "9" * 5_000, "1e400", "NaN", "-Infinity"]
)
def test_numbers_without_measure(number: str) -> None:
    data = TEXT.replace('"number": 2, "name": "Two"', f'"number": {number}, "name": "Two"', 1)
    [(place, code)] = refused(parse_json, data.encode())
    assert place == "/races/0/runners/1/number"
    assert code == ("out_of_range" if number.lstrip("-").isdigit() else "wrong_type")


def test_errors_beyond_counting_end_the_reading() -> None:
    errors = refused(parse_csv, TABLE.encode() + b"x\n" * 500_000)
    assert len(errors) == MAX_FAULTS + 1
    assert errors[-1] == (f"line {MAX_FAULTS + 4}", "too_many_errors")
    foreign = json.dumps({**MEETING, **{f"f{index}": 0 for index in range(50_000)}})
    assert refused(parse_json, foreign.encode())[-1][1] == "too_many_errors"


def test_every_code_is_met_above() -> None:
    met = {code for *_, errors in [*JSON_FAULTS, *JSON_FILES, *CSV_FILES] for _, code in errors}
    elsewhere = {
        "too_large",
        "too_many_errors",
        "unknown_field",
        "out_of_range",
        "inconsistent",
        "control_character",
        "wrong_type",
    }
    assert met | elsewhere == set(SENTENCES)


@given(st.data())
@settings(deadline=None, max_examples=tries(300))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    parse, whole = data.draw(
        st.sampled_from([(parse_json, TEXT.encode()), (parse_csv, TABLE.encode())])
    )
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(whole)))
        end = start + data.draw(st.integers(0, 8))
        whole = whole[:start] + data.draw(st.binary(max_size=6)) + whole[end:]
    try:
        programme = parse(whole)
    except ProgrammeInvalid as refusal:
        assert refusal.data["errors"]
        json.dumps(refusal.data["errors"], ensure_ascii=False).encode()
    else:
        assert programme.races
