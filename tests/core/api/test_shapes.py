"""Take each field only as the JSON type of its name, within its bounds."""

import datetime
import uuid
from typing import Any

import pytest
from rest_framework.fields import Field

from core.api import shapes

UUID = "0190f5a0-0000-7000-8000-000000000001"
NOON = datetime.datetime(2030, 3, 1, 12, tzinfo=datetime.UTC)


def read(field: Field[Any, Any, Any, Any], value: Any, *, query: bool = False) -> Any:
    """Return the value that a shape with this one field reads. Raises KeyError with its errors."""
    kind = type("OneField", (shapes.Shape,), {"value": field})
    shape = kind(data={"value": value}, context={"query": query})
    if not shape.is_valid():
        raise KeyError(shape.errors["value"][0].code)
    return shape.validated_data["value"]


@pytest.mark.parametrize(
    ("field", "value", "result"),
    [
        (shapes.Whole(), 5, 5),
        (shapes.Whole(), shapes.BIGGEST, shapes.BIGGEST),
        (shapes.Text(max_length=3), " ñ ", "ñ"),
        (shapes.Secret(max_length=3), " ñ ", " ñ "),
        (shapes.Code(), "P-0001", "P-0001"),
        (shapes.Flag(), True, True),
        (shapes.Instant(), "2030-03-01T13:00:00+01:00", NOON),
        (shapes.Day(), "2030-03-01", datetime.date(2030, 3, 1)),
        (shapes.Uuid(), UUID, uuid.UUID(UUID)),
        (shapes.Choice(["a", "b"]), "b", "b"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_right_value_is_read(field: Any, value: Any, result: Any) -> None:
    assert read(field, value) == result


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        (shapes.Whole(), "5", "type"),
        (shapes.Whole(), 5.0, "type"),
        (shapes.Whole(), True, "type"),
        (shapes.Whole(), shapes.BIGGEST + 1, "max_value"),
        (shapes.Cents(min_value=0), -1, "min_value"),
        (shapes.Text(max_length=3), 5, "type"),
        (shapes.Text(max_length=3), "a\nb", "control_character"),
        (shapes.Text(max_length=3), "a\u202eb", "control_character"),
        (shapes.Text(max_length=3), "a\u200bb", "control_character"),
        (shapes.Text(max_length=3), "a\u2066b", "control_character"),
        (shapes.Text(max_length=3), "a\ufeffb", "control_character"),
        (shapes.Text(max_length=3), "abcd", "max_length"),
        (shapes.Code(), "p-1", "invalid"),
        (shapes.Code(), "P-1\n", "invalid"),
        (shapes.Code(), 1, "invalid"),
        (shapes.Flag(), "true", "invalid"),
        (shapes.Flag(), 1, "invalid"),
        (shapes.Instant(), "2030-03-01T12:00:00", "offset"),
        (shapes.Instant(), "0001-01-01T00:00:00+02:00", "invalid"),
        (shapes.Instant(), "0001-01-01T00:00:00Z", "invalid"),
        (shapes.Instant(), "9999-12-31T23:59:59Z", "invalid"),
        (shapes.Instant(), 0, "invalid"),
        (shapes.Day(), "1.3.2030", "invalid"),
        (shapes.Day(), 20300301, "invalid"),
        (shapes.Uuid(), UUID.replace("-", ""), "invalid"),
        (shapes.Choice(["a", "b"]), "c", "invalid_choice"),
        (shapes.Choice(["a", "b"]), ["a"], "invalid_choice"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_of_another_type_or_beyond_a_bound_is_refused(
    field: Any, value: Any, code: str
) -> None:
    with pytest.raises(KeyError, match=code):
        read(field, value)


def test_a_query_string_holds_numbers_and_flags_as_text() -> None:
    assert read(shapes.Whole(), "-5", query=True) == -5
    assert read(shapes.Flag(), "false", query=True) is False
    for field, text in ((shapes.Whole(), "5e3"), (shapes.Whole(), "٥"), (shapes.Flag(), "1")):
        with pytest.raises(KeyError):
            read(field, text, query=True)


def test_an_unknown_name_is_an_error_beside_the_others() -> None:
    page = shapes.PageQuery(data={"limit": 0, "colour": "red"})
    assert not page.is_valid()
    assert {name: errors[0].code for name, errors in page.errors.items()} == {
        "limit": "min_value",
        "colour": "unknown_field",
    }


def test_an_instant_is_written_in_utc() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    assert shapes.utc_text(datetime.datetime(2030, 7, 1, 14, tzinfo=zone)) == "2030-07-01T12:00:00Z"
    assert shapes.utc_text(NOON.replace(microsecond=5)) == "2030-03-01T12:00:00.000005Z"
