"""Make and read the bearer codes of tickets and vouchers (14.II.3; rulebook, decision *Codes*).

A code is 24 characters of Crockford base32, shown in six groups of four:

    [1 key version][2 day][16 body, 80 bits][4 authenticity, 20 bits][1 check]

The day is that of the contest or of the issue, and no secret: it tells where the digest of the code
stands in the index, so that codes of one day stand together (docs/adr/0073). The body is keyed by a
secret of the contest or day, together with a long-lived key. When the secret is erased, no one can
make the code again, so no one can print a second ticket from the data. Who knows the secret but not
the key must guess all 100 bits. The authenticity part is keyed only by the long-lived key, so that
of a million invented codes all but one are refused before any query. The check character detects
every single wrong character and every swap of two characters.

A code pays its holder. So only its keyed `digest` is stored, and `repr` does not show the code.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Final
from uuid import UUID

from core.kernel.errors import Invalid

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH: Final = 24
GROUP: Final = 4
DIGEST_BYTES: Final = 15
"""With one byte more, each entry of the unique index would take eight more (docs/adr/0051)."""
BLIND_BYTES: Final = 16
MIN_KEY_BYTES: Final = 32

# Kinds are an open set: any one byte that no other kind uses.
TICKET: Final = b"T"
VOUCHER: Final = b"V"

_DAY_CHARS: Final = 2
_DAYS: Final = 1 << 5 * _DAY_CHARS
_DAY_BYTES: Final = 2
_BODY_CHARS: Final = 16
_MAC_CHARS: Final = 4
_MAC_AT: Final = 1 + _DAY_CHARS + _BODY_CHARS
_MAX_TYPED: Final = 4 * LENGTH

# The address that a symbol holds before the code. A scanner types its signs, other than letters and
# digits, by the layout of a keyboard.
_LINK: Final = re.compile(r"https?[^0-9A-Za-z\s-].*[^0-9A-Za-z\s-]", re.IGNORECASE)

_PAIRS: Final = tuple(first + second for first in ALPHABET for second in ALPHABET)
_VALUE: Final = {character: value for value, character in enumerate(ALPHABET)}
_CHARACTERS: Final = frozenset(ALPHABET)
_TYPED: Final = str.maketrans(
    dict(zip(ALPHABET.lower(), ALPHABET, strict=True))
    | {"O": "0", "o": "0", "I": "1", "i": "1", "L": "1", "l": "1", "-": None}
)
# Multiplication by a primitive element of GF(32) = GF(2)[x] / (x^5 + x^2 + 1). Its powers 0 to 23
# all differ, which is what makes the check see wrong characters and swaps alike.
_TIMES_ALPHA: Final = tuple((v << 1) ^ (0b100101 if v & 0b10000 else 0) for v in range(32))


class CodeMalformed(Invalid):
    """The text is not 24 characters of the alphabet."""

    code = "code_malformed"
    message = "This is not a code: a code has 24 letters and digits."


class CodeMistyped(Invalid):
    """The check character does not match: a character is wrong, or two are swapped."""

    code = "code_mistyped"
    message = "A character is wrong, or two are swapped: compare each group with the paper."


class CodeForged(Invalid):
    """The code has the right form, but this system did not make it for this kind of document."""

    code = "code_forged"
    message = "The code is not authentic."


@dataclass(frozen=True, slots=True)
class Code:
    """An authentic code. `kind` is one byte; `text` is its 24 characters without hyphens."""

    kind: bytes
    text: str = field(repr=False)

    @property
    def version(self) -> str:
        """Return the version of the keys that made the code."""
        return self.text[0]

    @property
    def grouped(self) -> str:
        """Return the code as it is printed: `1ABC-DEFG-...`."""
        return grouped(self.text)


@dataclass(frozen=True, slots=True)
class CodeKeys:
    """The long-lived keys by version character: `{version: (authenticity key, digest key)}`.

    New codes use the version `current`. Codes of every version in the ring can be read. Raises
    ValueError if the ring is not usable.
    """

    ring: Mapping[str, tuple[bytes, bytes]] = field(repr=False)
    current: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "ring", MappingProxyType(dict(self.ring)))
        if self.current not in self.ring:
            raise ValueError("the current key version is not in the ring")
        if not all(version in _VALUE for version in self.ring):
            raise ValueError("a key version is one character of the code alphabet")
        keys = [key for pair in self.ring.values() for key in pair]
        if any(len(key) < MIN_KEY_BYTES for key in keys) or len(set(keys)) != len(keys):
            raise ValueError(f"code keys have {MIN_KEY_BYTES} bytes or more and all differ")

    def digest(self, code: Code) -> bytes:
        """Return the keyed digest under which the database stores `code`: 15 bytes."""
        return digest(code, self.ring[code.version][1])

    def blind(self, code: Code, ident: UUID) -> bytes:
        """Return the value that blinds the commitment to the code of document `ident`: 16 bytes."""
        message = b"trot code blind\0" + _one_byte(code.kind) + ident.bytes
        return hmac.digest(self.ring[code.version][1], message, "sha256")[:BLIND_BYTES]

    def commitment(self, code: Code, ident: UUID) -> bytes:
        """Return what a seal publishes about the code (32 bytes). Its holder can check it with the
        blind.
        """
        return commitment(code, self.blind(code, ident))


def issue(
    kind: bytes,
    ident: UUID,
    secret: bytes,
    keys: CodeKeys,
    version: str | None = None,
    *,
    day: date | None = None,
) -> Code:
    """Return the code of the document `ident`. The same arguments always give the same code.

    `secret` belongs to the contest or the day of issue and has at least 32 bytes. `day` is that of
    the contest or of the issue; a code whose digest is not stored needs none. A reprint after a key
    rotation must name the `version` under which the document was first issued. None means the
    current version.
    """
    if len(secret) < MIN_KEY_BYTES:
        raise ValueError(f"a code secret has {MIN_KEY_BYTES} bytes or more")
    version = keys.current if version is None else version
    key = hmac.digest(keys.ring[version][0], b"trot code body key\0" + secret, "sha256")
    seed = hmac.digest(key, b"trot code body\0" + _one_byte(kind) + ident.bytes, "sha256")
    number = int.from_bytes(day_bytes(day), "big") if day else 0
    body = _base32(int.from_bytes(seed[:10], "big"), _BODY_CHARS)
    signed = version + _base32(number, _DAY_CHARS) + body
    text = signed + _authenticity(kind, signed, keys.ring[version][0])
    return Code(kind, text + _check(text))


def parse(typed: str, keys: CodeKeys, *kinds: bytes) -> Code:
    """Read a typed or scanned code of one of `kinds`, without any look-up.

    Case, spaces and hyphens are ignored, and the address of a symbol before the code is as well.
    O reads as 0; I and L read as 1. Raises CodeMalformed,
    CodeMistyped or CodeForged, in that order. No error carries a part of the code.
    """
    if not kinds:
        raise ValueError("name at least one kind of code")
    if len(typed) > _MAX_TYPED:
        raise CodeMalformed
    text = "".join(_LINK.sub("", typed, count=1).split()).translate(_TYPED)
    if len(text) != LENGTH or not _CHARACTERS.issuperset(text):
        raise CodeMalformed
    if _check(text[:-1]) != text[-1]:
        raise CodeMistyped
    if text[0] in keys.ring:
        signed, presented = text[:_MAC_AT], text[_MAC_AT:-1]
        for kind in kinds:
            expected = _authenticity(kind, signed, keys.ring[text[0]][0])
            if hmac.compare_digest(expected, presented):
                return Code(kind, text)
    raise CodeForged


def digest(code: Code, key: bytes) -> bytes:
    """Return the keyed digest of `code` for storage and look-up: 15 bytes.

    It begins with the day in the code (`day_bytes`). The other 13 bytes nobody can foresee.
    """
    message = b"trot code digest\0" + _one_byte(code.kind) + code.text.encode("ascii")
    day = (_VALUE[code.text[1]] << 5 | _VALUE[code.text[2]]).to_bytes(_DAY_BYTES, "big")
    return day + hmac.digest(key, message, "sha256")[: DIGEST_BYTES - _DAY_BYTES]


def day_bytes(day: date) -> bytes:
    """Return how the digests of the codes of a day begin. Days 1,024 days apart begin alike."""
    return (day.toordinal() % _DAYS).to_bytes(_DAY_BYTES, "big")


def commitment(code: Code, blind: bytes) -> bytes:
    """Return SHA-256 of domain, code and blind (32 bytes; docs/proofs/seals.md)."""
    return hashlib.sha256(
        b"trot code commitment\0" + _one_byte(code.kind) + code.text.encode("ascii") + blind
    ).digest()


def _authenticity(kind: bytes, signed: str, key: bytes) -> str:
    message = b"trot code authenticity\0" + _one_byte(kind) + signed.encode("ascii")
    mac = int.from_bytes(hmac.digest(key, message, "sha256")[:3], "big")
    return _base32(mac >> 4, _MAC_CHARS)


def _check(text: str) -> str:
    total = 0
    for character in text:
        total = _TIMES_ALPHA[total] ^ _VALUE[character]
    return ALPHABET[_TIMES_ALPHA[total]]


def _base32(number: int, length: int) -> str:
    """Return a number in an even count of characters."""
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(5 * (length - 2), -1, -10)])


def grouped(typed: str) -> str:
    """Return what was typed in the groups of a code, to be compared with a paper."""
    text = "".join(_LINK.sub("", typed, count=1).split()).replace("-", "").upper()
    return "-".join(text[at : at + GROUP] for at in range(0, len(text), GROUP))


def _one_byte(kind: bytes) -> bytes:
    if len(kind) != 1:
        raise ValueError("a kind of code is one byte")
    return kind
