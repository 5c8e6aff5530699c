"""Amounts in words, as a cheque states them."""

import pytest

from core.receipts.spelling import amount_in_words

# By cents: Catalan, Spanish, English.
AMOUNTS = {
    1: ("un cèntim", "un céntimo", "one cent"),
    1_00: ("un euro", "un euro", "one euro"),
    2_00: ("dos euros", "dos euros", "two euros"),
    16_17: (
        "setze euros amb disset cèntims",
        "dieciséis euros con diecisiete céntimos",
        "sixteen euros and seventeen cents",
    ),
    21_00: ("vint-i-un euros", "veintiún euros", "twenty-one euros"),
    31_22: (
        "trenta-un euros amb vint-i-dos cèntims",
        "treinta y un euros con veintidós céntimos",
        "thirty-one euros and twenty-two cents",
    ),
    100_00: ("cent euros", "cien euros", "one hundred euros"),
    101_30: (
        "cent un euros amb trenta cèntims",
        "ciento un euros con treinta céntimos",
        "one hundred and one euros and thirty cents",
    ),
    1_000_00: ("mil euros", "mil euros", "one thousand euros"),
    1_001_00: ("mil un euros", "mil un euros", "one thousand and one euros"),
    2_562_12: (
        "dos mil cinc-cents seixanta-dos euros amb dotze cèntims",
        "dos mil quinientos sesenta y dos euros con doce céntimos",
        "two thousand five hundred and sixty-two euros and twelve cents",
    ),
    21_000_00: ("vint-i-un mil euros", "veintiún mil euros", "twenty-one thousand euros"),
    100_000_00: ("cent mil euros", "cien mil euros", "one hundred thousand euros"),
    731_999_99: (
        "set-cents trenta-un mil nou-cents noranta-nou euros amb noranta-nou cèntims",
        "setecientos treinta y un mil novecientos noventa y nueve euros con noventa y nueve"
        " céntimos",
        "seven hundred and thirty-one thousand nine hundred and ninety-nine euros"
        " and ninety-nine cents",
    ),
    1_000_000_00: ("un milió d'euros", "un millón de euros", "one million euros"),
    1_000_001_21: (
        "un milió un euros amb vint-i-un cèntims",
        "un millón un euros con veintiún céntimos",
        "one million and one euros and twenty-one cents",
    ),
    1_234_000_000_00: (
        "mil dos-cents trenta-quatre milions d'euros",
        "mil doscientos treinta y cuatro millones de euros",
        "one thousand two hundred and thirty-four million euros",
    ),
    2_000_000_05: (
        "dos milions d'euros amb cinc cèntims",
        "dos millones de euros con cinco céntimos",
        "two million euros and five cents",
    ),
}


@pytest.mark.parametrize("cents", AMOUNTS)
def test_amounts_are_spelled_in_each_language(cents: int) -> None:
    spelled = tuple(amount_in_words(cents, language) for language in ("ca", "es", "en"))
    assert spelled == AMOUNTS[cents]


@pytest.mark.parametrize("language", ["ca", "es", "en"])
def test_no_two_amounts_are_spelled_alike(language: str) -> None:
    amounts = [*range(1, 3_000), *range(3_000, 2_000_000_00, 7_919_13)]
    assert len({amount_in_words(cents, language) for cents in amounts}) == len(amounts)


@pytest.mark.parametrize("cents", [0, -1, 100 * 10**12])
def test_what_no_cheque_is_made_out_for_is_not_spelled(cents: int) -> None:
    with pytest.raises(ValueError, match="not spelled"):
        amount_in_words(cents, "ca")
