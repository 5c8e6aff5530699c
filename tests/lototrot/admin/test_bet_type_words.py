"""A bet type in words: percentages, categories, and what another version changes."""

from datetime import date
from fractions import Fraction

import pytest
from django.utils.translation import override

from lototrot.admin import bet_type_words as words
from lototrot.engine.bet_type import shipped
from lototrot.engine.trial import PastRound, tried
from lototrot.models.contest import BetType

OWN = shipped("lototrot", minimum_prize_percent=Fraction(60))
CONTENT = {
    "document": OWN.to_document(),
    "price_cents": 100,
    "rules": {"ca": "Set\n\n<b>curses</b>"},
    "authorisation": "CAIB 1",
}


@pytest.mark.parametrize(
    ("exact", "english", "catalan"),
    [
        (Fraction(65), "65 %", "65 %"),
        (Fraction(13, 2), "6.5 %", "6,5 %"),
        (Fraction(200, 3), "66.67 %", "66,67 %"),
        (Fraction(281, 2), "140.5 %", "140,5 %"),
    ],
)
def test_a_percentage_reads_as_in_the_language(exact: Fraction, english: str, catalan: str) -> None:
    for language, text in (("en", english), ("ca", catalan)):
        with override(language):
            assert words.percent(exact) == text


def test_only_what_is_otherwise_is_marked() -> None:
    other = OWN.to_document() | {"prize_percent": "62.5"}
    before = BetType(code=OWN.code, version=1, document=other, price_cents=100, rules={})
    with override("en"):
        facts = {str(name): value for name, value in words.facts(CONTENT, before)}
        alone = {str(name): value for name, value in words.facts(CONTENT)}
    assert "62.5 %" in facts["percentage to prizes"]
    assert facts["price of a bet"] == alone["price of a bet"] == "€1.00"
    catalan = next(value for name, value in facts.items() if name.startswith("Rules in C"))
    assert "Another text than before." in catalan
    assert "&lt;b&gt;" in catalan
    assert "<strong>" not in facts["shares of the prize money"]


def test_a_round_says_whether_it_is_an_estimate() -> None:
    past = PastRound(date(2027, 4, 10), "<Reunió>", (5, 3, 2), (5, 5))
    rounds = tried([past], OWN, 100)
    with override("en"):
        table = words.past_table(rounds)
        assert "&lt;Reunió&gt; <small>(estimate)</small>" in table
        assert '<svg class="house-chart' in words.past_chart(rounds)
        assert words.of_a_bet(OWN, 100).startswith("Of a bet of €1.00: 60 % to prizes, 40 %")
        assert "100 %" in words.sums(OWN)
