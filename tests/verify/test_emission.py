"""verify/emission.py on a true emission, on copies that strangers changed, on what a liar signs."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.proofs.log import published
from promotrot.models.emission import Emission
from promotrot.services import publications
from promotrot.services.closing import seed_reveal
from promotrot.services.emissions import emission_get
from tests import emitting, factories
from tests.verify.load import FOLDER, verifier
from tests.verify.signing import changed, public_key, signed, written

verify = verifier("emission")
entry = verifier("entry")
NAMES = ("commitment", "entropy", "closing", "seed")
Proof = tuple[dict[str, dict[str, Any]], str]
pytestmark = pytest.mark.django_db


def proof_of(emission: Emission) -> Proof:
    """The four entries of the public log, and the list of tickets."""
    assert seed_reveal(emission=emission)
    found = [published(kind=kind, subject=emission.reference) for kind in publications.KINDS]
    entries = [each.published() for each in found if each is not None]
    listed = "".join(publications.tickets_file(emission_get(emission.reference)))
    return dict(zip(NAMES, entries, strict=True)), listed


@pytest.fixture
def proof() -> Proof:
    """25 of 40 tickets sold and played."""
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 25)
    return proof_of(emitting.closed(emission))


def run(folder: Path, proof: Proof, key: str = "") -> str:
    entries, listed = proof
    files = [written(folder, f"{name}.json", entries[name]) for name in NAMES]
    tickets = folder / "tickets.csv"
    tickets.write_text(listed, "ascii", newline="\n")
    answer: str = verify.check(key or public_key(), *files, str(tickets))
    return answer


@pytest.mark.article("15.II.2")
def test_a_true_emission_holds_and_the_standard_library_is_enough(
    proof: Proof, tmp_path: Path
) -> None:
    assert "25 of 40 tickets sold" in run(tmp_path, proof)
    names = [*(f"{name}.json" for name in NAMES), "tickets.csv"]
    done = subprocess.run(
        [sys.executable, "-S", str(FOLDER / "emission.py"), public_key(), *names],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.article("15.III.6.2")
def test_extra_prizes_and_plays_not_ended_are_told_apart(tmp_path: Path) -> None:
    point = factories.point()
    first = emitting.opened(emitting.document("trotters-ladder"))
    emitting.sold(first, 20, point)
    game = emitting.closed(first).game
    second = emitting.opened(game, extra_tier=3)  # bonus prizes over tickets of a played game
    emitting.played(point, emitting.sold(second, 5, point), act="trot")
    entries, listed = proof_of(emitting.closed(second))
    assert "5 of 400000 tickets sold" in run(tmp_path, (entries, listed))
    third = emitting.opened(emitting.small("waiting"))
    tickets = emitting.sold(third, 6, point)
    emitting.played(point, tickets[:2])
    entries, listed = proof_of(emitting.closed(third))
    assert [line.rpartition(",")[2] for line in listed.splitlines()[3:]] == [""] * 4
    assert "6 of 40" in run(tmp_path, (entries, listed))


@pytest.mark.parametrize("which", NAMES)
def test_every_field_changed_or_left_out_is_refused_by_its_name(
    proof: Proof, tmp_path: Path, which: str
) -> None:
    entries, listed = proof
    document = entries[which]["document"]
    for name in document:
        other = entries[which] | {"document": document | {name: changed(document[name])}}
        named = next(iter(document["digests"])) if name == "digests" else name
        with pytest.raises(entry.Refused, match=rf"^{which}\.{named}: "):
            run(tmp_path, (entries | {which: other}, listed))
        less = {key: value for key, value in document.items() if key != name}
        without = entries[which] | {"document": less}
        with pytest.raises(entry.Refused, match=rf"^{which}\.{name}: "):
            run(tmp_path, (entries | {which: without}, listed))
    for name in entries[which]:
        if name != "document":
            other = entries[which] | {name: changed(entries[which][name])}
            with pytest.raises(entry.Refused):
                run(tmp_path, (entries | {which: other}, listed))


LIES: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    ("commitment", "plan", lambda d: d["plan"] | {"price_cents": 99}),
    ("commitment", "plan_digest", lambda d: "ab" * 32),
    ("commitment", "tickets", lambda d: 41),
    ("commitment", "algorithm", lambda d: "mine/1"),
    ("commitment", "commitment", lambda d: "ab" * 32),
    ("commitment", "emission", lambda d: "small/2"),
    ("entropy", "entropy", lambda d: "1 " + d["entropy"]),
    ("entropy", "source", lambda d: "spirits"),
    ("entropy", "commitment", lambda d: "ab" * 32),
    ("entropy", "appointment", lambda d: ""),
    ("entropy", "entered_at", lambda d: "2000-01-01T00:00:00.000000Z"),
    *[
        ("closing", name, changed_field)
        for name in (
            "tickets",
            "sold",
            "unsold",
            "refunded",
            "price_cents",
            "takings_cents",
            "awarded_cents",
            "extra_awarded_cents",
            "shortfall_cents",
            "owed_before_cents",
            "owed_cents",
        )
        for changed_field in (lambda d, name=name: d[name] + 1,)
    ],
    ("closing", "unclaimed_cents", lambda d: d["awarded_cents"] + 1),
    ("closing", "percent", lambda d: 99),
    ("closing", "minimum_percent", lambda d: 71),
    ("seed", "seed", lambda d: "ab" * 32),
    ("seed", "sold", lambda d: d["sold"] + 1),
    ("seed", "tickets_sha256", lambda d: "ab" * 32),
]


@pytest.mark.parametrize(("which", "name", "lie"), LIES)
def test_a_lie_that_is_signed_is_found_by_recomputing(
    proof: Proof, tmp_path: Path, which: str, name: str, lie: Callable[[dict[str, Any]], Any]
) -> None:
    entries, listed = proof
    told = signed(entries[which], **{name: lie(entries[which]["document"])})
    with pytest.raises(entry.Refused):
        run(tmp_path, (entries | {which: told}, listed))


def test_the_list_of_tickets_cannot_be_changed(proof: Proof, tmp_path: Path) -> None:
    entries, listed = proof
    lines = listed.splitlines(keepends=True)
    first = lines[1].split(",")
    cases = {
        "left out": [*lines[:-1]],
        "twice": [*lines, lines[-1]],
        "exchanged": [lines[0], lines[2], lines[1], *lines[3:]],
        "another ticket": [lines[0], lines[1].replace(first[2], "0" * 36), *lines[2:]],
        "another tier": [lines[0], lines[1].strip() + "1\n", *lines[2:]],
        "another block": [*lines, "7,0," + "0" * 36 + ",0\n"],
        "another position": [*lines, "0,40," + "0" * 36 + ",0\n"],
        "no header": lines[1:],
        "no ticket": [*lines, "x\n"],
        "cut": [*lines[:-1], lines[-1].strip()],
    }
    for why, changed_lines in cases.items():
        with pytest.raises(entry.Refused, match=r"tickets|sold"):
            run(tmp_path, (entries, "".join(changed_lines)))
            pytest.fail(why)
    with pytest.raises(entry.Refused):
        run(tmp_path, proof, key="00" * 32)
