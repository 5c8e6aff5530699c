"""Check an auditor's file: its limits, and that no fault of a case stops the other cases."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contributions import ContributedTwice
from core.tools.whatif.answers import FileMalformed, answers, read_cases
from core.tools.whatif.kinds import kinds
from core.tools.whatif.whatif import price
from tests.support.contributing import contributed
from tests.support.running.effort import tries

CASES = json.loads(
    (Path(__file__).resolve().parents[3] / "golden" / "cases.json").read_text("utf-8")
)["cases"]
SAMPLE = {case["kind"]: case for case in CASES}
SAMPLE["settlement"] = next(case for case in CASES if case["id"] == "G06")  # with a bet type
KINDS = {
    *("settlement", "chain", "end_to_end", "substitution", "draw_field", "hits"),
    *("closing", "dates", "payment", "price", "voucher", "emission", "game_close"),
}


def _ask(*cases: Any) -> list[Any]:
    return list(answers(read_cases(json.dumps({"cases": cases}).encode())))


def _changed(kind: str, path: tuple[Any, ...], value: Any) -> Any:
    case = copy.deepcopy(SAMPLE[kind])
    table = case["input"]
    for key in path[:-1]:
        table = table[key]
    if value is ...:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    return case


def test_every_kind_of_the_rulebook_is_known_and_has_an_example() -> None:
    assert set(kinds()) >= KINDS
    assert set(SAMPLE) == KINDS


def test_two_functions_for_one_kind_are_refused() -> None:
    twice = {"price": price}, {"price": lambda value: None}
    with contributed("whatif", "KINDS", *twice), pytest.raises(ContributedTwice, match="price"):
        kinds()


def test_a_refused_case_does_not_stop_the_others() -> None:
    good = SAMPLE["price"]
    bad = {"id": "bad", "kind": "settlement", "input": {"takings": -1}}
    first, second, third = _ask(good, bad, good)
    assert first == third == {"id": good["id"], "output": good["expected"]}
    assert second["id"] == "bad"
    assert second["error"]["code"] == "missing_field"
    assert second["error"].keys() == {"code", "detail"}


@pytest.mark.parametrize(
    ("kind", "path", "value", "code"),
    [
        ("settlement", ("takings",), -1, "out_of_range"),
        ("payment", ("amount",), 0, "amount_not_payable"),
        ("payment", ("bearer",), "receipt", "out_of_range"),
        ("price", ("game",), "bingo", "out_of_range"),
        ("price", ("game",), [], "wrong_type"),
        ("voucher", ("issue_day",), 20240131, "wrong_type"),
        ("emission", ("prizes",), [[1]], "wrong_type"),
        ("emission", ("prizes",), [[0, 1]], "emission_malformed"),
        ("game_close", ("awarded",), None, "wrong_type"),
    ],
)
def test_each_fault_has_its_code(kind: str, path: tuple[Any, ...], value: Any, code: str) -> None:
    (answer,) = _ask(_changed(kind, path, value))
    assert answer["error"]["code"] == code
    assert answer["error"]["detail"]


@pytest.mark.parametrize(
    ("case", "code"),
    [
        (None, "case_malformed"),
        ([], "case_malformed"),
        ({}, "case_malformed"),
        ({"id": "x", "kind": "price"}, "case_malformed"),
        ({"id": [], "kind": "price", "input": {}}, "case_malformed"),
        ({"id": "x", "kind": {}, "input": {}}, "case_malformed"),
        ({"id": "x", "kind": "no such", "input": {}}, "unknown_kind"),
        ({"id": "x", "kind": "price", "input": None}, "wrong_type"),
    ],
)
def test_a_case_that_is_none_is_answered(case: Any, code: str) -> None:
    (answer,) = _ask(case)
    assert answer["error"]["code"] == code


@pytest.mark.parametrize("number", ["9" * 10_000, "NaN", "-Infinity", "1e400", "1.0"])
def test_a_number_beyond_reason_spoils_its_case_alone(number: str) -> None:
    case = json.dumps(SAMPLE["game_close"]).replace(": 1001", f": {number}")
    good = json.dumps(SAMPLE["price"])
    bad, fine = answers(read_cases(f'{{"cases": [{case}, {good}]}}'.encode()))
    assert bad["error"] == {
        "code": "wrong_type",
        "detail": "input.takings: an integer is needed",
    }
    assert "output" in fine


def test_a_decimal_number_is_an_exact_percentage() -> None:
    as_text = _changed("settlement", ("bet_type", "prize_percent"), "65.5")
    as_number = _changed("settlement", ("bet_type", "prize_percent"), 65.5)
    first, second = _ask(as_text, as_number)
    assert first["output"] == second["output"]


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"[]", b"{}", b'{"cases": {}}', b"\xff\xfe", b"[" * 10**5, b'"cases"', b"nul"),
        *(
            b'{"cases": []} 1',
            b'{"cases": [], "cases": []}',
            b'{"cases": %s}' % (b"[" * 40 + b"]" * 40),
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_whole(content: bytes) -> None:
    with pytest.raises(FileMalformed):
        read_cases(content)


def test_payment_of_a_voucher_and_a_day_can_be_asked() -> None:
    given_day = {"amount": 30000, "bearer": "voucher", "day": "2024-01-01"}
    (answer,) = _ask({"id": 1, "kind": "payment", "input": given_day})
    assert answer["id"] == 1
    assert answer["output"]["allowed"] == ["central_office", "authorised_entity"]


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.integers(0, 40)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["7", "run", "2024-02-29", "9999-12-31", "0001-01-01T00:00:00+14:00"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A good case with one value, somewhere, replaced by anything or removed."""
    case = copy.deepcopy(draw(st.sampled_from(CASES)))
    table: Any = case
    key: Any = "input"
    while isinstance(table[key], dict | list) and table[key] and draw(st.integers(0, 5)):
        table = table[key]
        keys = sorted(table) if isinstance(table, dict) else range(len(table))
        key = draw(st.sampled_from(keys))
    if isinstance(table, dict) and key != "input" and not draw(st.integers(0, 4)):
        del table[key]
    else:
        table[key] = draw(JUNK)
    return case


@settings(max_examples=tries(1500), deadline=None)
@given(spoilt())
def test_no_spoilt_case_ends_in_a_traceback(case: Any) -> None:
    (answer,) = _ask(case)
    assert set(answer) in ({"id", "output"}, {"id", "error"})
    json.dumps(answer)


@settings(max_examples=tries(300), deadline=None)
@given(st.sampled_from(sorted(KINDS)), JUNK)
def test_no_input_at_all_ends_in_a_traceback(kind: str, value: Any) -> None:
    (answer,) = _ask({"id": "x", "kind": kind, "input": value})
    assert "error" in answer
