"""Sealed tickets, read and counted again without a database."""

import hashlib
from itertools import product
from math import prod
from pathlib import Path

import pytest

from core.proofs import merkle
from lototrot.engine.hits import bets_by_hits
from tests.support.verifying.load import verifier

tickets, forms = verifier("tickets"), verifier("forms")
MASKS = [(0b1, 0b11), (0b110, 0b1), (0b111, 0b111)]
RIGHT = [0b10, 0b1]


def leaf(masks: tuple[int, ...], price: int = 100) -> bytes:
    bets = prod(mask.bit_count() for mask in masks)
    fields = [b"BAR-1", b"BAR-1-A", bytes(8), bets.to_bytes(4, "big")]
    fields += [(bets * price).to_bytes(8, "big"), *(mask.to_bytes(4, "big") for mask in masks)]
    return b"".join(len(field).to_bytes(4, "big") + field for field in [*fields, bytes(32)])


def written(folder: Path, *leaves: bytes) -> str:
    file = folder / "TICKETS"
    file.write_bytes(b"".join(leaves))
    return str(file)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 13])
def test_the_root_is_that_of_the_system(count: int) -> None:
    leaves = [bytes([number]) * 40 for number in range(count)]
    tree = tickets.Tree()
    for each in leaves:
        tree.add(each)
    if count:
        assert tree.root() == merkle.root([merkle.leaf_hash(each) for each in leaves]).hex()
    else:
        assert tree.root() == hashlib.sha256().hexdigest()


@pytest.mark.article("14.III.7")
def test_winning_bets_are_those_of_the_engine_and_of_counting_one_by_one() -> None:
    for masks in MASKS:
        counted = tickets.winning_bets(list(masks), RIGHT)
        assert [counted[hits] for hits in range(3)] == list(bets_by_hits(masks, RIGHT))
        bits = [[1 << n for n in range(3) if mask >> n & 1] for mask in masks]
        for hits in range(3):
            one_by_one = sum(
                sum(bool(bit & good) for bit, good in zip(bet, RIGHT, strict=True)) == hits
                for bet in product(*bits)
            )
            assert counted[hits] == one_by_one


def test_leaves_are_read_with_their_fields(tmp_path: Path) -> None:
    leaves = [leaf(masks) for masks in MASKS]
    read = list(tickets.leaves(written(tmp_path, *leaves), 2))
    assert [each for each, _ in read] == leaves
    assert all(fields[:2] == [b"BAR-1", b"BAR-1-A"] for _, fields in read)


@pytest.mark.parametrize("end", [1, 30, 60])
def test_a_file_that_ends_early_is_refused(tmp_path: Path, end: int) -> None:
    with pytest.raises(forms.Refused, match="TICKETS"):
        list(tickets.leaves(written(tmp_path, leaf(MASKS[0])[:-end]), 2))


def test_a_price_that_does_not_fit_the_marks_is_refused(tmp_path: Path) -> None:
    races = [{"right": [2]}, {"right": [1]}]
    certificate = {"races": races, "figures": {"winners": {"2": 0}}, "price_cents": 100}
    file = written(tmp_path, leaf(MASKS[0]), leaf(MASKS[1], price=50))
    with pytest.raises(forms.Refused, match="ticket 1 has other bets or another price"):
        tickets.check_tickets(certificate, file, {}, "2030-01-01T00:00:00.000000Z")


@pytest.mark.article("14.III.4")
@pytest.mark.parametrize("voided", [{}, {0: "after_limit"}, {1: "after_limit"}])
def test_a_ticket_sold_at_the_start_does_not_count(tmp_path: Path, voided: dict[int, str]) -> None:
    file = written(tmp_path, leaf(MASKS[0]))
    at_the_start = b"ticket 0 counts, and was sold after the start"
    certificate = {"races": [{"right": [2]}, {"right": [1]}], "price_cents": 100}
    certificate |= {"figures": {"winners": {"2": 0}}, "seal": {"root": "another"}}
    named = "not the tickets that were sealed" if 0 in voided else at_the_start.decode()
    with pytest.raises(forms.Refused, match=named):
        tickets.check_tickets(certificate, file, voided, "2000-01-01T00:00:00.000000Z")


@pytest.mark.article("14.III.1.4", "14.III.4")
def test_a_voided_ticket_that_would_have_won_is_named(tmp_path: Path) -> None:
    """A void after the results, for whatever reason, can take a winner out."""
    win, lose, late = leaf((0b10, 0b1)), leaf((0b1, 0b10)), "2030-01-01T00:00:00.000000Z"
    file, tree = written(tmp_path, win, lose, win), tickets.Tree()
    for each in (win, lose, win):
        tree.add(each)
    sums = {"tickets": 3, "bets": 3, "takings_cents": 300}
    certificate = {"races": [{"right": [2]}, {"right": [1]}], "price_cents": 100}
    certificate |= {"seal": {"root": tree.root(), **sums}}

    def verdict(voided: dict[int, str], winners: int, limit: str = late) -> str:
        left = {"tickets": 3 - len(voided), "bets": 3 - len(voided), "winning_tickets": winners}
        counted = certificate | left | {"figures": {"winners": {"2": winners}}}
        answer: str = tickets.check_tickets(counted, file, voided, limit)
        return answer

    assert verdict({}, 2) == verdict({1: "unprinted"}, 2) == "counted again over 3 sealed tickets"
    assert verdict({0: "unprinted"}, 1).endswith("; 1 VOIDED WOULD HAVE WON")
    both = verdict({0: "after_limit", 1: "after_limit"}, 1)
    assert "; 1 VOIDED WOULD HAVE WON; 2 VOIDED AS SOLD AFTER" in both
    too_late = dict.fromkeys(range(3), "after_limit")
    in_breach = verdict(too_late, 0, limit="2000-01-01T00:00:00.000000Z")
    assert in_breach == "counted again over 3 sealed tickets"  # nobody need ask about these
