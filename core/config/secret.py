"""Read secrets from the environment or from files; outside production, make them once under
`var/secrets`.

No secret has a default, so that none can reach production by oversight. `NAME_FILE` may name a
file in the place of `NAME`, such as a credential of systemd.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from core.config import env
from core.config.holding import Absent, held
from core.database.fresh_keys import fresh
from core.kernel.codes import CodeKeys
from core.kernel.holding import PUBLISHING
from core.tools.embedded.keys import kept

Ring = tuple[str, dict[str, bytes]]


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets of one process: those that its kind holds (`core.config.holding`)."""

    process: str
    folder: Path
    production: bool

    def text(self, name: str) -> str:
        """Return the secret `name` as text; empty if this kind of process does not hold it.

        Raises ImproperlyConfigured in production if it is unset or shorter than 32 characters.
        """
        if not self._holds(name):
            return ""
        content = env.secret(name)
        if content and self.production and len(content) < 32:
            raise ImproperlyConfigured(f"{name} is shorter than 32 characters")
        return content or self._generated(name)

    def data_keys(self, name: str) -> Any:
        """Return the keys of encrypted data, tokens or signatures: the version in use, and the 32
        bytes of each version.

        The variable holds JSON: `{"current": "1", "keys": {"1": hex}}`. Raises
        ImproperlyConfigured.
        """
        if not self._holds(name):
            return Absent(name, self.process)
        return _data_keys(name, self._document(name))

    def signing_keys(self, name: str, signer: str) -> Any:
        """Return the keys that sign; none where a `signer` has them instead.

        Raises ImproperlyConfigured in production if this process must publish and can do neither.
        """
        if signer and self.production and env.secret(name):
            raise ImproperlyConfigured(f"SIGNER is set: this process must not have {name}")
        if signer:
            return Absent(name, self.process)
        if self.production and self.process in PUBLISHING:
            raise ImproperlyConfigured(f"a process of the kind {self.process} needs SIGNER")
        return self.data_keys(name)

    def code_keys(self, name: str) -> Any:
        """Return the keys of ticket and voucher codes.

        The variable holds JSON: `{"current": "1", "keys": {"1": [hex, hex]}}`. Each version has
        the authenticity key and the digest key, 32 bytes each. Raises ImproperlyConfigured.
        """
        if not self._holds(name):
            return Absent(name, self.process)
        return _code_keys(name, self._document(name))

    def _holds(self, name: str) -> bool:
        """Return whether this kind of process holds the secret. Raises ImproperlyConfigured in
        production if it is given one that it must not have.
        """
        if name in held(self.process):
            return True
        if self.production and env.secret(name):
            raise ImproperlyConfigured(
                f"a process of the kind {self.process} must not have {name}: remove it"
            )
        return False

    def _document(self, name: str) -> str:
        return env.secret(name) or self._generated(name)

    def _generated(self, name: str) -> str:
        if self.production:
            raise ImproperlyConfigured(f"production needs {name}")
        return kept(name, self.folder, fresh(name))


def _no_ring(name: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{name} is not a key ring of its kind; docs/deploy/example.keys.sh makes one: was another"
        " file taken?"
    )


def _data_keys(name: str, document: str) -> Ring:
    try:
        ring = json.loads(document)
        keys = {version: bytes.fromhex(key) for version, key in ring["keys"].items()}
        has_current = ring["current"] in keys
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_ring(name) from error
    if not has_current or any(len(key) != 32 or len(v.encode()) != 1 for v, key in keys.items()):
        raise ImproperlyConfigured(
            f"{name}: `current` must be among the keys; keys have 32 bytes, versions one character"
        )
    return ring["current"], keys


def _code_keys(name: str, document: str) -> CodeKeys:
    try:
        ring = json.loads(document)
        keys = {v: (bytes.fromhex(a), bytes.fromhex(d)) for v, (a, d) in ring["keys"].items()}
        return CodeKeys(ring=keys, current=ring["current"])
    except (ValueError, KeyError, TypeError) as error:
        raise _no_ring(name) from error
