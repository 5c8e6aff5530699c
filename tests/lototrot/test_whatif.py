"""Answer questions about Lototrot from a case alone, and name the fault of a bad case."""

import copy
import json
from datetime import date
from typing import Any

import pytest

from core.kernel.errors import DomainError, Invalid
from core.tools.embedded.server import ROOT
from lototrot.engine.dates import last_claim_day
from lototrot.whatif import KINDS

CASES = [
    case
    for case in json.loads((ROOT / "tests" / "golden" / "cases.json").read_text("utf-8"))["cases"]
    if case["kind"] in KINDS
]
SAMPLE = {case["kind"]: case for case in CASES}
SAMPLE["settlement"] = next(case for case in CASES if case["id"] == "G06")  # with a bet type
RACE = SAMPLE["substitution"]["input"]["race"]


def changed(kind: str, path: tuple[Any, ...], value: Any) -> Any:
    """Return the input of a good case with one value changed, or removed if it is `...`."""
    inputs = copy.deepcopy(SAMPLE[kind]["input"])
    table = inputs
    for key in path[:-1]:
        table = table[key]
    if value is ...:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    return inputs


def test_every_kind_has_a_worked_example() -> None:
    assert set(SAMPLE) == set(KINDS)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_worked_example_is_answered_with_at_least_its_figures(case: Any) -> None:
    answer = KINDS[case["kind"]](case["input"])
    expected = case["expected"]
    if not isinstance(expected, dict):
        assert answer == expected
        return
    assert isinstance(answer, dict)
    assert {key: answer[key] for key in expected} == expected


FAULTS = [
    ("settlement", ("takings",), -1, "out_of_range"),
    ("settlement", ("takings",), 10**16, "out_of_range"),
    ("settlement", ("takings",), 1.5, "wrong_type"),
    ("settlement", ("takings",), True, "wrong_type"),
    ("settlement", ("takings",), "100", "wrong_type"),
    ("settlement", ("takings",), ..., "missing_field"),
    ("settlement", ("taking",), 5, "unknown_field"),
    ("settlement", ("winners",), [], "wrong_type"),
    ("settlement", ("winners", "8"), ..., "missing_field"),
    ("settlement", ("winners", "5"), 1, "unknown_field"),
    ("settlement", ("bet_type",), 7, "wrong_type"),
    ("settlement", ("bet_type", "legs"), 70, "bet_type_refused"),
    ("settlement", ("bet_type", "prize_percent"), "59", "bet_type_refused"),
    ("settlement", ("bet_type", "colour"), "red", "unknown_field"),
    ("chain", ("meetings", 1, "day"), "2024-01-31", "meetings_out_of_order"),
    ("chain", ("meetings", 1, "day"), "2024-01-01", "meetings_out_of_order"),
    ("chain", ("meetings", 1, "day"), "2024-02-30", "wrong_type"),
    ("chain", ("meetings", 1, "day"), "20240301", "wrong_type"),
    ("chain", ("meetings", 2, "day"), "9999-12-31", "day_out_of_range"),
    ("chain", ("meetings", 0, "order_day"), "soon", "wrong_type"),
    ("chain", ("meetings", 0, "claimed"), {"5": 41}, "out_of_range"),
    ("chain", ("meetings", 0, "claimed"), {"3": 0}, "unknown_field"),
    ("chain", ("meetings",), {}, "wrong_type"),
    ("end_to_end", ("price",), 49, "price_out_of_range"),
    ("end_to_end", ("tickets",), [], "wrong_type"),
    ("end_to_end", ("tickets", "A"), [[2]], "wrong_race_count"),
    ("end_to_end", ("tickets", "A"), [[2], []], "empty_race"),
    ("end_to_end", ("tickets", "A"), [[2], [3]], "unknown_number"),
    ("end_to_end", ("tickets", "A"), [[2, 2], [1]], "repeated_number"),
    ("end_to_end", ("tickets", "A"), [[2], "1"], "wrong_type"),
    ("end_to_end", ("races",), [RACE], "wrong_race_count"),
    ("end_to_end", ("races", 0, "winners"), [2], "wrong_winner"),
    ("end_to_end", ("races", 0, "winners"), [], "no_result"),
    ("substitution", ("number",), 32, "number_not_in_programme"),
    ("substitution", ("race", "programme"), [0, 1], "race_malformed"),
    ("substitution", ("race", "programme"), [1, 1], "repeated_value"),
    ("substitution", ("race", "outcome"), "cancelled", "out_of_range"),
    ("substitution", ("race", "outcome"), None, "wrong_type"),
    ("substitution", ("race", "left"), ..., "missing_field"),
    ("draw_field", ("race", "outcome"), "run", "no_draw"),
    ("hits", ("ticket",), {}, "wrong_type"),
    ("hits", ("races",), [], "wrong_race_count"),
    ("closing", ("starts",), [None], "wrong_type"),
    ("closing", ("organiser",), "2024-07-14T12:00:00", "wrong_type"),
    ("closing", ("organiser",), "noon", "wrong_type"),
    ("dates", ("order_day",), "9999-12-32", "wrong_type"),
    ("dates", ("results_day",), "9999-12-31", "day_out_of_range"),
]


@pytest.mark.parametrize(("kind", "path", "value", "code"), FAULTS)
def test_each_fault_has_its_code(kind: str, path: tuple[Any, ...], value: Any, code: str) -> None:
    with pytest.raises(DomainError) as fault:
        KINDS[kind](changed(kind, path, value))
    assert fault.value.code == code


def meeting(day: str, **more: Any) -> dict[str, Any]:
    """Return a meeting of a chain in which one bet has six races right."""
    return {"day": day, "takings": 100_000, "winners": {"7": 0, "6": 1, "5": 0, "4": 0}, **more}


def chain_of(*meetings: dict[str, Any]) -> dict[str, Any]:
    answer = KINDS["chain"]({"jackpot_in": 0, "reserve_in": 0, "meetings": list(meetings)})
    assert isinstance(answer, dict)
    return answer


@pytest.mark.article("14.III.10.7")
def test_unclaimed_prizes_go_to_the_first_meeting_after_the_last_day_to_claim() -> None:
    day = date(2024, 1, 31)
    last = last_claim_day(day, day, 30)
    unclaimed = meeting(day.isoformat(), claimed={"6": 0})
    same_day = meeting(last.isoformat())
    after = meeting("2024-03-02")
    first, _, third = chain_of(unclaimed, same_day, after)["meetings"]
    assert first["last_claim_day"] == last.isoformat()
    assert first["unclaimed"] == first["prize_each"]["6"] > 0
    assert first["unclaimed_to"] == "2024-03-02"
    assert third["lapsed_in"] == first["unclaimed"]
    alone = chain_of(unclaimed, same_day)
    assert alone["meetings"][0]["unclaimed_to"] is None
    assert alone["unclaimed_not_placed"] == first["unclaimed"]


@pytest.mark.article("14.III.10.2")
def test_the_days_to_claim_run_from_the_results_and_not_from_the_meeting() -> None:
    (late,) = chain_of(meeting("2024-01-31", results_day="2024-02-02"))["meetings"]
    (usual,) = chain_of(meeting("2024-01-31"))["meetings"]
    assert (usual["last_claim_day"], late["last_claim_day"]) == ("2024-03-01", "2024-03-03")


@pytest.mark.article("14.III.4")
def test_a_closing_is_given_back_as_it_was_written() -> None:
    inputs = {
        "starts": ["2024-07-14T18:00:00+02:00"],
        "not_run": [],
        "organiser": "2024-07-14T11:30:00-04:00",
    }
    assert KINDS["closing"](inputs) == {"closes": "2024-07-14T11:30:00-04:00"}
    nothing: dict[str, Any] = {"starts": [], "not_run": [], "organiser": None}
    assert KINDS["closing"](nothing) == {"closes": None}


@pytest.mark.article("14.III.2")
@pytest.mark.parametrize("price", [50, 600])
def test_the_limits_of_the_price_are_within_them(price: int) -> None:
    answer = KINDS["end_to_end"](changed("end_to_end", ("price",), price))
    assert isinstance(answer, dict)
    assert answer["takings"] % price == 0
    with pytest.raises(DomainError) as fault:
        KINDS["end_to_end"](changed("end_to_end", ("price",), 601))
    assert fault.value.code == "price_out_of_range"


@pytest.mark.article("14.III.10.2")
def test_a_late_payment_order_moves_the_last_day_to_claim() -> None:
    """[D7]"""
    inputs = {"meeting_day": "2024-01-31", "results_day": "2024-01-31"}
    in_time = KINDS["dates"](inputs | {"order_day": "2024-02-01"})
    late = KINDS["dates"](inputs | {"order_day": "2024-02-04"})
    assert in_time == KINDS["dates"](inputs)
    assert isinstance(in_time, dict) and isinstance(late, dict)
    assert in_time["last_claim_day"] == "2024-03-01"
    assert late["last_claim_day"] == "2024-03-04"
    assert late["first_pay_day"] == in_time["first_pay_day"]


@pytest.mark.article("14.III.8.1", "14.III.10.2")
@pytest.mark.parametrize(
    ("results_at", "more", "first_pay_day"),
    [
        ("2030-06-07T23:59:59+02:00", {}, "2030-06-08"),
        ("2030-06-08T00:10:00+02:00", {}, "2030-06-08"),
        ("2030-06-08T06:00:00+02:00", {}, "2030-06-09"),
        (
            "2030-06-08T00:10:00+02:00",
            {"meeting_ends_at": "2030-06-08T00:10:00+02:00"},
            "2030-06-09",
        ),
    ],
)
def test_a_result_of_the_night_is_of_the_meetings_day(
    results_at: str, more: dict[str, str], first_pay_day: str
) -> None:
    """[B15]"""
    inputs = {"meeting_day": "2030-06-07", "results_at": results_at} | more
    answer = KINDS["dates"](inputs)
    assert isinstance(answer, dict)
    assert answer["first_pay_day"] == first_pay_day
    with pytest.raises(Invalid):
        KINDS["dates"](inputs | {"results_day": "2030-06-07"})
