"""Read and write programmes as JSON; every error has its pointer (14.III.5.2)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lototrot.engine.programme import (
    Programme,
)
from lototrot.engine.programme_json import parse_json, to_json
from tests.support.programmes import programmes, refused
from tests.support.running.effort import tries


@pytest.mark.article("14.III.5.2")
@given(programmes())
@settings(deadline=None, max_examples=tries(30))
def test_written_and_read_again_it_is_the_same(programme: Programme) -> None:
    data = to_json(programme)
    again = parse_json(data)
    assert again == programme
    assert to_json(again) == data
    assert [race.scheduled_start.utcoffset() for race in again.races] == [
        race.scheduled_start.utcoffset() for race in programme.races
    ]


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
@settings(deadline=None, max_examples=tries(50))
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
