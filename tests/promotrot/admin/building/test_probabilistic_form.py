"""Build a game in which the play decides: each fault stands at its field, in words."""

import pytest

from tests.support.promotrot.game_form import filled

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.II.2")]
SHIPPED = ("lap-of-honour", "letter-by-letter", "six-at-the-post", "five-stalls", "trotters-ladder")


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
