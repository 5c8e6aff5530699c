"""Make new keys for a system that has none: of a demonstration, of development, of tests."""

import json
import secrets


def fresh(name: str) -> str:
    """Return new content for a key by its name: a text, or a ring with one version."""
    if name == "CODE_KEYS":
        return json.dumps({"current": "1", "keys": {"1": [_fresh_key(), _fresh_key()]}})
    if name.endswith("_KEYS"):
        return json.dumps({"current": "1", "keys": {"1": _fresh_key()}})
    return secrets.token_urlsafe(48)


def _fresh_key() -> str:
    return secrets.token_hex(32)
