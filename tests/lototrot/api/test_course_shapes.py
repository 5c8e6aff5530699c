"""Refuse bodies of the race day that are not of their shape."""

from typing import Any

import pytest

from core.api.shapes import Shape
from lototrot.api.course_shapes import ClassificationIn, DeclarationIn, StartIn, WithdrawalIn

START = {"actual_start_at": "2027-04-10T17:01:30+02:00", "source": "Starter"}
WINNER = {"number": 1, "outcome": "winner", "place": 1}
CLASSIFICATION = {
    "runners": [WINNER],
    "announced_text": "1r: 1.\n2n: 2.",
    "announced_at": "2027-04-10T17:12:00+02:00",
    "author": "Comissaris",
}


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (WithdrawalIn, {"number": 4, "source": "Vet"}),
        (StartIn, START),
        (DeclarationIn, {"kind": "not_run", "reason": "Storm"}),
        (ClassificationIn, CLASSIFICATION),
    ],
)
def test_bodies_of_their_shape(shape: type[Shape], body: dict[str, Any]) -> None:
    read = shape(data=body)
    assert read.is_valid(), read.errors


@pytest.mark.parametrize(
    ("shape", "body", "place"),
    [
        (WithdrawalIn, {"number": 0, "source": "Vet"}, "number"),
        (WithdrawalIn, {"number": 32, "source": "Vet"}, "number"),
        (WithdrawalIn, {"number": 4, "source": ""}, "source"),
        (StartIn, START | {"actual_start_at": "2027-04-10T17:01:30"}, "actual_start_at"),
        (StartIn, START | {"sources": "x"}, "sources"),
        (DeclarationIn, {"kind": "forgotten", "reason": "Storm"}, "kind"),
        (DeclarationIn, {"kind": "not_run", "reason": "x" * 401}, "reason"),
        (ClassificationIn, CLASSIFICATION | {"runners": [WINNER | {"place": 0}]}, "runners"),
        (ClassificationIn, CLASSIFICATION | {"announced_text": "\x07"}, "announced_text"),
    ],
)
def test_bodies_of_another_shape(shape: type[Shape], body: dict[str, Any], place: str) -> None:
    read = shape(data=body)
    assert not read.is_valid()
    assert set(read.errors) == {place}
