"""Read one meeting from both formats, as the manual of the format says (14.III.5.2)."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lototrot.engine import programme_fields
from lototrot.engine.programme import (
    SENTENCES,
    Programme,
)
from lototrot.engine.programme_csv import parse_csv
from lototrot.engine.programme_json import parse_json, to_json
from tests.support.programmes import programmes, rows_of, written
from tests.support.running.effort import tries

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.article("14.III.5.2")
@given(
    programmes(),
    st.sampled_from([",", ";"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.randoms(use_true_random=False),
)
@settings(deadline=None, max_examples=tries(30))
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
