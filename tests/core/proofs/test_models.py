"""Check the tables of the public log: what they publish, and the limits the database keeps."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.kernel.canonical import canonical_bytes
from core.proofs import log
from core.proofs.models import LogEntry, Receiver, SigningKey

pytestmark = pytest.mark.django_db


@pytest.fixture
def entry() -> LogEntry:
    return log.publish(kind="test.fact", subject="a", document={"n": 1})


def test_the_digest_of_an_entry_is_that_of_its_body_without_signature(entry: LogEntry) -> None:
    body = entry.body()
    assert "signature" not in body
    assert hashlib.sha256(canonical_bytes(body)).digest() == bytes(entry.digest)
    assert entry.published() == body | {"signature": bytes(entry.signature).hex()}
    assert str(entry) == f"{entry.sequence} · test.fact · a"


def test_a_published_entry_cannot_be_changed_or_deleted(entry: LogEntry) -> None:
    entry.subject = "b"
    for act in (entry.save, entry.delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
    assert LogEntry.objects.get(kind="test.fact").subject == "a"


def test_one_key_is_in_force(entry: LogEntry) -> None:
    (key,) = SigningKey.objects.filter(in_force=True)
    assert str(key) == key.key_id
    with pytest.raises(IntegrityError, match="signing_key_in_force"), transaction.atomic():
        SigningKey.objects.create(
            key_id="0" * 16, public_key=bytes(32), valid_from=clock.now(), first_sequence=9
        )


@pytest.mark.parametrize("missing", ["valid_until", "until_sequence", "ended_by"])
def test_an_ended_key_says_when_and_why_it_ended(entry: LogEntry, missing: str) -> None:
    ended: dict[str, Any] = {
        "in_force": False,
        "valid_until": clock.now() + timedelta(days=1),
        "until_sequence": 9,
        "ended_by": SigningKey.Ended.ROTATION,
    }
    ended[missing] = "" if missing == "ended_by" else None
    keys = SigningKey.objects.filter(in_force=True)
    with pytest.raises(IntegrityError, match="signing_key_ended_whole"), transaction.atomic():
        keys.update(**ended)


def test_an_address_receives_the_log_once() -> None:
    receiver = Receiver.objects.create(address="/srv/log")
    assert str(receiver) == "/srv/log"
    assert receiver.delivered_sequence == 0
    with pytest.raises(IntegrityError), transaction.atomic():
        Receiver.objects.create(address="/srv/log")
