"""How a public draw is computed: from a committed secret, a witness's entropy and the field.

Pure, and published byte by byte in docs/proofs.md. The secret is committed to before the witness
acts, so that the operator cannot choose it; the witness's words are mixed in, so that the operator
could not know the order when committing.
"""

import hashlib
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from core.kernel.canonical import Json, canonical_sha256
from core.kernel.errors import Invalid
from core.kernel.sampling import Stream, framed

ALGORITHM: Final = "shake256-fisher-yates/1"
SECRET_BYTES: Final = 32
LEAST_DICE: Final = 10
LEAST_BALLS: Final = 6
LEAST_CHARACTERS: Final = 12
MAX_ENTROPY_CHARACTERS: Final = 400

_COMMITMENT: Final = b"draw/commitment/1"
_ORDER: Final = b"draw/order/1"
_SEPARATORS: Final = str.maketrans(",;-", "   ")


class EntropyMalformed(Invalid):
    """Dice that are not 1 to 6, balls that are not numbers."""

    code = "entropy_malformed"
    message = "What the witness gave is not of that kind."


class EntropyTooLittle(Invalid):
    """`data["least"]`: the dice, balls or letters that are needed."""

    code = "entropy_too_little"
    message = "What the witness gave is too little to be unpredictable."


class Source(StrEnum):
    """Where the witness's entropy comes from."""

    DICE = "dice"
    BALLS = "balls"
    PHRASE = "phrase"


def entropy_canonical(source: Source, text: str) -> str:
    """What a witness gave, in the one form that is hashed.

    Dice and balls: their numbers with one space between; commas, semicolons and hyphens separate as
    spaces do, and dice may also be written without any. A phrase: in NFC, its runs of white space
    one space each. Raises EntropyMalformed, EntropyTooLittle.
    """
    if source is Source.PHRASE:
        phrase = " ".join(unicodedata.normalize("NFC", text).split())
        _need(len(phrase.replace(" ", "")), LEAST_CHARACTERS)
        return phrase
    words = text.translate(_SEPARATORS).split()
    if source is Source.DICE:
        words = list("".join(words))
    if not all(word.isascii() and word.isdigit() and len(word) <= 4 for word in words):
        raise EntropyMalformed(source=str(source))
    numbers = [int(word) for word in words]
    if source is Source.DICE and not all(1 <= number <= 6 for number in numbers):
        raise EntropyMalformed(source=str(source))
    _need(len(numbers), LEAST_DICE if source is Source.DICE else LEAST_BALLS)
    return " ".join(map(str, numbers))


def _need(given: int, least: int) -> None:
    if given < least:
        raise EntropyTooLittle(given=given, least=least)


def field_digest(entries: Sequence[str]) -> bytes:
    """SHA-256 (32 bytes) of the field as a canonical JSON list of texts."""
    texts: list[Json] = [*entries]
    return canonical_sha256(texts)


def commitment(secret: bytes, draw: str, field: bytes) -> bytes:
    """What is published before the witness acts: 32 bytes that bind the secret to a draw and its
    field (`field_digest`), and tell nothing of it."""
    return hashlib.sha256(framed(_COMMITMENT, draw.encode(), field, secret)).digest()


def order(
    secret: bytes, published: bytes, entropy: str, entries: Sequence[str], places: int
) -> list[str]:
    """The first places of the field's order, the winner first.

    `published` is the commitment, `entropy` in its canonical form.
    """
    stream = Stream(_ORDER, published, secret, entropy.encode())
    return stream.first(places, entries)
