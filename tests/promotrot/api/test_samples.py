"""Check that the example bodies of the schema are accepted."""

from typing import Any

import pytest

from core.staff.powers import Role
from promotrot.api import samples
from tests.support.api import Api, refused, staff_api

pytestmark = pytest.mark.django_db


HOME = "promotrot"


def _done(response: Any, status: int = 200) -> Any:
    assert response.status_code == status, response.content
    return response.json()


def _both(one: Api, other: Api, path: str, body: Any = None) -> None:
    proposal = _done(one.post(path, body), 201)["proposal"]
    _done(other.post(f"proposals/{proposal}/confirmation"))


def _approved(one: Api, other: Api, definition: dict[str, Any]) -> str:
    answer = _done(one.post(f"{HOME}/games", {"definition": definition}), 201)
    version = f"{HOME}/games/{answer['game']}/versions/{answer['version']}"
    assert _done(one.get(f"{version}/check"))["faults"] == []
    _both(one, other, f"{version}/approval")
    assert _done(one.get(version))["approval"]["percentages"]["worst"] == 70
    return str(answer["game"])


def test_the_example_is_a_game_that_passes() -> None:
    one, other = staff_api(Role.ORGANISER), staff_api(Role.ORGANISER)
    assert _approved(one, other, samples.GAME["definition"]) == "three-trophies"
    refused(one.post(f"{HOME}/games", {"definition": {"format": "x"}}), 422, "game_refused")
    refused(one.post(f"{HOME}/games/none/ending", {"winners": 1}), 404, "game_unknown")
    _both(one, other, f"{HOME}/games/three-trophies/ending", {"winners": 0})
