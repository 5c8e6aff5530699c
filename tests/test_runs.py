"""Two runs of the tests may share a checkout, and a test that fails at its end spoils no other."""

import os

import pytest
from django.db import connections
from django.test import TransactionTestCase

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


def test_the_owner_may_connect_after_a_test_whose_end_failed(own_database: Database) -> None:
    """Otherwise each later test of the process that acts as the owner fails: an order decides."""
    for _ in range(2):  # a second one wraps what the first one left
        _Failed._add_databases_failures()  # type: ignore[attr-defined]
    _Failed.doClassCleanups()  # what pytest-django undoes when it opens the next database
    forbidden = pytest.raises(AssertionError, match="are not allowed in this test")
    with forbidden, connections["owner"].cursor():
        pass
    databases.allow_connections()
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT 1")


class _Failed(TransactionTestCase):
    """A test that began, and whose end failed."""
