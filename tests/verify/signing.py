"""An operator that lies: documents changed, their digests made to fit, signed with the true key."""

import json
from pathlib import Path
from typing import Any

from core.kernel.canonical import canonical_bytes, with_digests
from core.proofs import keys
from core.proofs.models import SigningKey


def public_key() -> str:
    return keys.current_public().hex()


def signed(entry: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The entry with other fields in its document, as its author would publish it."""
    document = {k: v for k, v in (entry["document"] | changes).items() if k != "digests"}
    body = {k: v for k, v in entry.items() if k != "signature"}
    body["document"] = with_digests(document)
    key = SigningKey.objects.get(key_id=entry["key"])
    return body | {"signature": keys.sign(key, canonical_bytes(body)).hex()}


def changed(value: Any) -> Any:
    """Something else of the same type, as far as there is."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "0" if value else "1"
    if isinstance(value, list):
        return [*value, "9"] if not value else [changed(value[0]), *value[1:]]
    if isinstance(value, dict):
        name = next(iter(value))
        return value | {name: changed(value[name])}
    return "1"


def written(folder: Path, name: str, value: Any) -> str:
    """A JSON file, and its path."""
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return str(path)
