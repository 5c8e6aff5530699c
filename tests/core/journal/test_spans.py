"""Divide the journal into stretches, with and without a transaction that ends late."""

import psycopg
import pytest
from django.db import transaction

from core.journal import rows, spans
from core.journal.models import Batch
from core.journal.spans import in_order, sealed_entries, stretches
from core.journal.verifying import verify
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import TABLES, seal_all

PREMISES = TABLES["premises_premises"]


@pytest.mark.parametrize("most", [spans.MOST_SORTED, 1])
def test_every_entry_is_in_one_stretch(
    own_database: Database, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(spans, "MOST_SORTED", most)
    with psycopg.connect(own_database.app_url) as late:
        late.execute("SELECT set_config('core.act', 'command:late', false), pg_current_xact_id()")
        places = []
        for _ in range(3):
            places.append(factories.premises().pk)
            seal_all()
        late.execute(
            "INSERT INTO proofs_receiver (address, delivered_sequence, failures, last_error)"
            " VALUES ('/late', 0, 0, '')"
        )
    seal_all()
    with transaction.atomic(), rows.ready():
        found = list(stretches(PREMISES))
        sealed = [
            entry.row
            for stretch in found
            for entry, _ in in_order(sealed_entries(PREMISES, stretch), stretch)
        ]
    assert sealed == places
    assert len(found) == (Batch.objects.count() if most == 1 else len(found))
    assert found[0].first_batch == 1
    assert found[-1].last_batch == Batch.objects.count()
    assert [each.span.first for each in found[1:]] == [each.span.end for each in found[:-1]]
    assert verify().findings == []
