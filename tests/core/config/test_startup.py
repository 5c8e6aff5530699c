"""Check that a process refuses a server that may lose data, a role with too many rights, and
missing guards.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from core.config import startup
from core.database import clock
from core.database.fresh_keys import fresh
from core.database.models import ClockOffset, KeyMark
from core.kernel.codes import CodeKeys
from core.staff.models import User
from core.tools.embedded.postgres import Postgres
from core.tools.embedded.server import ROOT
from tests.support.databases import Database
from tests.support.factories.clocks import clock_given_up, server_clock_off

VERIFY = """
import django
django.setup()
from core.config.startup import verify_server
verify_server()
"""


@pytest.fixture(autouse=True)
def _one_machine_is_meant(settings: Any) -> None:
    settings.WITHOUT_SECOND_MACHINE = True


def faults() -> str:
    with pytest.raises(ImproperlyConfigured) as refusal:
        startup.verify_server()
    return str(refusal.value)


def test_the_tests_own_server_is_fit(db: None) -> None:
    startup.verify_server()


@pytest.mark.parametrize("safe", ["on", "local", "remote_apply"])
def test_a_session_that_answers_before_it_has_written_is_refused(db: None, safe: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    assert "synchronous_commit is off" in faults()
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL synchronous_commit = {safe}")
    startup.verify_server()


@pytest.fixture
def forgetful(tmp_path: Path) -> Iterator[Postgres]:
    unsafe = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "32MB"}
    server = Postgres(tmp_path / "postgres", unsafe)
    server.start()
    try:
        yield server
    finally:
        server.destroy()


@pytest.mark.servers
def test_a_server_that_could_lose_an_answered_sale_is_refused(forgetful: Postgres) -> None:
    environment = {
        "DATABASE_URL": forgetful.app_url,
        "DATABASE_OWNER_URL": forgetful.owner_url,
        "DJANGO_SETTINGS_MODULE": "core.config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", VERIFY],
        check=False,
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    message = done.stderr.splitlines()[-1]
    assert "fsync is off" in message
    assert "full_page_writes is off" in message
    assert "tables without guards" in message  # nor was it migrated
    assert "synchronous_commit" not in message


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER guard_rows ON lototrot_ticket",
        "DROP TRIGGER guard_truncate ON lototrot_ticket",
        "ALTER TABLE lototrot_ticket DISABLE TRIGGER guard_columns",
        "ALTER TABLE lototrot_ticket DISABLE TRIGGER USER",
        "ALTER TABLE lototrot_ticket ENABLE REPLICA TRIGGER guard_rows",
    ],
)
def test_a_table_whose_guards_are_gone_or_asleep_is_refused(
    own_database: Database, statement: str
) -> None:
    startup.verify_server()
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute(statement)
    assert "tables without guards: ['lototrot_ticket']" in faults()


def test_production_refuses_the_owners_role(
    machine_clock: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PRODUCTION = True
    assert "the application may move the clock" in faults()
    clock_given_up()
    startup.verify_server()
    monkeypatch.setattr(startup, "connection", connections["owner"])
    assert "connects as the owner" in faults()
    settings.PRODUCTION = False
    startup.verify_server()


def test_production_refuses_a_database_that_has_run_on_simulated_time(
    db: None, settings: Any
) -> None:
    settings.PRODUCTION = True
    assert "simulated time" not in faults()
    ClockOffset.objects.create(offset=clock.offset(), set_at=clock.now(), reason="once")
    assert "simulated time" in faults()
    settings.PRODUCTION = False
    startup.verify_server()
    assert not User.objects.exists()


def test_production_refuses_a_clock_to_which_something_is_added(
    own_database: Database, settings: Any
) -> None:
    with server_clock_off(timedelta(minutes=5)):
        startup.verify_server()
        settings.PRODUCTION = True
        assert "clock is not the machine's" in faults()
        clock_given_up()
    startup.verify_server()


def test_production_refuses_a_server_whose_loss_loses_answered_sales(
    db: None, settings: Any
) -> None:
    settings.PRODUCTION, settings.WITHOUT_SECOND_MACHINE = True, False
    assert "on one machine only: no synchronous standby" in faults()


def another_ring(name: str) -> Any:
    """Return a ring that another machine made for itself, under the same version."""
    if name == "CODE_KEYS":
        (key,) = json.loads(fresh(name))["keys"].values()
        return CodeKeys(ring={"1": tuple(map(bytes.fromhex, key))}, current="1")
    (key,) = json.loads(fresh(name))["keys"].values()
    return "1", {"1": bytes.fromhex(key)}


@pytest.mark.parametrize("name", startup.RINGS)
def test_production_refuses_a_key_that_another_machine_made_for_itself(
    db: None, settings: Any, name: str
) -> None:
    """It sold tickets, and the other machines answered `code_forged` when these had won."""
    settings.PRODUCTION = True
    startup.verify_keys()
    startup.verify_keys()
    marks = KeyMark.objects.count()
    setattr(settings, name, another_ring(name))
    with pytest.raises(ImproperlyConfigured, match=f"{name}: version 1 is another key"):
        startup.verify_keys()
    assert KeyMark.objects.count() == marks >= len(startup.RINGS)
    settings.PRODUCTION = False
    startup.verify_keys()


def test_a_new_version_of_a_key_is_put_on_record_and_a_process_brings_its_own_keys_only(
    db: None, settings: Any
) -> None:
    settings.PRODUCTION, settings.PROCESS = True, "worker"
    startup.verify_keys()
    assert set(KeyMark.objects.values_list("ring", flat=True)) == {"SEED_KEYS"}
    current, keys = settings.SEED_KEYS
    settings.SEED_KEYS = current, keys | {"2": bytes(32)}
    startup.verify_keys()
    assert KeyMark.objects.filter(ring="SEED_KEYS", version="2").exists()
    assert not any(key in bytes(m.mark) for key in keys.values() for m in KeyMark.objects.all())


def test_production_shows_no_page_without_its_scripts(settings: Any, tmp_path: Path) -> None:
    settings.PRODUCTION, settings.STATIC_ROOT = True, tmp_path / "static"
    with pytest.raises(ImproperlyConfigured, match=r"static files are not in .*run collectstatic"):
        startup.verify_files()
    settings.PROCESS_ROLE = "sales"  # terminals ask it for acts, and for no page
    startup.verify_files()
    settings.PROCESS_ROLE, settings.PRODUCTION = "all", False
    startup.verify_files()
