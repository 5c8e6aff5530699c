"""Check that the example bodies of the schema are accepted."""

import pytest

from core.staff.powers import Role
from promotrot.api import samples
from tests.support.api import refused, staff_api
from tests.support.promotrot.approving import HOME, approved, both

pytestmark = pytest.mark.django_db


def test_the_example_is_a_game_that_passes() -> None:
    one, other = staff_api(Role.ORGANISER), staff_api(Role.ORGANISER)
    assert approved(one, other, samples.GAME["definition"]) == "three-trophies"
    refused(one.post(f"{HOME}/games", {"definition": {"format": "x"}}), 422, "game_refused")
    refused(one.post(f"{HOME}/games/none/ending", {"winners": 1}), 404, "game_unknown")
    both(one, other, f"{HOME}/games/three-trophies/ending", {"winners": 0})
