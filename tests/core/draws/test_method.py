"""Check the published method: one form of the entropy, and a uniform order."""

import hashlib
import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.draws import method
from core.draws.kinds import Field, FieldUnfit
from core.draws.method import EntropyMalformed, EntropyTooLittle, Source
from core.kernel.sampling import Stream
from core.tools.embedded.server import ROOT
from tests.support.chi_square import excess_of
from tests.support.running.effort import tries

DRAWS = tries(100_000)


@pytest.mark.parametrize(
    ("source", "text", "canonical"),
    [
        (Source.DICE, "3161425364", "3 1 6 1 4 2 5 3 6 4"),
        (Source.DICE, "3,1,6 1-4 2;5  3 6 4", "3 1 6 1 4 2 5 3 6 4"),
        (Source.BALLS, "07 31-4, 12;40 5", "7 31 4 12 40 5"),
        (Source.PHRASE, "  El pa\u0300 de \t Sineu ", "El p\u00e0 de Sineu"),
    ],
)
def test_what_a_witness_gives_has_one_form(source: Source, text: str, canonical: str) -> None:
    padded = text if source is not Source.PHRASE else text + "  i més"
    wanted = canonical if source is not Source.PHRASE else canonical + " i més"
    assert method.entropy_canonical(source, padded) == wanted


@pytest.mark.parametrize(
    ("source", "text", "error"),
    [
        (Source.DICE, "1234567123", EntropyMalformed),
        (Source.DICE, "one two", EntropyMalformed),
        (Source.DICE, "123456", EntropyTooLittle),
        (Source.BALLS, "1 2 three 4 5 6", EntropyMalformed),
        (Source.BALLS, "1 2 ² 4 5 6", EntropyMalformed),
        (Source.BALLS, "1 2 3 4 5", EntropyTooLittle),
        (Source.PHRASE, "a b c d e f", EntropyTooLittle),
        (Source.PHRASE, "\u0958" * 201, EntropyMalformed),  # 402 code points in NFC
    ],
)
def test_what_is_no_entropy_is_refused(source: Source, text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        method.entropy_canonical(source, text)


@pytest.mark.parametrize(
    ("source", "pieces", "error"),
    [
        (Source.DICE, None, method.MeansRefused),
        (Source.BALLS, 81, method.MeansRefused),
        (Source.PHRASE, 12, method.MeansRefused),
        (Source.DICE, 9, method.EntropyTooLittle),
        (Source.BALLS, 5, method.EntropyTooLittle),
    ],
)
def test_means_that_cannot_be_are_refused(
    source: Source, pieces: int | None, error: type[Exception]
) -> None:
    with pytest.raises(error):
        method.Means(source, pieces)


def test_what_the_witness_gives_is_of_the_kind_and_number_committed_to() -> None:
    """[B16]"""
    dice, phrase = method.Means(Source.DICE, 10), method.Means(Source.PHRASE, None)
    assert (dice.text, phrase.text) == ("dice 10", "phrase")
    ten = method.entropy_canonical(Source.DICE, "3161425364")
    dice.need_kept(Source.DICE, ten)
    phrase.need_kept(Source.PHRASE, "rain all night in Manacor")
    for source, entropy in (
        (Source.DICE, ten + " 6"),
        (Source.BALLS, ten),
        (Source.PHRASE, "rain all night in Manacor"),
    ):
        with pytest.raises(method.EntropyOtherwise):
            dice.need_kept(source, entropy)


def test_the_commitment_binds_kind_and_number() -> None:
    secret, field = bytes(32), bytes(32)
    kinds = [(Source.DICE, 10), (Source.DICE, 11), (Source.BALLS, 10), (Source.PHRASE, None)]
    commitments = {method.commitment(secret, "draw", field, method.Means(*kind)) for kind in kinds}
    assert len(commitments) == 4


def test_an_entry_twice_or_too_many_places_is_no_field() -> None:
    for entries, places in ((("1", "1"), 1), (("1", "2"), 3), (("1",), 0), ((), 1)):
        with pytest.raises(FieldUnfit):
            Field(entries, places)


@given(st.lists(st.text(max_size=4), min_size=1, max_size=40, unique=True), st.data())
def test_an_order_is_of_the_field_each_once(entries: list[str], data: st.DataObject) -> None:
    places = data.draw(st.integers(1, len(entries)))
    secret = data.draw(st.binary(min_size=32, max_size=32))
    phrase = method.Means(Source.PHRASE, None)
    digest = method.commitment(secret, "draw", method.field_digest(entries), phrase)
    order = method.order(secret, digest, "entropy", entries, places)
    assert len(order) == places == len(set(order)) and set(order) <= set(entries)
    whole = method.order(secret, digest, "entropy", entries, len(entries))
    assert whole[:places] == order, "fewer places are the same draw cut short"


def test_the_documented_example_is_true() -> None:
    page = (ROOT / "docs" / "proofs" / "draws.md").read_text("utf-8")
    match = re.search(r"<!-- example: draw -->\n```json\n(.*?)```", page, re.DOTALL)
    assert match
    example = json.loads(match[1])
    field = method.field_digest(example["entries"])
    secret = bytes.fromhex(example["secret"])
    source = Source(example["source"])
    means = method.Means(source, example["pieces"])
    digest = method.commitment(secret, example["draw"], field, means)
    text = method.entropy_canonical(source, example["text"])
    means.need_kept(source, text)
    order = method.order(secret, digest, text, example["entries"], 4)
    computed = {
        "sha256": field.hex(),
        "commitment": digest.hex(),
        "canonical": text,
        "order": order,
    }
    assert {name: example[name] for name in computed} == computed


def biased(secret: bytes, published: bytes, entropy: str, entries: list[str]) -> list[str]:
    """Shuffle in the well-known wrong way: exchange every place with any other, not with those
    left.
    """
    stream = Stream(b"biased", published, secret, entropy.encode())
    order = list(entries)
    for place in range(len(order)):
        other = stream.below(len(order))
        order[place], order[other] = order[other], order[place]
    return order


@pytest.mark.article("14.III.5.4.2")
def test_every_order_of_100_000_draws_is_as_likely_and_a_biased_sampler_is_caught() -> None:
    """Test each order of five, and each number in each place of twelve, by chi-square.

    `make quick` makes a fifth of the draws.
    """
    five, twelve = list("12345"), [str(n) for n in range(1, 13)]
    seeds = [hashlib.sha256(b"%d" % number).digest() for number in range(DRAWS)]

    def orders(of: list[str], wrong: bool) -> list[tuple[str, ...]]:
        if wrong:  # a tenth of 100,000 draws is enough to catch it
            return [tuple(biased(seed, b"", "e", of)) for seed in seeds[:10_000]]
        return [tuple(method.order(seed, b"", "e", of, len(of))) for seed in seeds]

    def places(orders: list[tuple[str, ...]]) -> float:
        return max(excess_of((order[place] for order in orders), 12) for place in range(12))

    assert excess_of(orders(five, False), len(list(itertools.permutations(five)))) < 1
    assert places(orders(twelve, False)) < 1
    assert excess_of(orders(five, True), 120) > 1
    assert places(orders(twelve, True)) > 1
