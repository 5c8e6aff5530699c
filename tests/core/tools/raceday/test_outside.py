"""Checks from outside: the scripts of verify/ decide, and a wrong verdict is amiss."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from core.tools.raceday.outside import Check, Outsider, plain_words
from core.tools.raceday.stage import Amiss

ENTRIES = [
    {"kind": "draws.minutes", "subject": "d1", "document": {"order": ["1", "2"]}},
    {"kind": "lototrot.seal", "subject": "contest:1", "document": {"tickets": 2}},
]


class _Log:
    """The public log with two entries."""

    def get(self, path: str) -> Any:
        assert path == "log/keys"
        return {"items": [{"public_key": "ab" * 32}]}

    def pages(self, path: str, **_: Any) -> Any:
        assert path == "log"
        return iter(json.loads(json.dumps(ENTRIES)))


@pytest.fixture
def outsider(tmp_path: Path) -> Outsider:
    return Outsider(cast(Any, _Log()), tmp_path)


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_log_is_kept_line_by_line_and_changed_in_one_field(outsider: Outsider) -> None:
    assert _lines(outsider.log()) == ENTRIES
    changed = outsider.log_changed("draws.minutes", "d1", "order", lambda order: order[::-1])
    first, second = _lines(changed)
    assert first["document"] == {"order": ["2", "1"]}
    assert second == ENTRIES[1]


def test_a_script_that_refuses_good_documents_is_amiss(outsider: Outsider) -> None:
    nothing = outsider.keep("nothing.json", {})
    with pytest.raises(Amiss, match=r"verify/ticket\.py"):
        outsider.check_all([Check("ticket.py", (nothing, "no-code", outsider.key))])


def test_a_changed_document_must_be_refused(
    outsider: Outsider, capsys: pytest.CaptureFixture[str]
) -> None:
    log = outsider.keep("log.jsonl", b"{}\n")
    check = Check("public_log.py", (log, outsider.key), "an empty entry")
    outsider.check_all([check])
    assert "An empty entry: public_log.py refuses it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("The emission holds: 168.00 EUR awarded.", "The emission holds: 168.00 € awarded."),
        (
            "The settlement holds: 2,126.00 EUR taken, 890.31 EUR in prizes.",
            "The settlement holds: 2,126.00 € taken, 890.31 € in prizes.",
        ),
        ("amount: 20.00 EUR", "amount: 20.00 €"),
        ("sold_at: 2027-04-11T11:31:27.999988Z", "sold at: 2027-04-11 11:31 (UTC)"),
        (
            "REFUSED: proof.ticket.amount_cents: not as it was published",
            "proof ticket amount cents: not as it was published",
        ),
        ("WHOLE: 19 entries", "Nothing is missing or changed: 19 entries"),
    ],
)
def test_what_a_script_prints_is_shown_in_words(printed: str, words: str) -> None:
    assert plain_words(printed) == words
