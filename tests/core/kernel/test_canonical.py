import enum
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.canonical import MAX_DEPTH, NotCanonical, canonical_bytes, canonical_sha256

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_the_bytes_are_these() -> None:
    value: Any = {"b": [1, True, None], "a": "cavall à\n", "A": {}}
    assert canonical_bytes(value) == '{"A":{},"a":"cavall à\\n","b":[1,true,null]}'.encode()
    assert canonical_sha256({}).hex().startswith("44136fa355b3678a")


@given(VALUES)
def test_the_value_comes_back(value: Any) -> None:
    assert json.loads(canonical_bytes(value)) == value


@given(st.dictionaries(TEXT, st.integers(), max_size=6))
def test_the_order_of_insertion_does_not_matter(value: dict[str, Any]) -> None:
    backwards = dict(reversed(value.items()))
    assert canonical_bytes(value) == canonical_bytes(backwards)


class Suit(enum.IntEnum):
    ONE = 1


@pytest.mark.parametrize(
    "value",
    [1.0, (1,), {1: 2}, b"x", Decimal(1), {1, 2}, Suit.ONE, "\ud800", {"\ud800": 1}, [{"a": 1.5}]],
)
def test_what_has_no_single_text_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical_bytes(value)


def test_a_bottomless_value_is_refused() -> None:
    value: Any = []
    for _ in range(MAX_DEPTH + 1):
        value = [value]
    with pytest.raises(NotCanonical):
        canonical_bytes(value)


def test_the_place_of_the_fault_is_named() -> None:
    with pytest.raises(NotCanonical) as caught:
        canonical_bytes({"races": [1, {"share": 0.5}]})
    assert caught.value.data["place"] == "$.races[1].share"
