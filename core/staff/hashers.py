"""Hash passwords and PINs under a key that the database does not have.

A PIN has few digits: all of them can be tried against a hash within hours. So what is hashed
is a keyed digest of it, and without `TOKEN_KEYS` nobody can try even one.
"""

import hmac
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher


class KeyedArgon2Hasher(Argon2PasswordHasher):
    """Hash the keyed digest of a password by Argon2, as `keyed_argon2$VERSION$argon2id$...`.

    VERSION names the key. The next sign-on replaces a hash under an older key.
    """

    algorithm = "keyed_argon2"

    def encode(self, password: str, salt: str) -> str:
        version, _ = settings.TOKEN_KEYS
        encoded = super().encode(_keyed(password, version), salt)
        return encoded.replace("$", f"${version}$", 1)

    def decode(self, encoded: str) -> Any:
        return super().decode(_parts(encoded)[1])

    def verify(self, password: str, encoded: str) -> bool:
        version, plain = _parts(encoded)
        if version not in settings.TOKEN_KEYS[1]:
            return False
        return bool(super().verify(_keyed(password, version), plain))

    def must_update(self, encoded: str) -> bool:
        version, _ = _parts(encoded)
        return version != settings.TOKEN_KEYS[0] or bool(super().must_update(encoded))


class DemonstrationHasher(KeyedArgon2Hasher):
    """Argon2 with 1 MiB of memory and one pass, for a system on simulated time only.

    The demonstration signs more than a hundred people on within a minute. Production refuses
    simulated time, and hashes with Django's own costs.
    """

    time_cost = 1
    memory_cost = 1024  # KiB
    parallelism = 1


def _keyed(password: str, version: str) -> str:
    key = settings.TOKEN_KEYS[1][version]
    return hmac.digest(key, b"trot password\0" + password.encode(), "sha256").hex()


def _parts(encoded: str) -> tuple[str, str]:
    """Return the version of the key, and the hash in Django's own form."""
    algorithm, version, rest = encoded.split("$", 2)
    return version, f"{algorithm}${rest}"
