"""Each of the set-ups that are broken on a worst day is named by one command, with what to do."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

from core.config import startup
from core.config.console import diagnosis
from core.config.console.diagnosis import State
from core.tools.embedded.server import ROOT
from tests.core.config.test_production import DATA, run
from tests.support.databases import Database
from tests.support.factories.clocks import clock_given_up, server_clock_off

_NOBODY = "postgresql://lototrot_app:x@127.0.0.1:1/lototrot"
_OTHER = json.dumps({"current": "1", "keys": {"1": secrets.token_hex(32)}})


def states(text: str) -> dict[str, tuple[str, str]]:
    """Return the state and the words of each check that the command printed."""
    lines = [line for line in text.splitlines() if line.split()[0] in list(State)]
    return {line[7:20].strip(): (line[:6].strip(), line[20:]) for line in lines}


def diagnosed(folder: Path, changes: Mapping[str, str | None]) -> dict[str, tuple[str, str]]:
    """Run the command in a production environment. It exits with 1, as there is no broker."""
    done = run(folder, changes, "manage.py", "diagnose")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("CommandError: faults: ")
    return states(done.stdout)


def faults(seen: dict[str, tuple[str, str]]) -> set[str]:
    return {name for name, (state, _) in seen.items() if state == State.FAULT}


ALWAYS = {"broker", "workers", "static files"}
"""These tests have none of these."""


def test_a_machine_that_is_well_and_one_with_another_key(
    tmp_path: Path, own_database: Database, machine_clock: None
) -> None:
    clock_given_up()
    production = {**own_database.environment}
    seen = diagnosed(tmp_path, production)
    assert faults(seen) == ALWAYS
    assert "start it, or put BROKER_URL right" in seen["broker"][1]
    assert "run collectstatic" in seen["static files"][1]
    assert "start workers and beat" in seen["workers"][1]
    with psycopg.connect(own_database.owner_url) as owner:
        assert owner.execute("SELECT count(*) FROM database_keymark").fetchall() == [(0,)]
    assert run(tmp_path, production, "manage.py", "journal_seal").returncode == 0
    seen = diagnosed(tmp_path, {**production, "SEED_KEYS": _OTHER})
    assert faults(seen) == ALWAYS | {"keys"}
    assert seen["keys"][1].startswith("SEED_KEYS: version 1 is another key")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (_NOBODY, "does not answer: start it, or look at host and port"),
        (_NOBODY.replace("127.0.0.1", "db.invalid"), "has no address here; look at the URL"),
        ("{app}x", "no such database or role"),
        ("{wrong}", "the database refuses the password or role"),
        ("{app}&options=-c%20default_transaction_read_only%3Don", "the database takes no writes"),
    ],
)
def test_a_database_that_lets_nobody_in_is_the_first_fault_and_hides_no_other(
    tmp_path: Path, own_database: Database, url: str, words: str
) -> None:
    app = own_database.app_url
    person = app.partition("://")[2].partition("@")[0]
    wrong = app.replace(person, f"{person}x")
    name = app.replace("/" + own_database.name, f"/{own_database.name}x")
    filled = url.replace("{app}x", name).replace("{app}", app).replace("{wrong}", wrong)
    seen = diagnosed(tmp_path, {**own_database.environment, "DATABASE_URL": filled})
    assert words in seen["database"][1]
    assert faults(seen) == {"database", "broker", "static files"}
    assert seen["keys"] == (State.UNSEEN, "needs the database: mend that first")
    assert person.partition(":")[2] not in str(seen)


def test_a_migration_that_is_missing_and_one_of_a_newer_program(own_database: Database) -> None:
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("UPDATE django_migrations SET name = '0001_later' WHERE app = 'lototrot'")
    seen = {each.name: each for each in diagnosis.findings()}
    assert seen["migrations"].state is State.FAULT
    assert "such as lototrot.0001_initial; run migrate" in seen["migrations"].words
    assert seen["server"].state is State.UNSEEN
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("UPDATE django_migrations SET name = '0001_initial' WHERE app = 'lototrot'")
        owner.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('a', 'b', now())")
    seen = {each.name: each for each in diagnosis.findings()}
    assert (seen["migrations"].state, seen["server"].state) == (State.NOTE, State.NOTE)
    assert "a newer release migrated this database" in seen["migrations"].words


def test_another_server_of_a_journal_a_clock_and_an_old_server(
    own_database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute(
            "CREATE OR REPLACE FUNCTION journal_servers() RETURNS text[] LANGUAGE sql STABLE"
            " PARALLEL SAFE AS $$ SELECT ARRAY['42'] $$"
        )
    with server_clock_off(timedelta(minutes=5)), pytest.raises(CommandError, match="faults"):
        call_command("diagnose")
    seen = states(capsys.readouterr().out)
    assert "lineage_not_begun" in seen["server"][1]
    assert "run journal_lineage --begin" in seen["server"][1]
    assert "look at NTP" in seen["clock"][1]
    monkeypatch.setattr(startup, "OLDEST_SERVER", 990_000)
    first = next(iter(diagnosis.findings()))
    assert (first.name, first.state) == ("database", State.FAULT)
    assert "names another server, or upgrade it" in first.words


def test_a_folder_that_cannot_be_written(db: None, settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "nowhere"
    seen = {each.name: each for each in diagnosis.findings()}
    assert seen["folder"].state is State.FAULT
    assert "make the folder, or give it" in seen["folder"].words


def test_a_disk_that_is_nearly_full(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=4m tmpfs {tmp_path} && head -c 4000k /dev/zero"
    script = f'{mount} > {tmp_path}/filler && exec "$@"'
    mounting = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    if subprocess.run([*mounting, "true"], check=False).returncode:
        pytest.skip("no disk may be mounted here")
    done = subprocess.run(
        [*mounting, sys.executable, "manage.py", "diagnose"],
        cwd=ROOT,
        env=os.environ | {"VAR_DIR": str(tmp_path), "DATABASE_URL": _NOBODY, "DATA_KEYS": DATA},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "0 MB are free" in states(done.stdout)["folder"][1]
    assert "DiskFilling" in states(done.stdout)["folder"][1]
