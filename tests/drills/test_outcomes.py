"""Tests of the outcomes: as JSON by drill, as a table, and as a page."""

import json
from pathlib import Path

from tests.drills.__main__ import EVERY, chosen
from tests.drills.outcomes import Outcome, counted, page, recorded, table, write


def outcomes() -> dict[str, Outcome]:
    good = Outcome(rounds=2, first_sales_s=[1.0, 3.0], passed=True, twin_lost=7)
    return {"primary": good, "web": Outcome(rounds=1, lost=1, notes=["one is missing"])}


def test_the_figures_have_the_agreed_names(tmp_path: Path) -> None:
    write(tmp_path / "var" / "drill.json", outcomes(), 5)
    document = json.loads((tmp_path / "var" / "drill.json").read_text())
    assert document["seed"] == 5
    agreed = {"rounds", "lost", "invented", "first_sale_p95_s", "passed", "twin_lost"}
    for name in ("primary", "web"):
        assert agreed <= document[name].keys()
    assert document["primary"]["first_sale_p95_s"] == 3.0
    assert document["web"]["first_sale_p95_s"] is None


def test_a_drill_that_lost_is_marked() -> None:
    lines = table(outcomes()).splitlines()
    assert lines[2].endswith("| 7 | yes |")
    assert lines[3].endswith("|  | NO |")
    assert "one is missing" in page(outcomes())


def test_a_run_of_one_drill_keeps_the_figures_of_the_others(tmp_path: Path) -> None:
    target = tmp_path / "drill.json"
    write(target, outcomes(), 5)
    again = Outcome(rounds=3, passed=True)
    again.end(7.25, 6, "loopback addresses")
    write(target, {"web": again}, 6)
    kept = recorded(target)
    assert kept["primary"].first_sales_s == [1.0, 3.0]
    assert (kept["web"].rounds, kept["web"].seed) == (3, 6)
    assert "seed 6, loopback addresses" in page(kept)


def test_the_page_keeps_what_it_says_of_drills_that_were_not_run() -> None:
    before = page(outcomes())
    assert page({}, before) == before
    again = page({"web": Outcome(rounds=3, passed=True)}, before).splitlines()
    assert "    * one is missing" not in again
    kept = [line for line in before.splitlines() if "primary" in line]
    assert [line for line in again if "primary" in line] == kept
    assert again.index("| web | 3 | 0 | 0 |  |  | yes |") == again.index(kept[0]) + 1


def test_drills_are_chosen_by_name() -> None:
    assert chosen("") == list(EVERY)
    assert chosen(" web, primary") == ["primary", "web"]
    try:
        chosen("flood")
    except ValueError as error:
        assert "flood" in str(error)


def test_what_was_met_is_told_in_words() -> None:
    assert counted({"502": 5, "503": 1, "busy": 2}) == "502 5 times, 503 once, busy twice"
    assert counted({}) == "none"
