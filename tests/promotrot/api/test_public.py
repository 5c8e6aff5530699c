"""Show emissions to the public through the API, late and in three languages."""

import pytest

from promotrot.services.figures import figures_take
from tests.support import emitting
from tests.support.api import Api, refused
from tests.support.promotrot.approving import HOME, done

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.III.5.2")
def test_what_the_public_is_told_in_its_language_and_late() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 5)
    figures_take(emission=emission)
    anybody = Api()
    for language, name in (("ca", "La volta d'honor"), ("en", "Lap of Honour")):
        answer = done(anybody.get(f"{HOME}/public/emissions/small/1", lang=language))
        assert answer["name"] == name and answer["rules"]
    assert (answer["prize_percent"], answer["price_cents"]) == ("70", 100)
    assert (answer["tickets_remaining"], answer["top_prize_left"]) == (40, True)
    assert [(tier["count"], tier["remaining"]) for tier in answer["tiers"]] == [(2, 2), (20, 20)]
    listed = done(anybody.get(f"{HOME}/public/emissions"))
    assert [item["reference"] for item in listed["items"]] == ["small/1"]


@pytest.mark.article("15.III.5.2")
def test_the_poster_shows_rules_percentage_price_and_prizes() -> None:
    emitting.opened(emitting.document("six-at-the-post"))
    home = f"{HOME}/public/emissions/six-at-the-post/1/poster"
    answer = Api().get(f"{home}.html", lang="en").content.decode()
    for text in (
        "Six at the Post",
        "72 %",
        "Electric bicycle",
        "€1,500.00",
        "15,000",
        "six winners",
    ):
        assert text in answer, text
    assert Api().get(f"{home}.pdf", lang="ca").content.startswith(b"%PDF")
    refused(
        Api().get(f"{HOME}/public/emissions/six-at-the-post/2/poster.pdf"), 404, "emission_unknown"
    )
