"""Read the body of a sale: every error of its shape is named with its place."""

import json
import uuid
from typing import Any

import pytest
from rest_framework.exceptions import ValidationError

from core.api import bodies
from lototrot.api.sale import SaleIn, sale_request
from lototrot.models.contest import Contest
from lototrot.services.tickets.selling import Drawn, QuickPick
from tests.support.api import places, refused, terminal_api
from tests.support.factories import Point
from tests.support.lototrot.sale_bodies import TICKETS, asked, nothing_written, sell

pytestmark = pytest.mark.django_db


BIG = 2**63
SHAPES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"uuid": 7}, {"$.uuid": "invalid"}),
    ({"uuid": "x"}, {"$.uuid": "invalid"}),
    ({"uuid": None}, {"$.uuid": "null"}),
    ({"contest": "1"}, {"$.contest": "type"}),
    ({"contest": True}, {"$.contest": "type"}),
    ({"contest": 1.0}, {"$.contest": "type"}),
    ({"contest": 0}, {"$.contest": "min_value"}),
    ({"contest": BIG}, {"$.contest": "max_value"}),
    ({"price_cents": -1}, {"$.price_cents": "min_value"}),
    ({"amount_cents": BIG}, {"$.amount_cents": "max_value"}),
    ({"races": "1,2"}, {"$.races": "not_a_list"}),
    ({"races": []}, {"$.races": "min_length"}),
    ({"races": [[1]] * 65}, {"$.races": "max_length"}),
    ({"races": [1]}, {"$.races[0]": "type"}),
    ({"races": [[1], ["2"]]}, {"$.races[1][0]": "type"}),
    ({"races": [[1], [2, 0, 100]]}, {"$.races[1][1]": "min_value", "$.races[1][2]": "max_value"}),
    ({"races": [[1] * 100]}, {"$.races[0]": "max_length"}),
    ({"races": [[True]]}, {"$.races[0][0]": "type"}),
    ({"races": [{"quick_pick": 0}]}, {"$.races[0].quick_pick": "min_value"}),
    ({"races": [{"quick_pick": "1"}]}, {"$.races[0].quick_pick": "type"}),
    ({"races": [{"quick_pick": [0]}]}, {"$.races[0].quick_pick[0]": "min_value"}),
    ({"races": [{"quick_pick": ["1"]}]}, {"$.races[0].quick_pick[0]": "type"}),
    ({"races": [{}]}, {"$.races[0].quick_pick": "required"}),
    (
        {"races": [{"quick_pick": 1, "numbers": [2]}]},
        {"$.races[0].numbers": "unknown_field"},
    ),
    ({"races": [None]}, {"$.races[0]": "null"}),
    ({"player": "me"}, {"$.player": "unknown_field"}),
    (
        {"uuid": "x", "contest": [], "player": 1},
        {
            "$.uuid": "invalid",
            "$.contest": "type",
            "$.player": "unknown_field",
        },
    ),
]


@pytest.mark.parametrize(("changes", "wanted"), SHAPES)
def test_every_error_of_shape_with_its_place(
    place: Point, contest: Contest, changes: dict[str, Any], wanted: dict[str, str]
) -> None:
    only_unknown = set(wanted.values()) == {"unknown_field"}
    code = "unknown_field" if only_unknown else "fields_invalid"
    assert places(refused(sell(place, asked(contest, **changes)), 422, code)) == wanted
    assert nothing_written()


def test_what_is_missing_is_named(place: Point, contest: Contest) -> None:
    problem = refused(sell(place, {}), 422, "fields_invalid")
    names = ("uuid", "contest", "price_cents", "amount_cents", "races")
    assert places(problem) == dict.fromkeys((f"$.{name}" for name in names), "required")


GOOD: list[dict[str, Any]] = [
    {},
    {"races": [[1]]},
    {"races": [[]]},
    {"races": [[99, 1]] * 64},
    {"races": [[5] * 99]},
    {"races": [{"quick_pick": 99}, {"quick_pick": [99, 1]}, [1]]},
    {"contest": BIG - 1},
    {"amount_cents": BIG - 1},
    {"uuid": str(uuid.UUID(int=0))},
    {"uuid": str(uuid.uuid4()).upper()},
]


def fast(body: Any) -> SaleIn | None:
    """Return what msgspec alone makes of a body."""
    return bodies._read_right(SaleIn, json.dumps(body).encode())


@pytest.mark.parametrize("changes", GOOD)
def test_both_readers_agree_on_good_bodies(changes: dict[str, Any]) -> None:
    body = asked(Contest(pk=1), **changes)
    right = fast(body)
    assert right is not None
    assert right.uuid == body["uuid"]
    careful = bodies.from_document(SaleIn, body)
    assert sale_request(right) == sale_request(careful)


def test_both_readers_know_a_quick_pick() -> None:
    right = fast(asked(Contest(pk=1), races=[{"quick_pick": 3}, {"quick_pick": [4, 1]}, [2]]))
    assert right is not None
    assert sale_request(right).races == (QuickPick(3), Drawn((4, 1)), (2,))


@pytest.mark.parametrize("body", [*[{"x": 1, **c} for c, _ in SHAPES], [], None, 1, "x", {}])
def test_both_readers_agree_on_bad_bodies(body: Any) -> None:
    assert fast(body) is None
    with pytest.raises(ValidationError):
        bodies.from_document(SaleIn, body)


@pytest.mark.parametrize(("changes", "wanted"), SHAPES)
def test_the_fast_reader_takes_nothing_that_the_careful_one_refuses(
    changes: dict[str, Any], wanted: dict[str, str]
) -> None:
    assert fast(asked(Contest(pk=1), **changes)) is None


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "malformed_json"),
        (b"\xff\xfe", 400, "malformed_json"),
        (b'{"uuid": NaN}', 400, "malformed_json"),
        (b'{"uuid": 1, "uuid": 2}', 400, "malformed_json"),
        (b"[" * 100 + b"]" * 100, 400, "malformed_json"),
        (b'{"races": "' + b"x" * 20_000 + b'"}', 413, "body_too_large"),
        (b"[]", 422, "fields_invalid"),
        (b"null", 422, "fields_invalid"),
    ],
)
def test_hostile_bodies(
    place: Point, contest: Contest, body: bytes, status: int, code: str
) -> None:
    refused(terminal_api(place).raw(TICKETS, body), status, code)
    assert nothing_written()


def test_other_media_types_and_methods(place: Point, contest: Contest) -> None:
    api = terminal_api(place)
    refused(api.raw(TICKETS, "uuid=1", "text/plain"), 415, "unsupported_media_type")
    response = api.get(TICKETS)
    refused(response, 405, "method_not_allowed")
    assert "POST" in response["Allow"]
    assert nothing_written()
