"""Build both kinds of game on forms: what a definition says comes back whole from its form."""

import pytest

from promotrot.admin.building.predrawn_form import PredrawnForm
from promotrot.admin.building.probabilistic_form import ProbabilisticForm
from tests.support import emitting
from tests.support.promotrot.game_form import filled

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.II.2")]
SHIPPED = ("lap-of-honour", "letter-by-letter", "six-at-the-post", "five-stalls", "trotters-ladder")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_form_of_a_game_is_the_game(name: str) -> None:
    form = filled(name)
    assert not form.errors
    assert form.cleaned_data["document"] == emitting.document(name)


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
