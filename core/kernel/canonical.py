"""Write a document as canonical JSON, so that equal documents have equal bytes and equal hashes.

Canonical JSON is UTF-8 with keys sorted by code point, without spaces, with integers only, and
without escapes that JSON does not require. Anyone can reproduce it with a few lines in any
language.
"""

import hashlib
import json
from typing import TypeAlias

from core.kernel.errors import Invalid

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"

MAX_DEPTH = 64


class NotCanonical(Invalid):
    """The value has no single JSON text: a float, a key that is not text, or a lone surrogate."""

    code = "not_canonical"
    message = "The value has no canonical JSON form."


def canonical_bytes(value: Json) -> bytes:
    """Return the canonical JSON of a value made only of str, int, bool, None, list and dict.

    Raises NotCanonical, with the place, for any other type (float, tuple, Decimal, subclasses) and
    for nesting deeper than MAX_DEPTH.
    """
    _check(value, "$", 0)
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotCanonical("A text holds half a surrogate pair.") from error


def canonical_sha256(value: Json) -> bytes:
    """Return the SHA-256 of the canonical bytes (32 bytes). Raises NotCanonical."""
    return hashlib.sha256(canonical_bytes(value)).digest()


def with_digests(document: dict[str, Json]) -> dict[str, Json]:
    """Return the document with a field `digests`: the SHA-256 of each field, in hexadecimal.

    With it a verifier can name the field that was changed. A signature only shows that one was.
    """
    return document | {"digests": {k: canonical_sha256(v).hex() for k, v in document.items()}}


def _check(value: object, place: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotCanonical(f"{place}: nested too deeply", place=place)
    # The type itself, not isinstance: an IntEnum or a str subclass may print as something else.
    if value is None or type(value) in (str, int, bool):
        return
    if type(value) is list:
        for index, item in enumerate(value):
            _check(item, f"{place}[{index}]", depth + 1)
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotCanonical(f"{place}: the key {key!r} is not text", place=place)
            _check(item, f"{place}.{key}", depth + 1)
    else:
        raise NotCanonical(f"{place}: {type(value).__name__} is not allowed", place=place)
