"""Check that a command is refused keys that are not those of its database."""

import json
import secrets
from pathlib import Path

import psycopg
import pytest

from core.config.startup import RINGS
from tests.core.config.test_production import DATA, KEYS, last_line, run
from tests.support.databases import Database
from tests.support.factories.clocks import clock_given_up


def another(name: str) -> str:
    """Return a ring of that kind that another machine made for itself, under the same version."""
    keys = json.loads(KEYS if name == "CODE_KEYS" else DATA)["keys"]["1"]
    other = [secrets.token_hex(32) for _ in keys] if name == "CODE_KEYS" else secrets.token_hex(32)
    return json.dumps({"current": "1", "keys": {"1": other}})


@pytest.fixture
def unsigned(own_database: Database, machine_clock: None) -> dict[str, str | None]:
    """The environment of a command, which has all keys, with a database of its own."""
    clock_given_up()
    return {**own_database.environment}


def marks(database: Database) -> set[tuple[str, str]]:
    with psycopg.connect(database.owner_url) as owner:
        return set(owner.execute("SELECT ring, version FROM database_keymark").fetchall())


def test_the_first_command_puts_its_keys_on_record_and_another_key_is_refused(
    tmp_path: Path, own_database: Database, unsigned: dict[str, str | None]
) -> None:
    """The first accounts of an installation are opened before a server starts."""
    done = run(tmp_path, unsigned, "manage.py", "journal_seal")
    assert done.returncode == 0, done.stderr
    assert marks(own_database) == {(name, "1") for name in RINGS}
    for name in RINGS:
        refused = run(tmp_path, {**unsigned, name: another(name)}, "manage.py", "night")
        assert refused.returncode == 1
        expected = f"refused to start: {name}: version 1 is another key than the one"
        assert last_line(refused).startswith(expected)
    with psycopg.connect(own_database.owner_url) as owner:
        assert owner.execute("SELECT count(*) FROM nights_jobrun").fetchall() == [(0,)]


def test_a_command_that_only_reads_leaves_no_mark_where_nothing_can_be_written(
    tmp_path: Path, own_database: Database, unsigned: dict[str, str | None]
) -> None:
    any_server = f"{own_database.app_url}&target_session_attrs=any"
    reading = f"{any_server}&options=-c%20default_transaction_read_only%3Don"
    done = run(tmp_path, {**unsigned, "DATABASE_URL": reading}, "manage.py", "journal_verify")
    assert done.returncode == 0, done.stderr
    assert marks(own_database) == set()


@pytest.mark.servers
def test_a_command_without_keys_and_a_help_ask_no_database(tmp_path: Path) -> None:
    away = {"DATABASE_URL": "postgresql://lototrot_app:x@127.0.0.1:1/lototrot"}
    helped = run(tmp_path, away, "manage.py", "night", "--help")
    assert helped.returncode == 0, helped.stderr
    collected = run(tmp_path, away, "manage.py", "collectstatic", "--dry-run", "--no-input")
    assert collected.returncode == 0, collected.stderr
    refused = run(tmp_path, away, "manage.py", "night")
    assert last_line(refused).startswith("refused to start: the database does not answer")
