"""What the verifiers share: canonical JSON, digests, signatures, and how they are run.

docs/proofs.md, "Conventions" and "Entries". Standard library only, but for ed25519.py beside it.
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


def same(found: dict[str, Any], made: dict[str, Any], place: str) -> None:
    """That fields are what was computed of them."""
    for name, value in made.items():
        need(found[name] == value, f"{place}.{name}", f"should be {str(value)[:200]}")


def canonical(value: Any) -> bytes:
    """JSON in its one form: keys sorted, no spaces, whole numbers, UTF-8."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def digest_of(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def unsigned(entry: dict[str, Any]) -> dict[str, Any]:
    """What the signature of an entry is of."""
    return {name: value for name, value in entry.items() if name != "signature"}


def digest(entry: dict[str, Any]) -> str:
    """What the next entry of the log calls `previous`."""
    return digest_of(unsigned(entry))


def intact(document: Any, form: dict[str, Any], place: str) -> None:
    """That a document has its form, and every field the digest it was published with.

    So a change is named. That nobody changed the digests with it is for the signature to say.
    """
    shaped(document, form | {"digests": dict.fromkeys(form, sha256)}, place)
    for name, made in document["digests"].items():
        need(made == digest_of(document[name]), f"{place}.{name}", "not as it was published")


def key_name(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()[:16]


def signed(entry: Any, public_keys: list[bytes], place: str) -> None:
    """That an entry of the public log has its form, and was signed under one of these keys."""
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
    """Public keys in hexadecimal, with commas between."""
    need(all(sha256(key) for key in words.split(",")), "KEYS", f"one is not {sha256.__doc__}")
    return [bytes.fromhex(key) for key in words.split(",")]


def parsed(text: str, place: str) -> Any:
    """JSON without floats and without a name twice in an object."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(found)) == len(found), place, "a name twice in one object")
        return dict(found)

    def no_float(number: str) -> Any:
        raise Refused(f"{place}: {number} is not a whole number")

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_float=no_float)
    except ValueError as error:
        raise Refused(f"{place}: not JSON ({error})") from None


def read(name: str) -> Any:
    return parsed(Path(name).read_text("utf-8"), name)


def main(check: Callable[..., str], usage: str) -> None:
    """Run `check(*arguments)`: print what it finds, or the refusal; the exit code says which."""
    arguments = sys.argv[1:]
    try:
        inspect.signature(check).bind(*arguments)
    except TypeError:
        sys.exit(f"usage: python {usage}")
    try:
        print(check(*arguments))
    except Refused as refusal:
        sys.exit(f"REFUSED: {refusal}")
