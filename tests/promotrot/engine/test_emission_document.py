"""Implement docs/emission-algorithm.md again, apart from the engine, and compare both.

Every value that the document prints is computed. Then both implementations deal the same emissions.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial, perm
from pathlib import Path
from typing import Any

import pytest

from promotrot.engine import shuffle
from promotrot.engine.game import PredrawnGame
from promotrot.engine.game_json import shipped
from promotrot.engine.plan import make_plan
from promotrot.engine.presentation import NumberMatch, Symbols
from promotrot.engine.prize_table import PredrawnType, Prize, Tier
from promotrot.engine.reveal import reveal

DOCUMENT = Path(__file__).parents[3] / "docs" / "emission-algorithm.md"
TEXT = DOCUMENT.read_text("utf-8")
ALGORITHM = b"promotrot-shake256-fisher-yates/1"
SEED, EMISSION, ENTROPY = bytes(range(32)), b"example/1", b"6 1 5 2 2 4"


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


WORKED = dict(line.split(": ", 1) for block in _blocks("worked") for line in block.splitlines())
PLAN_JSON = _blocks("json")[0].strip()


# --- the document, in code ------------------------------------------------------------------------


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def framed(*parts: bytes) -> bytes:
    return b"".join(u64(len(part)) + part for part in parts)


def hash32(*parts: bytes) -> bytes:
    return hashlib.shake_256(framed(*parts)).digest(32)


def stream(*parts: bytes) -> Iterator[int]:
    message, read = framed(*parts), 0
    while True:
        chunk = hashlib.shake_256(message).digest(read + 65_536)[read:]
        read += 65_536
        for at in range(0, len(chunk), 4):
            yield int.from_bytes(chunk[at : at + 4], "big")


def below(words: Iterator[int], bound: int) -> int:
    count = 1
    while 2 ** (32 * count) < bound:
        count += 1
    while True:
        number = 0
        for _ in range(count):
            number = number * 2**32 + next(words)
        if number < 2 ** (32 * count) // bound * bound:
            return number % bound


def permutation(words: Iterator[int], size: int) -> list[int]:
    items = list(range(size))
    for i in range(size - 1, 0, -1):
        j = below(words, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def commitment_message(plan: str, emission: bytes, seed: bytes) -> bytes:
    digest = hashlib.sha256(plan.encode()).digest()
    tickets = json.loads(plan)["tickets"]
    domain = b"promotrot/commitment/1"
    return framed(domain, ALGORITHM, emission, u64(tickets), digest, seed)


def key_of(plan: str, emission: bytes, seed: bytes, entropy: bytes) -> bytes:
    published = hashlib.shake_256(commitment_message(plan, emission, seed)).digest(32)
    return hash32(b"promotrot/key/1", published, seed, entropy)


def blocks_of(plan: str) -> list[Any]:
    return [each for each in json.loads(plan)["classes"] for _ in range(each["blocks"])]


def tickets_of(plan: str, emission: bytes, key: bytes, opening: int) -> list[int]:
    blocks = blocks_of(plan)
    order = permutation(stream(b"promotrot/blocks/1", key, emission), len(blocks))
    block = blocks[order[opening]]
    row = [tier for tier, many in enumerate(block["prizes"], start=1) for _ in range(many)]
    row += [0] * (block["tickets"] - len(row))
    words = stream(b"promotrot/tickets/1", key, emission, u64(opening))
    return [row[slot] for slot in permutation(words, block["tickets"])]


def picture_words(key: bytes, opening: int, position: int) -> Iterator[int]:
    return stream(b"promotrot/picture/1", key, EMISSION, u64(opening), u64(position))


def symbol_pictures(game: Any, tier: int) -> list[tuple[str, ...]]:
    """List all pictures within the bounds. Use it for small games only."""
    winner = game["winning"][tier - 1] if tier else None
    return [
        picture
        for picture in product(game["signs"], repeat=game["columns"] * game["rows"])
        if all(
            picture.count(sign) == game["match"]
            if sign == winner
            else picture.count(sign) < game["match"]
            for sign in game["signs"]
        )
    ]


def numbers_picture(game: Any, tier: int, words: Iterator[int]) -> tuple[list[int], list[int]]:
    high, many, mine = game["highest"], game["winners"], game["yours"]
    allowed = (
        [game["matches"][tier - 1]]
        if tier
        else [c for c in range(min(many, mine) + 1) if c not in game["matches"]]
    )
    ways = {
        c: perm(high, many) * comb(many, c) * comb(high - many, mine - c) * factorial(mine)
        for c in allowed
    }
    index = below(words, sum(ways.values()))
    common = -1
    for common in allowed:
        if index < ways[common]:
            break
        index -= ways[common]
    drawn = [number + 1 for number in permutation(words, high)]
    winners = drawn[:many]
    yours = winners[:common] + drawn[many : many + mine - common]
    return (
        [winners[at] for at in permutation(words, many)],
        [yours[at] for at in permutation(words, mine)],
    )


# --- what the document prints ---------------------------------------------------------------------

GAME: Any = {
    "columns": 3,
    "rows": 2,
    "match": 3,
    "signs": ["sulky", "whip", "bell", "cap"],
    "winning": ["sulky", "whip", "bell"],
}


@pytest.mark.article("15.II.2")
def test_every_printed_value_follows_from_the_document() -> None:
    message = commitment_message(PLAN_JSON, EMISSION, SEED)
    key = key_of(PLAN_JSON, EMISSION, SEED, ENTROPY)
    words = stream(b"permutation")
    values = {
        "permutation words": " ".join(f"{next(words):08x}" for _ in range(4)),
        "permutation of 5": _row(permutation(stream(b"permutation"), 5)),
        "plan digest": hashlib.sha256(PLAN_JSON.encode()).hexdigest(),
        "commitment message": message.hex(),
        "commitment": hashlib.shake_256(message).hexdigest(32),
        "key": key.hex(),
    }
    words = stream(b"promotrot/blocks/1", key, EMISSION)
    values["block words"] = " ".join(f"{next(words):08x}" for _ in range(2))
    values["block order"] = _row(permutation(stream(b"promotrot/blocks/1", key, EMISSION), 3))
    for opening in range(3):
        words = stream(b"promotrot/tickets/1", key, EMISSION, u64(opening))
        values[f"opening {opening} words"] = " ".join(f"{next(words):08x}" for _ in range(3))
        tickets = tickets_of(PLAN_JSON, EMISSION, key, opening)
        values[f"opening {opening} tickets"] = _row(tickets[:24])
        values[f"opening {opening} sha256"] = hashlib.sha256(bytes(tickets)).hexdigest()
        if 1 in tickets:
            values["top prize position"] = str(tickets.index(1))
    values["picture counts"] = _row([len(symbol_pictures(GAME, tier)) for tier in range(4)])
    tickets = tickets_of(PLAN_JSON, EMISSION, key, 0)
    for position in (0, 1, 2, 4):
        pictures = symbol_pictures(GAME, tickets[position])
        index = below(picture_words(key, 0, position), len(pictures))
        values[f"picture 0/{position}"] = " ".join(pictures[index])
    assert values == WORKED


def _row(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


# --- the engine against it ------------------------------------------------------------------------


def _example() -> PredrawnType:
    tiers = (Tier(Prize(100_000), 1), Tier(Prize(500), 300), Tier(Prize(50), 16_000))
    return PredrawnType(Fraction(70), 30_000, 50, tiers)


@pytest.mark.article("15.II.2")
def test_the_engine_is_the_document_s_algorithm() -> None:
    plan = make_plan(_example(), Fraction(70), block_tickets=10_000)
    assert json.dumps(plan.document(), sort_keys=True, separators=(",", ":")) == PLAN_JSON
    published = shuffle.commitment(SEED, "example/1", plan)
    key = shuffle.mixed_key(SEED, published, ENTROPY)
    assert published.hex() == WORKED["commitment"]
    assert key.hex() == WORKED["key"]
    for opening in range(3):
        tickets = tickets_of(PLAN_JSON, EMISSION, key, opening)
        assert list(shuffle.block_prizes(key, "example/1", plan, opening)) == tickets


@pytest.mark.parametrize("game", [g for g in shipped() if isinstance(g, PredrawnGame)])
def test_shipped_emissions_are_dealt_alike(game: PredrawnGame) -> None:
    plan = make_plan(game.kind, Fraction(70), block_tickets=game.block_tickets)
    text = json.dumps(plan.document(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    key = key_of(text, b"ca\xc3\xa7a/7", SEED, b"\xff")
    published = shuffle.commitment(SEED, "caça/7", plan)
    assert shuffle.mixed_key(SEED, published, b"\xff") == key
    opening = plan.blocks - 1
    dealt = shuffle.block_prizes(key, "caça/7", plan, opening)
    assert list(dealt) == tickets_of(text, b"ca\xc3\xa7a/7", key, opening)


def test_pictures_are_drawn_alike() -> None:
    key = bytes.fromhex(WORKED["key"])
    symbols = Symbols(3, 2, 3, tuple(GAME["signs"]), tuple(GAME["winning"]))
    numbers = NumberMatch(12, 3, 4, (3, 1))
    rules: Any = numbers.document()
    listed = [symbol_pictures(GAME, tier) for tier in range(4)]
    for position in range(200):
        tier = position % 4
        source = shuffle.picture_stream(key, "example/1", 0, position)
        index = below(picture_words(key, 0, position), len(listed[tier]))
        assert reveal(symbols, tier, source) == listed[tier][index]
        source = shuffle.picture_stream(key, "example/1", 0, position)
        drawn: Any = reveal(numbers, position % 3, source)
        winners, yours = numbers_picture(rules, position % 3, picture_words(key, 0, position))
        assert (list(drawn.winners), list(drawn.yours)) == (winners, yours)
