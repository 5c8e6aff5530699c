"""Answer malformed amendments and ends field by field, and list what was decided [A19, A21]."""

from typing import Any

import pytest

from lototrot.api import samples
from tests.support.api import Api, places, refused

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("path", "body", "wanted"),
    [
        (
            "figures-amendments",
            samples.AMENDMENT | {"in_force_from": "soon", "figures": {"legs": 7}},
            {
                "$.in_force_from": "invalid",
                "$.figures.jackpot_threshold_cents": "required",
                "$.figures.shares_below": "required",
                "$.figures.shares_above": "required",
            },
        ),
        (
            "ends",
            samples.GAME_END | {"destinations": [{"source": "pocket", "cents": 0}]},
            {"$.destinations[0].source": "invalid_choice", "$.destinations[0].cents": "min_value"},
        ),
    ],
)
def test_each_wrong_field_is_named(
    organiser: Api, path: str, body: dict[str, Any], wanted: dict[str, str]
) -> None:
    problem = refused(organiser.post(f"lototrot/{path}", body), 422, "fields_invalid")
    assert places(problem) == wanted


def test_nothing_decided_is_an_empty_list(organiser: Api) -> None:
    for path in ("figures-amendments", "ends"):
        assert organiser.get(f"lototrot/{path}").json()["items"] == []
        refused(Api().get(f"lototrot/{path}"), 401, "credentials_missing")
