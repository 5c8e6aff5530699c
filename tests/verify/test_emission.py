"""Run verify/emission.py on a true emission, on changed copies, and on false signed documents."""

import hashlib
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from core.journal.lineages import LINEAGE
from core.kernel.canonical import with_digests
from core.proofs import log as proofs_log
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.services import publications
from promotrot.services.closing import seed_reveal
from promotrot.services.emissions import emission_get
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories
from tests.support.verifying.forging import (
    Entries,
    Refused,
    Walk,
    public_key,
    published_log,
    quick_signatures,
    vouched_for,
    written,
)
from tests.support.verifying.load import FOLDER, verifier

verify = verifier("emission")
Proof = tuple[Entries, str, str]
pytestmark = pytest.mark.django_db


def proof_of(emission: Emission) -> Proof:
    """The public log, the emission's reference, and the list of its tickets."""
    assert seed_reveal(emission=emission)
    listed = "".join(publications.tickets_file(emission_get(emission.reference)))
    return published_log(), emission.reference, listed


@pytest.fixture
def proof() -> Proof:
    """25 of 40 tickets sold and played."""
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 25)
    return proof_of(emitting.closed(emission))


def run(folder: Path, proof: Proof) -> str:
    log, reference, listed = proof
    tickets = folder / "tickets.csv"
    tickets.write_text(listed, "ascii", newline="\n")
    file = written(folder, "log.jsonl", log)
    answer: str = verify.check(file, public_key(), reference, str(tickets))
    return answer


@pytest.mark.article("15.II.2")
def test_a_true_emission_holds_and_the_standard_library_is_enough(
    proof: Proof, tmp_path: Path
) -> None:
    assert "25 of 40 tickets sold" in run(tmp_path, proof)
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            str(FOLDER / "emission.py"),
            "log.jsonl",
            public_key(),
            proof[1],
            "tickets.csv",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={},
    )
    assert done.returncode == 0, done.stderr


def test_an_emission_that_is_to_stop_without_top_prizes_says_so_before_it_is_sold(
    tmp_path: Path,
) -> None:
    emission = emitting.opened(emitting.small(), stop_without_top=True)
    emitting.sold_and_played(emission, 25)
    log, *rest = proof_of(emitting.closed(emission))
    (opening,) = [each for each in log if each["kind"] == publications.OPENING]
    assert opening["document"]["stop_without_top"] is True
    top = emission.tiers.order_by("-value_cents")[0]
    sold = rest[1].count(f",{top.number}\n")
    says = f"It was to stop without a top prize; {(top.count or 0) - sold} of {top.count} are not"
    assert says in run(tmp_path, (log, *rest))


@pytest.mark.article("15.III.6.2")
def test_a_pre_drawn_emission_promises_and_keeps_what_its_type_declares(tmp_path: Path) -> None:
    """[P18]: not the minimum of the law alone."""
    tiers = [{"cash_cents": 500, "count": 2}, {"cash_cents": 100, "count": 20}]
    emission = emitting.opened(emitting.small(tiers=tiers, prize_percent="75"))
    emitting.sold_and_played(emission, 9)
    proof = proof_of(emitting.closed(emission))
    assert "9 of 40 tickets sold" in run(tmp_path, proof)
    terms = [e["document"]["minimum_percent"] for e in proof[0] if "opened_at" in e["document"]]
    assert terms == [75]


@pytest.mark.article("15.III.6.1", "15.III.6.2")
def test_the_extra_prize_of_a_play_that_was_refunded_is_not_listed(tmp_path: Path) -> None:
    """[P11]: the play is undone, and no tier is told of its ticket; a 0 would be a lie."""
    point = factories.point()
    first = emitting.opened(emitting.document("trotters-ladder", code="short", tickets=40))
    emitting.sold(first, 40, point)
    game = emitting.closed(first).game
    second = emitting.opened(game, extra_tier=6)  # as many extra prizes as the debt pays
    for ident in emitting.sold(second, 40, point):
        assert play_end_unfinished(PlayTicket.objects.get(uuid=ident)) == "refund"
    log, reference, listed = proof_of(emitting.closed(second))
    assert {line.rpartition(",")[2] for line in listed.splitlines()[1:]} == {""}
    assert "40 of them name no tier" in run(tmp_path, (log, reference, listed))


@pytest.mark.article("15.III.6.2")
def test_extra_prizes_and_plays_not_ended_are_told_apart(tmp_path: Path) -> None:
    point = factories.point()
    first = emitting.opened(emitting.document("trotters-ladder"))
    emitting.sold(first, 20, point)
    game = emitting.closed(first).game
    second = emitting.opened(game, extra_tier=3)  # bonus prizes over tickets of a played game
    emitting.played(point, emitting.sold(second, 5, point), act="trot")
    assert "5 of 400000 tickets sold" in run(tmp_path, proof_of(emitting.closed(second)))
    third = emitting.opened(emitting.small("waiting"))
    tickets = emitting.sold(third, 6, point)
    emitting.played(point, tickets[:2])
    proof = proof_of(emitting.closed(third))
    assert [line.rpartition(",")[2] for line in proof[2].splitlines()[3:]] == [""] * 4
    assert "6 of 40" in run(tmp_path, proof)


@pytest.mark.article("15.III.6.2", "15.II.2")
def test_no_more_tickets_name_no_tier_than_were_left_unfinished(tmp_path: Path) -> None:
    """One unfinished play is no reason to leave out the prizes of all others."""
    point, emission = factories.point(), emitting.opened(emitting.small())
    sold = emitting.sold(emission, 40, point)
    emitting.played(point, sold[:39])
    log, reference, listed = proof_of(emitting.closed(emission))
    assert "40 of 40 tickets sold" in run(tmp_path, (log, reference, listed))
    lines = listed.splitlines(keepends=True)
    silent = [line[:-2] + "\n" if line.endswith((",1\n", ",2\n")) else line for line in lines]
    with pytest.raises(Refused, match="tickets too many name no tier"):
        run(tmp_path, (log, reference, "".join(silent)))


@pytest.mark.article("15.II.2")
def test_a_database_that_began_anew_before_the_closing_is_told(tmp_path: Path) -> None:
    """In yesterday's database tickets are sold again whose prizes were seen: the list has those
    that were sold last, and every one of them holds what was committed to.
    """
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 3)
    begin_anew(1, "restored to 11:00")
    assert seed_reveal(emission=emitting.closed(emission))
    begin_anew(2, "moved")
    log = published_log()
    listed = "".join(publications.tickets_file(emission_get(emission.reference)))
    answer = run(tmp_path, (log, emission.reference, listed))
    assert answer.endswith(" THE DATABASE BEGAN ANEW BEFORE ITS END: restored to 11:00.")


def begin_anew(number: int, reason: str) -> None:
    """Publish what `journal_lineage --begin` publishes."""
    facts = {"lineage": number, "server": "1", "before": "1", "batch": 0, "digest": "00" * 32}
    document = with_digests({"format": "trot-lineage-1", **facts, "reason": reason})
    proofs_log.publish(kind=LINEAGE, subject=str(number), document=document)


def test_every_field_that_a_stranger_changes_is_refused_by_its_name(
    proof: Proof, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    log, *rest = proof
    walk = Walk(log, lambda other: run(tmp_path, (other, *rest)))
    assert walk.strangers(*publications.KINDS) > 400


def test_every_lie_of_the_operator_is_found_but_what_only_people_vouch_for(
    proof: Proof, tmp_path: Path, monkeypatch: Any
) -> None:
    quick_signatures(monkeypatch)
    log, *rest = proof
    walk = Walk(log, lambda other: run(tmp_path, (other, *rest)))
    kinds = publications.KINDS
    assert walk.liars(*kinds) ^ vouched_for(*kinds) == set()


def test_the_list_of_tickets_cannot_be_changed(proof: Proof, tmp_path: Path) -> None:
    log, reference, listed = proof
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
        with pytest.raises(
            Refused, match=r"^(TICKETS|promotrot\.seed\.(tickets_sha256|sold)): |line"
        ):
            run(tmp_path, (log, reference, "".join(changed_lines)))
            pytest.fail(why)


@pytest.mark.article("15.II.2")
def test_a_ticket_that_was_sold_out_of_turn_is_missed(tmp_path: Path) -> None:
    """A person who knows the key could keep a position for somebody, and sell the rest."""
    block = {"blocks": 1, "tickets": 640, "prizes": [0]}  # lanes of ten tickets
    dealing = verify.Dealing(bytes(32), "small/1", {"classes": [block]})

    def sold(*positions: int) -> int:
        lines = [f"0,{position},{uuid.UUID(int=position)!s}" for position in positions]
        file = tmp_path / "tickets.csv"
        listed = "".join(f"{line},0\n" for line in lines)
        file.write_text(f"{verify.HEADER}\n{listed}", "ascii", newline="\n")
        text = "".join(f"{line}\n" for line in lines).encode()
        seed = {"sold": len(lines), "tickets_sha256": hashlib.sha256(text).hexdigest()}
        held, _ = verify.check_tickets(str(file), dealing, seed)
        count: int = held.total()
        return count

    assert sold(0, 1, 2, 10, 630, 631) == 6
    assert sold(*range(640)) == 640
    for positions in ((1,), (0, 2), (0, 1, 12), (0, 639)):
        with pytest.raises(Refused, match="the ticket before it in its lane was not sold"):
            sold(*positions)
    with pytest.raises(Refused, match="out of order, or twice"):
        sold(0, 0)  # a prize where a lane begins, listed again to make up what others lack
    with pytest.raises(Refused, match="no such position"):
        sold(*range(641))
