"""Check that encrypted content is readable with its key and context only."""

import pytest
from django.conf import LazySettings

from core.database import encryption
from core.database.encryption import Cell
from core.payoffice.models import DepositImage, Payee

CELL = Cell(Payee, "encrypted", 7)


def test_what_is_kept_comes_back_and_is_not_there_in_clear() -> None:
    kept = encryption.encrypt(CELL, b"43 000 000 X")
    assert b"43 000" not in kept
    assert kept != encryption.encrypt(CELL, b"43 000 000 X")
    assert encryption.decrypt(CELL, kept) == b"43 000 000 X"


@pytest.mark.parametrize("at", [0, 1, 12, 13, -1])
def test_a_changed_byte_is_seen(at: int) -> None:
    kept = bytearray(encryption.encrypt(CELL, b"secret"))
    kept[at] ^= 1
    with pytest.raises(encryption.ContentUnreadable):
        encryption.decrypt(CELL, bytes(kept))


def test_it_cannot_be_moved_to_another_row_table_or_column_or_cut() -> None:
    kept = encryption.encrypt(CELL, b"secret")
    for cell, content in [
        (Cell(Payee, "encrypted", 8), kept),
        (Cell(DepositImage, "encrypted", 7), kept),
        (Cell(Payee, "uuid", 7), kept),
        (CELL, kept[:20]),
        (CELL, b""),
    ]:
        with pytest.raises(encryption.ContentUnreadable):
            encryption.decrypt(cell, content)


def test_an_older_key_still_reads(settings: LazySettings) -> None:
    settings.DATA_KEYS = ("8", {"8": bytes(32)})
    kept = encryption.encrypt(CELL, b"secret")
    settings.DATA_KEYS = ("9", {"8": bytes(32), "9": bytes(range(32))})
    assert encryption.decrypt(CELL, kept) == b"secret"
    assert encryption.encrypt(CELL, b"secret")[:1] == b"9"
