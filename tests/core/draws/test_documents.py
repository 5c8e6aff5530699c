"""Publish the documents of a draw."""

from typing import Any

import pytest

from core.draws import documents, method
from core.proofs.log import published
from tests.support.urn import Urn, hall

pytestmark = pytest.mark.django_db


def test_hundreds_of_thousands_of_entries_and_two_winners(monkeypatch: Any) -> None:
    entries = [f"{number:06}" for number in range(300_000)]
    room = hall(monkeypatch, Urn(entries=entries, places=2, due_in=None))
    room.committed()
    order = room.enter().order
    assert len(set(order)) == 2
    room.certify()
    log = published(kind=documents.MINUTES, subject=str(room.draw.uuid))
    assert log and log.document["field"]["entries"] is None
    assert log.document["field"]["sha256"] == method.field_digest(entries).hex()
