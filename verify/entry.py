"""Share between the verifiers: canonical JSON, digests, signatures, and the command line.

See docs/proofs/log.md. Needs the standard library and ed25519.py only.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from documents import ENTRY
from ed25519 import verify
from forms import Refused, need, sha256, shaped


def same(document: dict[str, Any], expected: dict[str, Any], place: str) -> None:
    """Refuse fields that differ from the computed values."""
    for name, value in expected.items():
        need(document[name] == value, f"{place}.{name}", f"should be {str(value)[:200]}")


MOST_DEPTH = 64
CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical(value: Any) -> bytes:
    """Return canonical JSON: keys sorted, no spaces, whole numbers, UTF-8."""
    return CANONICAL.encode(value).encode()


def digest_of(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def unsigned(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the part of an entry that is signed."""
    return {name: value for name, value in entry.items() if name != "signature"}


def digest(entry: dict[str, Any]) -> str:
    """Return the digest of an entry, which the next entry has as `previous`."""
    return digest_of(unsigned(entry))


def euros(cents: int) -> str:
    """Return an amount as text, such as 1,234.56 EUR: not every console has the sign."""
    return f"{cents // 100:,}.{cents % 100:02} EUR"


def intact(document: Any, form: dict[str, Any], place: str) -> None:
    """Refuse a document that lacks its form, or name the field that differs from its published
    digest. The signature protects the digests themselves."""
    shaped(document, form | {"digests": dict.fromkeys(form, sha256)}, place)
    for name, published in document["digests"].items():
        need(published == digest_of(document[name]), f"{place}.{name}", "not as it was published")


def key_name(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()[:16]


def signed(entry: Any, public_keys: list[bytes], place: str) -> None:
    """Refuse an entry that lacks its form or is not signed under one of these keys."""
    shaped(entry, ENTRY, place)
    key = {key_name(each): each for each in public_keys}.get(entry["key"])
    need(key, f"{place}.key", "signed under another key than the one you trust")
    signature = bytes.fromhex(entry["signature"])
    need(
        key and verify(key, canonical(unsigned(entry)), signature),
        f"{place}.signature",
        "does not hold: something in the entry was changed",
    )


def keys_of(words: str) -> list[bytes]:
    """Read public keys in hexadecimal, separated by commas."""
    need(all(sha256(key) for key in words.split(",")), "KEYS", f"one is not {sha256.__doc__}")
    return [bytes.fromhex(key) for key in words.split(",")]


def parsed(text: str, place: str) -> Any:
    """Parse JSON. Refuse numbers that are not whole, a name that an object has twice, deep nesting,
    and what is not UTF-8: such bytes are halves of pairs of surrogates in `text`."""

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(members)) == len(members), place, "a name twice in one object")
        return dict(members)

    def no_float(number: str) -> Any:
        raise Refused(f"{place}: {number} is not a whole number")

    try:
        text.encode()
        value = json.loads(
            text, object_pairs_hook=pairs, parse_float=no_float, parse_constant=no_float
        )
        if text.count("[") + text.count("{") > MOST_DEPTH:  # only then it may be so deep
            need(not is_deeper(value, MOST_DEPTH), place, "nested too deeply")
        if "\\ud" in text.lower():
            canonical(value)
    except RecursionError:
        raise Refused(f"{place}: nested too deeply") from None
    except UnicodeEncodeError:
        raise Refused(f"{place}: not UTF-8, or half of a pair of surrogates") from None
    except ValueError as error:
        raise Refused(f"{place}: not JSON ({error})") from None
    return value


def is_deeper(value: Any, depth: int) -> bool:
    """Return whether lists and objects are nested more than so many times."""
    level = [value]
    for _ in range(depth + 1):
        holders = [each for each in level if type(each) in (list, dict)]
        level = [
            inner
            for each in holders
            for inner in (each.values() if type(each) is dict else each)
            if type(inner) in (list, dict)
        ]
    return bool(level)


def read(name: str) -> Any:
    return parsed(Path(name).read_text("utf-8", "surrogateescape"), name)


def printable(line: str) -> str:
    """Return a line of which a console shows every character, and obeys none: a published text may
    hold a sequence that erases what was printed, a mark of direction, or an end of line."""
    seen = (c if c.isprintable() else ascii(c)[1:-1] for c in line)
    return "".join(seen).encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)


ODD = (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError)
TOO_MUCH = (MemoryError, RecursionError)
NEXT = "\nTry a new copy. If it is refused again, keep both and show them to the inspector."


def main(check: Callable[..., str], usage: str) -> None:
    """Run `check` with the command's arguments. Print its result or the refusal (exit code 1), also
    of what cannot be computed: its author may have written it for that."""
    arguments = sys.argv[1:]
    try:
        inspect.signature(check).bind(*arguments)
    except TypeError:
        sys.exit(f"usage: python {usage}")
    try:
        print("\n".join(map(printable, check(*arguments).split("\n"))))
    except OSError as fault:
        sys.exit(printable(f"REFUSED: {fault.filename or 'network'}: {fault.strerror or fault}"))
    except Refused as refusal:
        sys.exit(printable(f"REFUSED: {refusal}") + NEXT)
    except (*ODD, *TOO_MUCH) as fault:
        why = f"it cannot be computed ({type(fault).__name__}: {fault})"
        sys.exit(printable(f"REFUSED: {why[:200]}") + NEXT)
