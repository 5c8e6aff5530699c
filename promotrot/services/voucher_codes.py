"""Make the codes of vouchers from a secret for each day, which is erased afterwards."""

import datetime
import secrets
import uuid
from typing import Final

from django.conf import settings
from django.db import connection

from core.database import clock, encryption
from core.database.kept import kept
from core.journal.acting import acting
from core.kernel import codes
from promotrot.models.voucher import VoucherSecret

SECRET_BYTES: Final = 32
_SECRETS_KEPT: Final = 8


def code_of(voucher: uuid.UUID, day: datetime.date, version: str | None = None) -> codes.Code:
    """Return a voucher's code, made from the secret of the day it is issued or handed over."""
    secret = day_secret(day)
    return codes.issue(codes.VOUCHER, voucher, secret, settings.CODE_KEYS, version, day=day)


def day_secret(day: datetime.date) -> bytes:
    """Return the secret of a day's codes. The first call on that day makes it."""
    if connection.in_atomic_block:  # may be rolled back, and must then not be remembered
        return _secret_of(day)
    return _kept_secret(day)


@kept(most=_SECRETS_KEPT)
def _kept_secret(day: datetime.date) -> bytes:
    with acting("promotrot.voucher_secret"):  # a terminal's path has not named its act here
        return _secret_of(day)


def _secret_of(day: datetime.date) -> bytes:
    cell = encryption.Cell(VoucherSecret, "secret", day)
    fresh = encryption.encrypt(cell, secrets.token_bytes(SECRET_BYTES))
    VoucherSecret.objects.bulk_create(
        [VoucherSecret(day=day, secret=fresh, made_at=clock.now())], ignore_conflicts=True
    )
    secret = VoucherSecret.objects.values_list("secret", flat=True).get(day=day)
    return b"" if secret is None else encryption.decrypt(cell, bytes(secret))
