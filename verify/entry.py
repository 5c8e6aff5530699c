"""An entry of the public log: its signature, and what it says (docs/proofs.md, "Entries").

Used by the verifiers beside it. Standard library only, but for ed25519.py, which is here, too.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ed25519 import verify

FIELDS = {
    "format": str, "sequence": int, "previous": str, "at": str, "kind": str, "subject": str,
    "document": dict, "key": str, "signature": str,
}  # fmt: skip


class Refused(Exception):
    """What was given does not hold; the text names the field."""


def need(holds: Any, field: str, why: str) -> None:
    if not holds:
        raise Refused(f"{field}: {why}")


def canonical(value: Any) -> bytes:
    """JSON in its one form: keys sorted, no spaces, whole numbers, UTF-8."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def digest(entry: dict[str, Any]) -> str:
    """What the next entry of the log calls `previous`."""
    body = {name: value for name, value in entry.items() if name != "signature"}
    return hashlib.sha256(canonical(body)).hexdigest()


def unhex(text: Any, length: int, field: str) -> bytes:
    good = (
        isinstance(text, str) and len(text) == 2 * length and set(text) <= set("0123456789abcdef")
    )
    need(good, field, f"not {length} bytes in lower-case hexadecimal")
    return bytes.fromhex(text)


def document(entry: Any, public_key: bytes, kind: str, place: str = "entry") -> dict[str, Any]:
    """The document of an entry of that kind, signed under that key. Raises Refused."""
    need(isinstance(entry, dict), place, "not an object")
    for name in sorted(entry.keys() ^ FIELDS.keys()):
        raise Refused(f"{place}.{name}: missing, or not known")
    for name, wanted in FIELDS.items():
        need(type(entry[name]) is wanted, f"{place}.{name}", f"not {wanted.__name__}")
    need(entry["format"] == "trot-log-1", f"{place}.format", "not trot-log-1")
    need(entry["kind"] == kind, f"{place}.kind", f"not {kind}")
    need(entry["key"] == hashlib.sha256(public_key).hexdigest()[:16], f"{place}.key",
         "signed under another key than the one you trust")  # fmt: skip
    unhex(entry["previous"], 32, f"{place}.previous")
    signature = unhex(entry["signature"], 64, f"{place}.signature")
    body = {name: value for name, value in entry.items() if name != "signature"}
    need(verify(public_key, canonical(body), signature), f"{place}.signature",
         "does not hold: something in the entry was changed")  # fmt: skip
    found: dict[str, Any] = entry["document"]
    return found


def fields(found: Any, names: str, place: str) -> None:
    """That a document has the fields `names` and no other, each as its own `digests` has it.

    So a change is named. That nobody changed the digests with it is for the signature to say.
    """
    need(isinstance(found, dict), place, "not an object")
    for name in sorted(found.keys() ^ {*names.split(), "digests"}):
        raise Refused(f"{place}.{name}: missing, or not known")
    digests = found["digests"]
    need(isinstance(digests, dict), f"{place}.digests", "not an object")
    for name in sorted(digests.keys() ^ set(names.split())):
        raise Refused(f"{place}.digests: {name} is missing, or not known")
    for name in names.split():
        made = hashlib.sha256(canonical(found[name])).hexdigest()
        need(digests[name] == made, f"{place}.{name}", "not as it was published")


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


def read(name: str) -> Any:
    """A JSON file, without floats and without a name twice in an object."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(found)) == len(found), name, "a name twice in one object")
        return dict(found)

    def no_float(text: str) -> Any:
        raise Refused(f"{name}: {text} is not a whole number")

    return json.loads(Path(name).read_text("utf-8"), object_pairs_hook=pairs, parse_float=no_float)
