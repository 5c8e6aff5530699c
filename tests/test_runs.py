"""Two runs of the tests may share a checkout: neither drops what the other uses."""

import os

import pytest

from tests.support import databases
from tests.support.databases import Database


def test_a_run_drops_what_a_dead_run_left_and_nothing_of_a_live_one(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(databases._RUN, os.environ[databases._RUN])
    dead = databases.open_run()
    left = f"test_{os.environ[databases._RUN]}_left"
    databases._create(dead, left, "template1")
    dead.close()
    later = databases.open_run()
    try:
        rows = later.execute("SELECT datname FROM pg_database WHERE datname LIKE 'test%'")
        names = {name for (name,) in rows.fetchall()}
    finally:
        databases.close_run(later)
    assert own_database.name in names and left not in names
