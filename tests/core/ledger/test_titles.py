"""Every transfer is named in words, in three languages."""

import re
from collections.abc import Iterator

import pytest
from django.utils import translation

from core.contributions import contributed_entries
from core.ledger.models import Transfer
from core.ledger.titles import title_of
from core.tools.embedded.server import ROOT

KINDS = contributed_entries("rebuild", "TRANSFERS")
_LINE = re.compile(r"\b(_line|signed_line|Line)\(\s*\"([a-z][a-z_.]+)\"")
_OPENING = "day.opening"  # of a replay's own books, never stored


def posted() -> Iterator[str]:
    """Yield each kind that a line of the program's own has."""
    for app in ("core", "lototrot", "promotrot"):
        for path in (ROOT / app).rglob("*.py"):
            for function, kind in _LINE.findall(path.read_text("utf-8")):
                yield f"lototrot.{kind}" if function == "_line" else kind


def test_every_kind_that_is_posted_has_words_and_no_other() -> None:
    written = set(posted()) - {_OPENING}
    assert written <= KINDS.keys()
    # What is posted by a constant, not by a literal.
    assert KINDS.keys() - written == {
        "lototrot.reversal",
        "payoffice.cheque_reversed",
        "payoffice.goods_corrected",
        "payoffice.prize",
        "payoffice.recovery_reversed",
        "payoffice.refund",
        "payoffice.voided_cheque_reversed",
        "payoffice.write_off_reversed",
        "statements.commission",
        "statements.remittance",
    }


@pytest.mark.parametrize("language", ["ca", "es"])
def test_words_are_translated(language: str) -> None:
    with translation.override("en"):
        english = {kind: title_of(kind) for kind in KINDS}
    with translation.override(language):
        same = {kind for kind in KINDS if title_of(kind) == english[kind]}
    assert same == set()


def test_a_transfer_is_named_in_words_and_an_unknown_kind_by_itself() -> None:
    with translation.override("en"):
        assert str(Transfer(kind="lototrot.sale", amount_cents=250)) == "ticket sold · €2.50"
        assert str(Transfer(kind="of.old", amount_cents=1)) == "of.old · €0.01"
