"""Make the secret of a contest's codes, and keep it encrypted in the contest's row.

It is bound to the contest's account of takings: no two contests share one, and it never changes.
"""

import secrets
from typing import Final

from core.database import encryption
from core.kernel.codes import MIN_KEY_BYTES
from lototrot.models.contest import Contest

SECRET_BYTES: Final = MIN_KEY_BYTES


def secret_make(*, takings_account: int) -> bytes:
    """Return a new secret, encrypted for the contest of that account."""
    return encryption.encrypt(_cell(takings_account), secrets.token_bytes(SECRET_BYTES))


def secret_read(encrypted: bytes, *, takings_account: int) -> bytes:
    """Return the decrypted secret. Raises ContentUnreadable if it is another contest's."""
    return encryption.decrypt(_cell(takings_account), encrypted)


def secret_of(contest: Contest) -> bytes:
    """Return the decrypted secret of a contest; nothing if it is erased."""
    if contest.code_secret is None:
        return b""
    return secret_read(bytes(contest.code_secret), takings_account=contest.takings_account_id)


def _cell(takings_account: int) -> encryption.Cell:
    return encryption.Cell(Contest, "code_secret", takings_account)
