"""Lay out a certificate: every figure of the signed entry is on the paper, in its language."""

import uuid
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from core.proofs.models import LogEntry, SigningKey
from core.receipts.document import Document, Pair, Rule, Table
from core.receipts.output import LanguageUnknown, Output
from lototrot.accounts import organiser_share
from lototrot.engine.distribution import Takings, distribute
from lototrot.services.settlement.certificate_paper import certificate_paper, certificate_render
from tests.support import rounds

AT = datetime(2027, 4, 10, 20, 15, tzinfo=UTC)
RULES = rounds.rules()
NOT_DRAWN = {
    "position": 1,
    "race": 901,
    "outcome": "run",
    "withdrawn": [6, 7],
    "winners": [8],
    "right": [6, 7, 8],
    "draw": None,
}
DRAWN = NOT_DRAWN | {
    "position": 2,
    "race": 902,
    "outcome": "not_run",
    "withdrawn": [],
    "winners": [4],
    "right": [4],
    "draw": {"draw": "5b0c", "minutes": "ff" * 32},
}


def entry_of(
    winners: Mapping[int, int], *, jackpot: int = 0, reserve: int = 0, **changes: Any
) -> LogEntry:
    """Return the entry of a settlement of 1,000 euros with that many winning bets by hits."""
    settled = distribute(Takings(100_000, winners, jackpot, reserve, 0), RULES)
    parts = organiser_share(date(2027, 4, 10)).divide(settled.organiser_share)
    document = {
        "settlement": str(uuid.UUID(int=7)),
        "replaces": None,
        "contest": 12,
        "day": "2027-04-10",
        "programme": "SON PARDO 2027-04-10",
        "rules": RULES.to_document(),
        "seal": {"root": "ab" * 32},
        "tickets": 310,
        "bets": 1000,
        "races": [NOT_DRAWN, DRAWN],
        "previous": None,
        "figures": settled.to_document(),
        "organiser": {"parts": {str(part): cents for part, cents in parts.items()}},
        "settled_at": AT.isoformat(),
        "simulated": False,
    }
    key = SigningKey(key_id="0123456789abcdef")
    return LogEntry(
        sequence=41, at=AT, document=document | changes, key=key, signature=bytes(range(64))
    )


def paper(entry: LogEntry, language: str = "en") -> str:
    """Return what the paper says, one line for each line, pair and row of a table."""
    lines: list[str] = []
    for block in certificate_paper(entry, language).blocks:
        if isinstance(block, Pair):
            lines.append(f"{block.label}: {block.value}")
        elif isinstance(block, Table):
            lines += [" | ".join(row) for row in block.rows]
        elif not isinstance(block, Rule):
            lines.append(block.text)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


USUAL = {7: 0, 6: 2, 5: 10, 4: 20}


@pytest.mark.article("14.III.9.1", "14.III.9.2")
def test_takings_share_and_regime_are_on_the_paper() -> None:
    words = paper(entry_of(USUAL))
    assert "Settlement certificate" in words
    assert "Takings: €1,000.00" in words
    assert "To prizes (60 %): €600.00" in words
    assert "Organiser's share: €400.00" in words
    assert "Regime of article 9.2: ≤ " in words
    assert "Tickets: 310" in words and "Bets: 1,000" in words


@pytest.mark.article("14.III.9.3")
def test_above_the_threshold_the_paper_says_so() -> None:
    jackpot = RULES.jackpot_threshold_cents + 1
    words = paper(entry_of(USUAL, jackpot=jackpot))
    assert "Regime of article 9.3: > " in words


@pytest.mark.article("14.III.9.5")
def test_each_category_has_a_row_and_one_without_winners_no_prize() -> None:
    document = certificate_paper(entry_of(USUAL), "en")
    (rows,) = [block.rows for block in tables(document) if block.rows[0][0] == "7/7"]
    assert [row[0] for row in rows] == ["7/7", "6/7", "5/7", "4/7"]
    assert [row[5] for row in rows] == ["0", "2", "10", "20"]
    assert rows[0][-1] == "–"
    assert all(row[-1] != "–" for row in rows[1:])


def tables(document: Document) -> list[Any]:
    return [block for block in document.blocks if hasattr(block, "rows")]


@pytest.mark.article("14.III.9.7")
@pytest.mark.parametrize(
    ("winners", "wanted"),
    [
        ({7: 0, 6: 10, 5: 2, 4: 40}, "Halved between 6 and 5 (9.7)."),
        ({7: 0, 6: 100, 5: 2, 4: 1}, "Joined: "),
    ],
)
def test_a_correction_is_told_in_a_sentence(winners: dict[int, int], wanted: str) -> None:
    assert wanted in paper(entry_of(winners))
    assert "(9.7)" not in paper(entry_of(USUAL))


@pytest.mark.article("14.III.9.7")
def test_a_fraction_of_a_cent_is_kept_on_the_paper() -> None:
    figures = dict(entry_of(USUAL).document["figures"])
    figures["after_correction"] = figures["after_correction"] | {"6": "24001/2"}
    assert "€120.00 + 1/2 c" in paper(entry_of(USUAL, figures=figures))


@pytest.mark.article("14.III.5.4.1", "14.III.5.4.2")
def test_results_name_the_withdrawn_and_the_drawn() -> None:
    document = certificate_paper(entry_of(USUAL), "en")
    (rows,) = [block.rows for block in tables(document) if block.rows[0][0] == "1"]
    assert rows == (("1", "Raced", "6, 7", "8", "6, 7, 8"), ("2", "Not run", "–", "4", "4"))
    assert "Public draw of race 2: 5b0c → 4" in paper(entry_of(USUAL))


@pytest.mark.article("14.III.5.3")
def test_a_certificate_that_replaces_another_says_which() -> None:
    assert "It replaces" not in paper(entry_of(USUAL))
    reversed_one = str(uuid.UUID(int=6))
    words = paper(entry_of(USUAL, replaces=reversed_one))
    assert f"It replaces settlement {reversed_one}, which was reversed." in words


def test_the_paper_leads_to_the_entry_and_to_the_one_before() -> None:
    words = paper(entry_of(USUAL, previous="cd" * 32))
    for proof in ("ab" * 32, "cd" * 32, bytes(range(64)).hex(), "0123456789abcdef"):
        assert proof in words
    assert "Entry of the public log: 41" in words


@pytest.mark.parametrize(
    ("language", "title", "raced"),
    [("ca", "liquidació", "correguda"), ("es", "liquidación", "corrida")],
)
def test_the_paper_is_in_its_language(language: str, title: str, raced: str) -> None:
    assert title in paper(entry_of(USUAL), language).lower()
    assert raced in paper(entry_of(USUAL), language).lower()
    assert "Organiser" not in paper(entry_of(USUAL), language)


def test_simulated_time_is_said_on_the_paper() -> None:
    assert certificate_paper(entry_of(USUAL, simulated=True), "en").simulated
    assert not certificate_paper(entry_of(USUAL), "en").simulated


def test_the_paper_comes_as_a_file_in_a_known_language() -> None:
    entry = entry_of(USUAL)
    assert certificate_render(entry, output=Output.PDF, language="ca").startswith(b"%PDF")
    assert b"<html" in certificate_render(entry, output=Output.HTML, language="es")
    with pytest.raises(LanguageUnknown):
        certificate_render(entry, output=Output.HTML, language="fr")
