"""Read secrets from the environment; outside production, make them once under `var/secrets`.

No secret has a default, so that none can reach production by oversight.
"""

import json
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from core.kernel.codes import CodeKeys


def _kept(name: str, folder: Path, make: str) -> str:
    """Return the content of `folder/name`, and write `make` there first if it does not exist.

    If several processes write at once, the first one decides the content.
    """
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = folder / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(make)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()


def text(name: str, *, folder: Path, production: bool) -> str:
    """Return the secret `name` as text: `$name`, or outside production a random one that is kept.

    Raises ImproperlyConfigured in production if it is unset or shorter than 32 characters.
    """
    value = os.environ.get(name, "")
    if value:
        if production and len(value) < 32:
            raise ImproperlyConfigured(f"{name} is shorter than 32 characters")
        return value
    if production:
        raise ImproperlyConfigured(f"production needs {name}")
    return _kept(name, folder, secrets.token_urlsafe(48))


def data_keys(name: str, *, folder: Path, production: bool) -> tuple[str, dict[str, bytes]]:
    """Return the keys of encrypted data: the version in use, and the 32 bytes of each version.

    The variable holds JSON: `{"current": "1", "keys": {"1": hex}}`. Raises ImproperlyConfigured.
    """
    if os.environ.get(name):
        document = os.environ[name]
    elif production:
        raise ImproperlyConfigured(f"production needs {name}")
    else:
        fresh = {"current": "1", "keys": {"1": secrets.token_hex(32)}}
        document = _kept(name, folder, json.dumps(fresh))
    try:
        ring = json.loads(document)
        keys = {version: bytes.fromhex(key) for version, key in ring["keys"].items()}
        has_current = ring["current"] in keys
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImproperlyConfigured(f"{name} is not a key ring: {type(error).__name__}") from error
    if not has_current or any(len(key) != 32 or len(v.encode()) != 1 for v, key in keys.items()):
        raise ImproperlyConfigured(f"{name}: keys of 32 bytes, versions of one character")
    return ring["current"], keys


def key_ring(name: str, *, folder: Path, production: bool) -> CodeKeys:
    """Return the keys of ticket and voucher codes.

    The variable holds JSON: `{"current": "1", "keys": {"1": [hex, hex]}}`. Each version has the
    authenticity key and the digest key, 32 bytes each. Raises ImproperlyConfigured.
    """
    if os.environ.get(name):
        document = os.environ[name]
    elif production:
        raise ImproperlyConfigured(f"production needs {name}")
    else:
        fresh = {"current": "1", "keys": {"1": [secrets.token_hex(32), secrets.token_hex(32)]}}
        document = _kept(name, folder, json.dumps(fresh))
    try:
        ring = json.loads(document)
        keys = {v: (bytes.fromhex(a), bytes.fromhex(d)) for v, (a, d) in ring["keys"].items()}
        return CodeKeys(ring=keys, current=ring["current"])
    except (ValueError, KeyError, TypeError) as error:
        raise ImproperlyConfigured(f"{name} is not a key ring: {type(error).__name__}") from error
