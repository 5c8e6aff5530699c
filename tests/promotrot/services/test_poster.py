"""Make the poster of an emission in three languages (15.III.5.2)."""

import pytest

from core.receipts.output import LanguageUnknown, Output
from promotrot.models.emission import Emission
from promotrot.services.poster import emission_poster

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.III.5.2")
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ca", ("La volta d'honor", "4,00 €")),
        ("es", ("4,00 €",)),
        ("en", ("Lap of Honour", "€4.00", "Price of a ticket")),
    ],
)
def test_the_poster_has_price_percentage_prizes_and_rules(
    emission: Emission, language: str, words: tuple[str, ...]
) -> None:
    text = emission_poster(emission=emission, output=Output("txt"), language=language).decode()
    for word in (*words, "small/1", "70 %", "40", "20"):
        assert word in text, word


def test_the_poster_is_the_same_bytes_each_time_and_in_known_languages_only(
    emission: Emission,
) -> None:
    once, twice = (
        emission_poster(emission=emission, output=Output("pdf"), language="ca") for _ in range(2)
    )
    assert once == twice
    assert once.startswith(b"%PDF")
    with pytest.raises(LanguageUnknown):
        emission_poster(emission=emission, output=Output("pdf"), language="de")
