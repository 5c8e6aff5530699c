"""Check that every time on record is the database's: no column, code or library has another."""

import ast
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection, models
from django.db.models.fields import NOT_PROVIDED

from core.database import clock
from core.journal.verifying import verify
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import user_create
from tests.support.databases import Database
from tests.support.journaling import seal_all

PASSWORD = "long-enough-for-anybody"
# The default of Django's own log of the admin; each row is given its time (core/admin_support).
GIVEN = {"admin.LogEntry.action_time"}
# Modules that read the machine's clock, and write nothing of it.
READERS = {
    "core/config/console/diagnosis.py": "the machine's clock is compared with the database's",
    "core/config/shedding.py": "how long a request waited after the proxy took it",
    "core/screens/live.py": "the age of a file on this machine's disk",
    "core/timekeeping/references.py": "the machine's clock is compared with the database's",
}
CALLS = {"now", "utcnow", "today", "time", "time_ns", "localtime", "localdate"}
CLOCKS = {"timezone", "datetime", "date", "time"}
# SQL functions that read the server's clock otherwise than through core_now().
SQL_READERS = {"core_server_clock": "the clock itself", "journal_note": "core_now() is as the role"}


def test_no_column_of_a_model_takes_its_time_by_itself() -> None:
    own_times = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.DateField | models.TimeField)
        and (
            getattr(field, "auto_now", False)
            or getattr(field, "auto_now_add", False)
            or field.db_default not in (NOT_PROVIDED, None)
            or (field.has_default() and field.default is not None)
        )
    }
    assert own_times == GIVEN


def test_no_table_has_a_time_of_its_own(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.adrelid::regclass::text, pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d"
            " JOIN pg_class c ON c.oid = d.adrelid WHERE relnamespace = 'public'::regnamespace"
            " AND pg_get_expr(d.adbin, d.adrelid) ~* '(now|timestamp|current_(date|time))'"
        )
        assert cursor.fetchall() == []


def _clock_calls(path: Path) -> Iterator[str]:
    text = path.read_text()
    if "Now" not in text and not any(f".{name}(" in text for name in CALLS):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            name = of.id if isinstance(of, ast.Name) else getattr(of, "attr", "")
            if node.func.attr in CALLS and name in CLOCKS:
                yield f"{name}.{node.func.attr}"
        if isinstance(node, ast.Name) and node.id == "Now":
            yield "Now"


def test_no_module_reads_the_clock_of_its_machine() -> None:
    root = Path(settings.BASE_DIR)
    readers = {
        str(path.relative_to(root))
        for package in ("core", "lototrot", "promotrot")
        for path in (root / package).rglob("*.py")
        if not {"tools", "raceday"}.intersection(path.parts) and any(_clock_calls(path))
    }
    assert readers == set(READERS)


def test_sql_reads_the_clock_in_one_function(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc"
            " ~* '(clock_timestamp|statement_timestamp|timeofday|current_(date|time)|\\mnow\\(\\))'"
            " AND prosrc !~* 'clock_timestamp\\(\\) - transaction_timestamp'"
        )
        assert {name for (name,) in cursor.fetchall()} <= set(SQL_READERS)


@pytest.fixture
def year_on(own_database: Database, settings: Any) -> datetime.datetime:
    """Move simulated time a year on; return the time then."""
    settings.SIMULATED_TIME = True
    present = clock.now() + datetime.timedelta(days=365)
    clock.move_to(clock.now() + datetime.timedelta(hours=1), reason="one of two moves")
    clock.move_to(present, reason="test")
    return present


def test_an_account_opened_in_simulated_time_verifies(
    year_on: datetime.datetime, client: Any
) -> None:
    user = user_create(
        username="ana", full_name="Joan Mas", password=PASSWORD, roles=[Role.ADMINISTRATOR]
    )
    assert user.created_at >= year_on
    answer = client.post("/admin/login/", {"username": "ana", "password": PASSWORD})
    assert answer.status_code == 302
    signed_on = User.objects.get(pk=user.pk).last_login
    assert signed_on is not None
    assert signed_on >= year_on
    assert Session.objects.get().expire_date > year_on
    assert client.get("/admin/").status_code in (200, 302)
    seal_all()
    assert verify().findings == []


def test_a_session_ends_by_the_databases_time(year_on: datetime.datetime, client: Any) -> None:
    session = client.session
    session["a"] = 1
    session.save()
    assert client.session["a"] == 1
    clock.move_to(year_on + datetime.timedelta(hours=9), reason="test")
    assert "a" not in client.session
