"""Wait for transactions in progress, from within a transaction."""

import psycopg
import pytest
from django.db import transaction

from core.database import quiet
from tests.support.databases import Database


def test_who_ends_while_we_wait_is_seen_to_have_ended(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(own_database.app_url) as other:
        other.execute("SELECT 1")
        monkeypatch.setattr(quiet.time, "sleep", lambda seconds: other.commit())
        with transaction.atomic():
            quiet.wait_for_quiet(5)


def test_who_does_not_end_is_waited_for_no_longer_than_told(own_database: Database) -> None:
    with psycopg.connect(own_database.app_url) as other:
        other.execute("SELECT 1")
        with pytest.raises(quiet.NotQuiet), transaction.atomic():
            quiet.wait_for_quiet(0)
