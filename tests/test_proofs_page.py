"""Make every example of docs/proofs about the log and its seals again."""

import ast
import hashlib
import json
import re
import sys
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from core.kernel import codes
from core.kernel.canonical import canonical_bytes, canonical_sha256, with_digests
from core.premises.models import Premises, Terminal
from core.proofs import keys, merkle, wire
from core.tools.embedded.server import ROOT
from lototrot.engine.bet_type import BetType, shipped
from lototrot.engine.distribution import Takings, distribute
from lototrot.engine.races import mask_of
from lototrot.models.tickets import LEG_COLUMNS, Ticket
from lototrot.services.seal import leaves
from tests.support.verifying.forging import written
from tests.support.verifying.load import FOLDER, verifier

PAGES = sorted((ROOT / "docs" / "proofs").glob("*.md"))
TEXT = "\n".join(page.read_text("utf-8") for page in PAGES)
SEED = bytes(range(32))
PUBLIC = keys.public_of(SEED)
NOON = datetime(2030, 3, 2, 11, tzinfo=UTC)
BLIND = bytes(range(16))
CODE = codes.issue(
    codes.TICKET,
    UUID(int=1),
    b"s" * 32,
    codes.CodeKeys({"1": (b"a" * 32, b"b" * 32)}, "1"),
    day=NOON.date(),
)
RULES = shipped("lototrot", minimum_prize_percent=Fraction(60)).to_document()
SELECTIONS = [[1], [2, 3], [4], [5], [6], [7], [8]]


def entry(sequence: int, previous: bytes, at: datetime, **what: Any) -> dict[str, Any]:
    body = wire.body(
        sequence=sequence, previous=previous, at=at, key_id=wire.key_id(PUBLIC), **what
    )
    return body | {"signature": keys._private(SEED).sign(canonical_bytes(body)).hex()}


def digest(of: dict[str, Any]) -> bytes:
    return canonical_sha256({name: value for name, value in of.items() if name != "signature"})


def leaf(first: int, commitment: bytes) -> bytes:
    races = [[first], *SELECTIONS[1:]]
    return leaves.leaf(
        Ticket(
            premises=Premises(code="BAR-1"),
            terminal=Terminal(code="BAR-1-A"),
            sold_at=datetime(2030, 3, 2, 10, 59, tzinfo=UTC),
            bets=2,
            amount_cents=200,
            code_commitment=commitment,
            **dict(zip(LEG_COLUMNS, map(mask_of, races), strict=False)),
        )
    )


TERMS: dict[str, Any] = {
    "contest": 1,
    "bet_type": "lototrot",
    "day": "2030-03-02",
    "programme": "00" * 32,
    "races": 7,
    "legs": [{"race": race, "programme": [race, race + 1]} for race in range(1, 8)],
    "price_cents": 100,
    "rules": canonical_sha256(RULES).hex(),
}


def _opening(first: dict[str, Any]) -> dict[str, Any]:
    """Return the log's second entry, which puts a contest on sale until noon."""
    on_sale_at = datetime(2030, 3, 2, 9, tzinfo=UTC)
    times = {"closes_at": wire.instant(NOON), "opened_at": wire.instant(on_sale_at)}
    return entry(
        2,
        digest(first),
        on_sale_at,
        kind="lototrot.opening",
        subject="contest:1",
        document=with_digests({"format": "lototrot-opening-1", **TERMS, **times}),
    )


def _seal(opening: dict[str, Any], root: bytes) -> dict[str, Any]:
    """Return the log's third entry, the seal of the contest whose tree has this root."""
    return entry(
        3,
        digest(opening),
        NOON,
        kind="lototrot.seal",
        subject="contest:1",
        document=with_digests(
            {
                "format": "lototrot-seal-1",
                **TERMS,
                "closed_at": wire.instant(NOON),
                "closing_cause": "schedule",
                "tickets": 3,
                "bets": 6,
                "takings_cents": 600,
                "root": root.hex(),
            }
        ),
    )


def examples() -> dict[str, str]:
    """The examples by name, as they stand on the pages."""
    key_id = wire.key_id(PUBLIC)
    first = entry(
        1,
        bytes(32),
        datetime(2030, 3, 2, 8, tzinfo=UTC),
        kind="proofs.key",
        subject=key_id,
        document={
            "format": "trot-key-1",
            "key": key_id,
            "public_key": PUBLIC.hex(),
            "replaces": None,
            "reason": "first",
        },
    )
    commitment = codes.commitment(CODE, BLIND)
    mine = leaf(1, commitment)
    hashes = [merkle.leaf_hash(each) for each in (leaf(9, bytes(32)), mine, leaf(9, b"\1" * 32))]
    root = merkle.root(hashes)
    opening = _opening(first)
    seal = _seal(opening, root)
    proof = with_digests(
        {
            "format": "lototrot-proof-1",
            "ticket": with_digests(
                {
                    "premises": "BAR-1",
                    "terminal": "BAR-1-A",
                    "sold_at": "2030-03-02T10:59:00.000000Z",
                    "bets": 2,
                    "amount_cents": 200,
                    "selections": SELECTIONS,
                }
            ),
            "blind": BLIND.hex(),
            "place": 1,
            "path": [each.hex() for each in merkle.path(merkle.levels(hashes), 1)],
            "seal": seal,
            "amendments": [],
        }
    )
    body = {name: value for name, value in first.items() if name != "signature"}
    return {
        "entry": json.dumps(first, indent=1),
        "entry message": canonical_bytes(body).decode(),
        "entry digest": digest(first).hex(),
        "commitment": f"code       {CODE.text}\nblind      {BLIND.hex()}\n"
        f"commitment {commitment.hex()}",
        "leaf": "\n".join(field.hex() for field in _fields(mine)),
        "opening": json.dumps(opening, indent=1),
        "tree": "\n".join(each.hex() for each in (*hashes, root)),
        "proof": json.dumps(proof, indent=1),
    }


def _fields(of: bytes) -> list[bytes]:
    """Each field of a leaf with its length before it."""
    fields = []
    while of:
        end = 4 + int.from_bytes(of[:4], "big")
        fields.append(of[:end])
        of = of[end:]
    return fields


@pytest.mark.parametrize("name", examples())
def test_the_page_has_what_is_made(name: str) -> None:
    match = re.search(rf"<!-- example: {name} -->\n```\w*\n(.*?)\n```", TEXT, re.DOTALL)
    assert match is not None and match[1] == examples()[name]


def example(name: str) -> Any:
    match = re.search(rf"<!-- example: {name} -->\n```json\n(.*?)\n```", TEXT, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


@pytest.mark.article("14.III.9.3", "14.III.9.7")
def test_the_figures_on_the_page_are_those_of_engine_and_verifier() -> None:
    rules, figures = (example("settlement")[name] for name in ("rules", "figures"))
    bet_type = BetType.from_document(rules, minimum_prize_percent=Fraction(60))
    winners = {int(category): number for category, number in figures["winners"].items()}
    carried = (figures[name] for name in ("jackpot_in", "reserve_in", "lapsed_in"))
    computed = distribute(Takings(figures["takings"], winners, *carried), bet_type)
    assert (computed.to_document(), bet_type.to_document()) == (figures, rules)
    assert figures | verifier("money").figures(rules, figures) == figures


def test_every_example_on_the_page_is_checked() -> None:
    elsewhere = {"draw", "journal", "settlement"}  # tests/core/draws, tests/core/journal, above
    assert sorted(re.findall(r"<!-- example: (.*?) -->", TEXT)) == sorted({*examples(), *elsewhere})


def test_the_index_has_every_kind_of_entry() -> None:
    rows = (ROOT / "docs" / "proofs" / "README.md").read_text("utf-8").partition("| kind |")[2]
    forms = verifier("documents")
    kinds = {*forms.PUBLISHED, *forms.WITHOUT_DIGESTS, "proofs.key", "proofs.key_in_use"}
    assert set(re.findall(r"`([a-z]+\.[a-z_]+)`", rows)) == kinds


def test_the_verifiers_take_what_is_on_the_page(tmp_path: Path) -> None:
    proof = example("proof")
    log = written(tmp_path, "log.jsonl", [example("entry"), example("opening"), proof["seal"]])
    assert verifier("public_log").check(log, PUBLIC.hex()).startswith("WHOLE: 3 entries")
    listed = verifier("contests").check(log, PUBLIC.hex())
    assert listed.endswith("3 tickets, 6.00 EUR, sealed 2030-03-02T11:00:00.000000Z; NOT SETTLED")
    verdict = verifier("ticket").proof_holds(proof, CODE.grouped, PUBLIC)
    assert verdict.startswith("SEALED: ticket 2 of 3")
    text = b"trot code commitment\0T" + CODE.text.encode() + BLIND
    assert hashlib.sha256(text).hexdigest() in examples()["commitment"]


def test_the_verifiers_are_a_page_each_and_import_nothing_of_the_project() -> None:
    paths = {each.relative_to(FOLDER) for each in FOLDER.rglob("*.py")}
    own = {path.parts[0].removesuffix(".py") for path in paths}
    for name in paths:
        text = (FOLDER / name).read_text("utf-8")
        modules = {
            module
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for module in (
                [node.module]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
        }
        allowed = sys.stdlib_module_names | own
        assert {str(module).partition(".")[0] for module in modules} <= allowed, name
        lines = 200 if name.stem == "documents" else 160  # that one is a table
        assert len(text.splitlines()) <= lines, name
