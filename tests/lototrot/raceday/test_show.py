"""The settlement of the race day is printed in words and tables."""

from typing import Any

import pytest

from lototrot.raceday import show

FIGURES: dict[str, Any] = {
    "takings": 1_000_00,
    "prize_pool": 600_00,
    "organiser_share": 400_00,
    "jackpot_in": 0,
    "lapsed_in": 0,
    "tested_jackpot": 0,
    "reserve_in": 0,
    "reserve_paid_out": 0,
    "unwon_to_reserve": 0,
    "prizes_total": 420_00,
    "rounding_remainder": 0,
    "jackpot_out": 180_00,
    "reserve_out": 0,
    "regime": "9.2",
    "winners": {"4": 20, "5": 10, "6": 2, "7": 0},
    "shares": {"4": 180_00, "5": 120_00, "6": 120_00, "7": 180_00},
    "after_cascade": {"4": 180_00, "5": 120_00, "6": 120_00, "7": 180_00},
    "before_correction": {"4": 180_00, "5": 120_00, "6": 120_00, "7": 180_00},
    "after_correction": {"4": 180_00, "5": 120_00, "6": "12000/7", "7": 180_00},
    "prize_each": {"4": 9_00, "5": 12_00, "6": 60_00},
    "correction": {"halved": [], "joined": [], "after_halving": {}},
}


def test_a_settlement_is_printed_without_internal_names(capsys: pytest.CaptureFixture[str]) -> None:
    show.settlement({"figures": FIGURES, "races": [{}] * 7}, "2027-04-10")
    printed = capsys.readouterr().out
    assert "Settlement of the contest of 2027-04-10" in printed
    assert "{" not in printed and "_" not in printed
    assert "nothing is corrected (9.7)" in printed
    lines = printed.splitlines()
    assert lines[-4].split()[0] == "7/7" and lines[-4].rstrip().endswith("—")
    assert lines[-1].split()[:2] == ["4/7", "20"]
    assert "12000/7 cents" in printed


def test_a_correction_is_told_in_words() -> None:
    done = {"halved": [["6", "5"]], "joined": [["5", "4"]], "after_halving": {}}
    assert show.correction({"correction": done}) == [
        "5 right would win more than 6: both get half of their sum (9.7)",
        "5 and 4 right share one prize, as a lower one would still win more (9.7)",
    ]


def test_a_ticket_shows_what_replaced_its_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    race = {"position": 4, "marks": [{"trace": [6, 7, 8]}, {"trace": [13]}], "right": [6, 13]}
    details = {
        "premises": "P-0009",
        "bets": 2,
        "winning_bets": [{"bets": 1, "hits": 6}],
        "races": [race],
    }
    show.traced_ticket({"amount_cents": 2_562_12, "details": details})
    printed = capsys.readouterr().out
    assert "A ticket of 2 bets, sold at P-0009, wins 2,562.12 €: 1 bet with 6 right." in printed
    assert "6 → 7 → 8, 13" in printed
