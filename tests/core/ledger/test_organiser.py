"""Check the division of the organiser's share: its data file is read strictly."""

import json
from datetime import date
from typing import Any

import pytest

from core.kernel.documents import NotJson
from core.ledger.organiser import OrganiserShareRefused, Part, share_in_force, shares_from

PARTS = {"commission": "25", "management": "35", "tax": "25", "remainder": "15"}
VERSION: dict[str, Any] = {"in_force_from": "2006-01-01", "source": "a budget", "parts": PARTS}


def _text(*changes: dict[str, Any]) -> str:
    return json.dumps({"versions": [VERSION | change for change in changes]})


def test_the_version_of_the_day_divides_and_leaves_nothing_over() -> None:
    later = {"in_force_from": "2007-01-01", "parts": PARTS | {"tax": "24", "remainder": 16}}
    shares = shares_from(_text(later, {}))
    assert [share.in_force_from.year for share in shares] == [2006, 2007]
    assert share_in_force(shares, date(2005, 1, 1)) is shares[0]
    assert share_in_force(shares, date(2007, 1, 1)) is shares[1]
    divided = shares[1].divide(101)
    assert divided == {
        Part.COMMISSION: 25,
        Part.MANAGEMENT: 35,
        Part.TAX: 24,
        Part.REMAINDER: 17,
    }


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"more": 1}, "more"),
        ({"in_force_from": "20060101"}, "in_force_from"),
        ({"source": None}, "source"),
        ({"parts": PARTS | {"gift": "0"}}, "parts.gift"),
        ({"parts": PARTS | {"tax": 25.0}}, "parts.tax"),
        ({"parts": PARTS | {"tax": 10**5000 // 10**4800}}, "parts.tax"),
        ({"parts": PARTS | {"tax": "26"}}, "parts"),
        ({"parts": []}, "parts"),
    ],
)
def test_a_fault_is_named_with_its_place(change: dict[str, Any], place: str) -> None:
    with pytest.raises(OrganiserShareRefused) as refused:
        shares_from(_text({}, change))
    assert refused.value.data["place"] == f"$.versions[1].{place}"


def test_a_repeated_name_is_refused() -> None:
    with pytest.raises(NotJson, match="same name twice"):
        shares_from(_text({}).replace('"source"', '"source": "x", "source"'))
