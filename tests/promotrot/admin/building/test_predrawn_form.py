"""Build a pre-drawn game: the percentage is computed, and each fault stands at its field."""

import pytest

from promotrot.admin.building.predrawn_form import PredrawnForm
from promotrot.engine.game_json import MAX_THING_CHARS, read_game
from tests.support.promotrot.game_form import filled

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.II.2")]
SHIPPED = ("lap-of-honour", "letter-by-letter", "six-at-the-post", "five-stalls", "trotters-ladder")


def test_the_percentage_is_computed() -> None:
    form = filled("lap-of-honour", code="other", count_7="126000")
    assert not form.errors
    assert form.cleaned_data["document"]["prize_percent"] == "71"


def test_a_thing_with_a_long_name_has_a_name_in_the_definition_that_fits() -> None:
    named = {f"thing_{code}_0": "A bicycle " * 10 for code in ("ca", "es", "en")}
    valued = {"worth_0": "1000", "source_0": "Three shops", "valued_0": "2026-01-01"}
    form = filled("lap-of-honour", code="other", thing_0="0", cash_0="", **named, **valued)
    assert not form.errors
    game = read_game(form.cleaned_data["document"])
    thing = game.kind.prizes[0].in_kind
    assert thing is not None and 0 < len(thing.description) < MAX_THING_CHARS


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"count_7": "119999"}, "cash_0", "At least 70 % goes to prizes (15.III.6.2)."),
        ({"count_7": ""}, "count_7", "Fill this in."),
        ({"cash_3": ""}, "cash_3", "A sum, or a thing, is missing here."),
        ({"cash_1": "500"}, "cash_1", "A tier is there twice (15.II.2)."),
        ({"thing_0": "1", "cash_0": ""}, "thing_0", "This thing is not described below."),
        ({"thing_0": "0"}, "cash_0", "A prize is in cash or a thing, not both."),
        ({"price_cents": "10,01"}, "price_cents", "From €0.20 to €10.00 (15.III.4)."),
        ({"tickets": "1000", "count_7": "1"}, "price_cents", "More goes to prizes than is taken"),
        ({"block_tickets": "9999"}, "block_tickets", "The size of the blocks is not allowed"),
        ({"sign_1": "trophy"}, "pictures", "A picture could be read in two ways"),
        ({"label_es_bell": ""}, "label_es_bell", "Fill this in."),
        ({"rows": "9"}, "rows", "A picture has at most 25 squares."),
        ({"code": "lap-of-honour", "tickets": "599999"}, "code", "give it a new name"),
        ({"code": "Vuit"}, "code", "Small letters, digits and hyphens."),
        ({"rules_en": ""}, "rules_en", "This field is required."),
    ],
)
def test_a_fault_is_told_at_its_field_in_words(
    changes: dict[str, str], field: str, sentence: str
) -> None:
    form = filled("lap-of-honour", **{"code": "other"} | changes)
    assert field in form.errors, form.errors
    assert any(sentence in fault for fault in form.errors[field]), form.errors


def test_what_is_not_filled_in_yet_is_not_told_while_one_types() -> None:
    form = PredrawnForm({"price_cents": "1", "tickets": "40", "cash_0": "10"})
    form.is_valid()
    assert form.faults() == []
    assert "cash_1" not in form.live()["absent"].split(), "one line more than is filled in"
    assert "cash_2" in form.live()["absent"].split()
