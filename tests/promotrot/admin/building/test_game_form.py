"""Build both kinds of game on forms: what a definition says comes back whole from its form."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils.translation import override

from promotrot.admin.building.game_form import GameForm
from promotrot.admin.building.predrawn_form import PredrawnForm
from promotrot.admin.building.probabilistic_form import ProbabilisticForm
from tests.support import emitting
from tests.support.game_form import form_of, typed_as

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.II.2")]
SHIPPED = ("lap-of-honour", "letter-by-letter", "six-at-the-post", "five-stalls", "trotters-ladder")


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with override("en"):
        yield


def filled(name: str, **changes: Any) -> GameForm:
    version = emitting.recorded(emitting.document(name))
    form = form_of(version)(typed_as(version, **changes), target=version)
    form.is_valid()
    return form


@pytest.mark.parametrize("name", SHIPPED)
def test_the_form_of_a_game_is_the_game(name: str) -> None:
    form = filled(name)
    assert not form.errors
    assert form.cleaned_data["document"] == emitting.document(name)


def test_the_percentage_is_computed() -> None:
    form = filled("lap-of-honour", code="other", count_7="126000")
    assert not form.errors
    assert form.cleaned_data["document"]["prize_percent"] == "71"


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
        ({"code": "lap-of-honour", "tickets": "599999"}, "code", "name it anew"),
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


@pytest.mark.article("15.III.6.5")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"worth_0": ""}, "worth_0"),
        ({"source_0": " "}, "source_0"),
        ({"valued_0": ""}, "valued_0"),
        ({"valued_0": "2999-01-01"}, "valued_0"),
        ({"thing_ca_0": ""}, "thing_ca_0"),
    ],
)
def test_a_thing_needs_its_worth_its_source_and_its_day(
    changes: dict[str, str], field: str
) -> None:
    assert field in filled("six-at-the-post", **{"code": "other"} | changes).errors


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"contents_2": "3 5 6 0"}, "contents_2", "Every set has the same number of places"),
        ({"contents_2": "3 five"}, "contents_2", "Numbers of prizes with a space between two"),
        ({"contents_0": "9 5 6 0 0"}, "contents_0", "There is no such prize"),
        ({"weight_1": ""}, "weight_1", "Fill this in."),
        ({"openings": ""}, "openings", "Fill this in."),
        ({"contents_4": "0 0 0 0 0"}, "cash_0", "At least 70 % goes to prizes"),
        ({"label_ca_keep": ""}, "label_ca_keep", "Fill this in."),
        ({"play": "ladder"}, "stop_1", "Fill this in."),
    ],
)
def test_the_faults_of_hidden_places(changes: dict[str, str], field: str, sentence: str) -> None:
    form = filled("five-stalls", **{"code": "other"} | changes)
    assert any(sentence in fault for fault in form.errors.get(field, [])), form.errors


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"up_0": "51"}, "up_0", "A chance is above 0, and 1 at most"),
        ({"rise_3": "9"}, "rise_3", "A way leads to a rung above"),
        ({"stop_6": ""}, "stop_5", "The last rung has no way up"),
        ({"stop_3": "9"}, "stop_3", "There is no such prize"),
        ({"from_1": "0", "act_1": "0"}, "act_1", "A rung has each way up once"),
        ({"act_2": ""}, "act_2", "Fill this in."),
        ({"act_en_1": ""}, "act_en_1", "Fill this in."),
        ({"up_0": "1", "of_0": "50"}, "cash_0", "At least 70 % goes to prizes"),
    ],
)
def test_the_faults_of_a_ladder(changes: dict[str, str], field: str, sentence: str) -> None:
    form = filled("trotters-ladder", **{"code": "other"} | changes)
    assert any(sentence in fault for fault in form.errors.get(field, [])), form.errors


def test_what_is_not_filled_in_yet_is_not_told_while_one_types() -> None:
    form = PredrawnForm({"price_cents": "1", "tickets": "40", "cash_0": "10"})
    form.is_valid()
    assert form.faults() == []
    assert "cash_1" not in form.live()["absent"].split(), "one line more than is filled in"
    assert "cash_2" in form.live()["absent"].split()


def test_fields_of_other_pictures_are_away() -> None:
    away = filled("lap-of-honour").live()["absent"].split()
    assert {"word_0", "common_0", "letters", "thing_ca_1"} <= {*away}
    assert not {"sign_0", "columns", "label_ca_rosette"} & {*away}
    assert "label_ca_stall" not in filled("lap-of-honour").fields, "nobody has named it"
    numbers = filled("six-at-the-post").live()["absent"].split()
    assert {"sign_0", "columns", "match", "label_ca_trophy"} <= {*numbers}
    ladder = filled("trotters-ladder").live()["absent"].split()
    assert {"openings", "weight_0", "change_0", "label_ca_open", "act_ca_2"} <= {*ladder}
    assert not {"from_7", "act_ca_1", "stop_7"} & {*ladder}
    hidden = filled("five-stalls").live()["absent"].split()
    assert {"stop_0", "from_0", "act_ca_0", "label_ca_stop", "weight_6"} <= {*hidden}
    assert "weight_5" not in hidden


def test_the_form_of_the_other_kind_begins_empty() -> None:
    version = emitting.recorded(emitting.small())
    form = ProbabilisticForm(target=version)
    assert "code" not in form.initial
    assert PredrawnForm(target=version).initial["code"] == "small"
