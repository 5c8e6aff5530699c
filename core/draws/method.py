"""Compute a public draw from a committed secret, the witness's entropy and the field.

The method is pure, and docs/proofs/draws.md publishes it to the byte. The operator commits to the
secret before the witness acts, and so cannot choose it afterwards; the commitment also says how the
witness will act (`Means`). The witness's entropy is mixed in, so that the operator could not know
the order when committing.
"""

import dataclasses
import hashlib
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, Self

from core.kernel.canonical import Json, canonical_sha256
from core.kernel.errors import Conflict, Invalid
from core.kernel.sampling import Stream, framed

ALGORITHM: Final = "shake256-fisher-yates/1"
SECRET_BYTES: Final = 32
LEAST_DICE: Final = 10
LEAST_BALLS: Final = 6
LEAST_CHARACTERS: Final = 12
MOST_PIECES: Final = 80
MAX_ENTROPY_CHARACTERS: Final = 400

_COMMITMENT: Final = b"draw/commitment/1"
_ORDER: Final = b"draw/order/1"
_SEPARATORS: Final = str.maketrans(",;-", "   ")


class EntropyMalformed(Invalid):
    """The entropy does not fit its source: dice that are not 1 to 6, balls that are not numbers."""

    code = "entropy_malformed"
    message = "The witness's entropy does not fit its source: dice, balls or a phrase."


class EntropyTooLittle(Invalid):
    """The entropy is too short. `data["least"]` is the number of dice, balls or letters needed."""

    code = "entropy_too_little"
    message = "The witness's entropy is too short to be unpredictable."


class MeansRefused(Invalid):
    """The witness cannot act so. `data["most"]` is the largest number of dice or balls."""

    code = "draw_means_refused"
    message = "Say how many dice or balls the witness gives. A phrase has no number [B16]."


class EntropyOtherwise(Conflict):
    """The entropy is not as committed to. `data` has the `source` and the number of `pieces`."""

    code = "entropy_not_as_committed"
    message = (
        "The witness gave another kind or number of dice or balls than the commitment names [B16]."
    )


class Source(StrEnum):
    """A source of the witness's entropy."""

    DICE = "dice"
    BALLS = "balls"
    PHRASE = "phrase"


_LEAST_PIECES: Final = {Source.DICE: LEAST_DICE, Source.BALLS: LEAST_BALLS}


@dataclasses.dataclass(frozen=True, slots=True)
class Means:
    """The source of the witness's entropy, and the number of dice or balls (None for a phrase).

    They are part of the commitment. Raises MeansRefused, EntropyTooLittle.
    """

    source: Source
    pieces: int | None

    def __post_init__(self) -> None:
        if (self.pieces is None) != (self.source is Source.PHRASE):
            raise MeansRefused(most=MOST_PIECES)
        if self.pieces is not None:
            if self.pieces > MOST_PIECES:
                raise MeansRefused(most=MOST_PIECES)
            _need(self.pieces, _LEAST_PIECES[self.source])

    @classmethod
    def of(cls, source: str, pieces: int | None) -> Self:
        """Return the means by the name of their source, as a commitment keeps them."""
        return cls(Source(source), pieces)

    @property
    def text(self) -> str:
        """Return the means as the commitment has it: `dice 12`, `balls 6`, `phrase`."""
        return str(self.source) if self.pieces is None else f"{self.source} {self.pieces}"

    def need_kept(self, source: Source, entropy: str) -> None:
        """Check that canonical entropy is of this source and number. Raises EntropyOtherwise."""
        if source is not self.source or self.pieces not in (None, len(entropy.split(" "))):
            raise EntropyOtherwise(source=str(self.source), pieces=self.pieces)


def entropy_canonical(source: Source, text: str) -> str:
    """Return the witness's entropy in the one form that is hashed.

    Dice and balls: their numbers with one space between. Commas, semicolons and hyphens separate as
    spaces do, and dice may also be written without separators. A phrase: in NFC, with each run of
    white space as one space. Raises EntropyMalformed, EntropyTooLittle.
    """
    if source is Source.PHRASE:
        phrase = " ".join(unicodedata.normalize("NFC", text).split())
        if len(phrase) > MAX_ENTROPY_CHARACTERS:  # the form has more code points than some text
            raise EntropyMalformed(source=str(source))
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
    _need(len(numbers), _LEAST_PIECES[source])
    return " ".join(map(str, numbers))


def _need(count: int, least: int) -> None:
    if count < least:
        raise EntropyTooLittle(given=count, least=least)


def field_digest(entries: Sequence[str]) -> bytes:
    """Return the SHA-256 (32 bytes) of the field as a canonical JSON list of texts."""
    texts: list[Json] = [*entries]
    return canonical_sha256(texts)


def commitment(secret: bytes, draw: str, field: bytes, means: Means) -> bytes:
    """Return the 32 bytes that are published before the witness acts.

    They bind the secret to a draw, its field (`field_digest`) and the means, and reveal nothing of
    the secret.
    """
    parts = _COMMITMENT, draw.encode(), field, means.text.encode(), secret
    return hashlib.sha256(framed(*parts)).digest()


def order(
    secret: bytes, published: bytes, entropy: str, entries: Sequence[str], places: int
) -> list[str]:
    """Return the first places of the field's order, the winner first.

    `published` is the commitment, `entropy` is in its canonical form.
    """
    stream = Stream(_ORDER, published, secret, entropy.encode())
    return stream.first(places, entries)
