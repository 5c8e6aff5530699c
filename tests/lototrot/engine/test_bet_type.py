from fractions import Fraction
from typing import Any

import pytest

from lototrot.engine.bet_type import BetType, BetTypeRefused, Regime, shipped

LEAST = Fraction(60)
LOTOTROT = shipped("lototrot", minimum_prize_percent=LEAST)


def _read(**changes: Any) -> BetType:
    document = {**LOTOTROT.to_document(), **changes}
    document = {key: value for key, value in document.items() if value != "absent"}
    return BetType.from_document(document, minimum_prize_percent=LEAST)


def _faults(**changes: Any) -> set[tuple[str, str]]:
    with pytest.raises(BetTypeRefused) as caught:
        _read(**changes)
    return {(error["code"], error["field"]) for error in caught.value.data["errors"]}


@pytest.mark.article("14.III.6.1", "14.III.7", "14.III.9.2", "14.III.9.3")
def test_lototrots_own() -> None:
    assert (LOTOTROT.legs, LOTOTROT.categories) == (7, (7, 6, 5, 4))
    assert (LOTOTROT.prize_percent, LOTOTROT.payout_step_cents) == (60, 1)
    below, above = LOTOTROT.shares(Regime.BELOW), LOTOTROT.shares(Regime.ABOVE)
    assert (dict(below.categories), below.reserve) == ({7: 30, 6: 20, 5: 20, 4: 30}, 0)
    assert (dict(above.categories), above.reserve) == ({7: 20, 6: 20, 5: 20, 4: 30}, 10)


@pytest.mark.article("14.III.9.2", "14.III.9.3")
def test_the_regime_changes_above_the_threshold_not_at_it() -> None:
    assert LOTOTROT.regime(15_000_000) is Regime.BELOW
    assert LOTOTROT.regime(15_000_001) is Regime.ABOVE


@pytest.mark.parametrize(
    ("code", "categories"), [("five-races", (5, 4, 3)), ("eight-races", (8, 7, 6))]
)
def test_other_bet_types_are_only_documents(code: str, categories: tuple[int, ...]) -> None:
    assert shipped(code, minimum_prize_percent=LEAST).categories == categories


@pytest.mark.parametrize("code", ["lototrot", "five-races", "eight-races"])
def test_a_document_comes_back(code: str) -> None:
    bet_type = shipped(code, minimum_prize_percent=LEAST)
    again = BetType.from_document(bet_type.to_document(), minimum_prize_percent=LEAST)
    assert again == bet_type
    assert again.to_document() == bet_type.to_document()


def test_percentages_are_ints_or_decimal_texts() -> None:
    shares = {"7": 32.5, "6": "27.5", "5": 10, "4": "30.0"}
    assert ("bad_percent", "shares_below.7") in _faults(shares_below=shares)
    read = _read(shares_below={**shares, "7": "32.5"})
    assert read.below.categories[7] == Fraction(65, 2)


EIGHT = {"8": "40", "7": "30", "6": "30"}


@pytest.mark.article("14.III.6.1")
@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"prize_percent": "59.999999"}, ("prize_percent_too_low", "prize_percent")),
        ({"prize_percent": "100.1"}, ("bad_percent", "prize_percent")),
        ({"prize_percent": 60.5}, ("bad_percent", "prize_percent")),
        ({"prize_percent": "absent"}, ("bad_percent", "prize_percent")),
        ({"legs": 1}, ("bad_integer", "legs")),
        ({"legs": 11}, ("bad_integer", "legs")),
        ({"legs": True}, ("bad_integer", "legs")),
        ({"legs": 8}, ("categories_not_contiguous", "shares_below")),
        ({"payout_step_cents": 0}, ("bad_integer", "payout_step_cents")),
        ({"jackpot_threshold_cents": -1}, ("bad_integer", "jackpot_threshold_cents")),
        ({"jackpot_threshold_cents": 10**16}, ("bad_integer", "jackpot_threshold_cents")),
        ({"version": 0}, ("bad_integer", "version")),
        ({"code": " "}, ("bad_text", "code")),
        ({"name": 7}, ("bad_text", "name")),
        ({"colour": "red"}, ("unknown_field", "colour")),
        ({"shares_below": {}}, ("bad_shares", "shares_below")),
        ({"shares_below": [30, 20, 20, 30]}, ("bad_shares", "shares_below")),
        ({"shares_below": {"7": 50, "6": 49}}, ("shares_not_100", "shares_below")),
        ({"shares_below": {"7": 50, "6": "49.9999"}}, ("shares_not_100", "shares_below")),
        ({"shares_below": {"7": 50, "5": 50}}, ("categories_not_contiguous", "shares_below")),
        ({"shares_below": {"reserve": 100}}, ("categories_not_contiguous", "shares_below")),
        ({"shares_below": {"7": 50, "six": 50}}, ("categories_not_contiguous", "shares_below")),
        ({"shares_above": {"7": 50, "6": 50}}, ("categories_differ", "shares_above")),
        ({"shares_above": {"7": -10, "6": 110}}, ("bad_percent", "shares_above.7")),
    ],
)
def test_a_fault_is_named(changes: dict[str, Any], fault: tuple[str, str]) -> None:
    assert fault in _faults(**changes)


def test_no_category_is_nought_right() -> None:
    shares = {"2": 40, "1": 30, "0": 30}
    faults = _faults(legs=2, shares_below=shares, shares_above=shares)
    assert ("categories_not_contiguous", "shares_below") in faults


def test_all_faults_are_named_at_once() -> None:
    faults = _faults(legs=0, prize_percent="10", version="1", shares_above=None)
    assert {field for _, field in faults} >= {"legs", "prize_percent", "version", "shares_above"}


def test_a_document_is_an_object() -> None:
    with pytest.raises(BetTypeRefused):
        BetType.from_document([], minimum_prize_percent=LEAST)


def test_the_faults_come_in_the_order_of_the_form_with_its_words() -> None:
    shares = {"7": "x", "6": 10**400}
    with pytest.raises(BetTypeRefused) as caught:
        _read(colour="red", legs="7", shares_below=shares, shares_above={}, name="a\0")
    assert [(error["code"], error["field"]) for error in caught.value.data["errors"]] == [
        ("unknown_field", "colour"),
        ("bad_integer", "legs"),
        ("bad_percent", "shares_below.7"),
        ("bad_percent", "shares_below.6"),
        ("categories_not_contiguous", "shares_below"),
        ("bad_shares", "shares_above"),
        ("bad_text", "name"),
    ]
    assert caught.value.detail.endswith("; name: A text of 1 to 64 characters is needed.")
