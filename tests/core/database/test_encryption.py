"""Check that encrypted content is readable with its key and context only."""

import pytest
from django.conf import LazySettings

from core.database import encryption


def test_what_is_kept_comes_back_and_is_not_there_in_clear() -> None:
    kept = encryption.encrypt("payee", b"43 000 000 X", context=b"7")
    assert b"43 000" not in kept
    assert kept != encryption.encrypt("payee", b"43 000 000 X", context=b"7")
    assert encryption.decrypt("payee", kept, context=b"7") == b"43 000 000 X"


@pytest.mark.parametrize("at", [0, 1, 12, 13, -1])
def test_a_changed_byte_is_seen(at: int) -> None:
    kept = bytearray(encryption.encrypt("payee", b"secret", context=b"7"))
    kept[at] ^= 1
    with pytest.raises(encryption.ContentUnreadable):
        encryption.decrypt("payee", bytes(kept), context=b"7")


def test_it_cannot_be_moved_to_another_row_or_purpose_or_cut() -> None:
    kept = encryption.encrypt("payee", b"secret", context=b"7")
    for purpose, content, context in [
        ("payee", kept, b"8"),
        ("photograph", kept, b"7"),
        ("payee", kept[:20], b"7"),
        ("payee", b"", b"7"),
    ]:
        with pytest.raises(encryption.ContentUnreadable):
            encryption.decrypt(purpose, content, context=context)


def test_an_older_key_still_reads(settings: LazySettings) -> None:
    settings.DATA_KEYS = ("8", {"8": bytes(32)})
    kept = encryption.encrypt("payee", b"secret", context=b"7")
    settings.DATA_KEYS = ("9", {"8": bytes(32), "9": bytes(range(32))})
    assert encryption.decrypt("payee", kept, context=b"7") == b"secret"
    assert encryption.encrypt("payee", b"secret", context=b"7")[:1] == b"9"
