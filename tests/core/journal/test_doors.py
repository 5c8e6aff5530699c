"""Check every door of the system: what comes in by it is of a person, a terminal or a named job.

The doors are read from the routes, the tasks and the commands that there are.
"""

import runpy
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from celery import current_app
from celery.signals import task_postrun, task_prerun
from django.contrib import admin
from django.core import management
from django.core.management import get_commands
from django.db import connection
from django.urls import URLPattern, URLResolver, get_resolver

from core.api.acting import operation_name
from core.api.views import (
    ApiView,
    BareTerminalView,
    CredentialsView,
    LeanView,
    StaffView,
    TerminalView,
)
from core.journal import acting
from core.journal.journal_rules import AT_THE_DOOR, NOBODY, OPEN_DOORS
from core.journal.models import Act
from core.journal.rules import broken
from core.journal.verifying import verify
from core.ledger.models import Account
from core.premises.api.terminal import ProvenTerminalView
from core.tools.embedded.server import ROOT
from tests.support.databases import Database
from tests.support.journaling import as_owner, seal_all

WRITING = ("post", "put", "patch", "delete")
# A code is asked about, and an answer given: nothing is written.
READS_ONLY = {"check_post", "lototrot_proofs_post"}
# The functions that decide for these name the act themselves, in SQL.
NAMED_IN_SQL = {
    "lototrot_tickets_post",
    "promotrot_plays_post",
    "promotrot_plays_ident_acts_post",
    "claims_payments_post",
    "claims_check_post",
}
# Of Django: the form to sign on, and the choice of a language, which is of the browser.
WRAPPED = ("is_of_a_person", "admin_site", "model_admin")
"""Marks of `Site.admin_view`, and of Django's wrappers that call it with each request."""
ADMIN_OPEN = {"login", "set_language"}


def patterns(of: Any, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for each in of:
        route = prefix + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from patterns(each.url_patterns, route)
        else:
            yield route, each


API = [
    (operation_name(route, method), each.callback.view_class)
    for route, each in patterns(get_resolver().url_patterns)
    if issubclass(getattr(each.callback, "view_class", object), ApiView)
    for method in WRITING
    if hasattr(each.callback.view_class, method)
]


def test_every_operation_of_the_api_that_writes_is_of_somebody() -> None:
    of_somebody = (StaffView, BareTerminalView, TerminalView, ProvenTerminalView)
    open_doors = {name for name, view in API if not issubclass(view, (*of_somebody, LeanView))}
    assert open_doors - READS_ONLY == {name for name in OPEN_DOORS if "admin" not in name}
    assert {name for name, view in API if issubclass(view, LeanView)} == NAMED_IN_SQL
    assert len(API) > 120


def test_what_a_terminal_writes_is_paid_for_or_takes_its_quota() -> None:
    free = {
        name
        for name, view in API
        if issubclass(view, CredentialsView)
        and not view.takes_quota
        and name not in NAMED_IN_SQL
        and not issubclass(view, ProvenTerminalView)  # they have rates of their own
    }
    assert len(free) == 2
    assert all(name.endswith("_print_confirmation_post") for name in free)


def test_every_page_of_the_administration_is_of_somebody() -> None:
    open_pages = {
        each.name
        for _, each in patterns(admin.site.urls[0])
        if not any(hasattr(each.callback, name) for name in WRAPPED)
    }
    assert open_pages <= ADMIN_OPEN | {None}


def test_every_task_is_a_named_job() -> None:
    tasks = [task for name, task in current_app.tasks.items() if not name.startswith("celery.")]
    assert tasks
    for task in tasks:
        task_prerun.send(sender=task, task_id=task.name, task=task)
        try:
            assert acting.present().name == f"task:{task.name}"
        finally:
            task_postrun.send(sender=task, task_id=task.name, task=task)


def test_every_command_is_a_named_job(monkeypatch: pytest.MonkeyPatch) -> None:
    named = []
    for command in get_commands():
        monkeypatch.setattr(sys, "argv", ["manage.py", command, "--help"])
        monkeypatch.setattr(
            management.ManagementUtility, "execute", lambda _: named.append(acting.present().name)
        )
        monkeypatch.setenv("PROFILE", "development")
        runpy.run_path(str(ROOT / "manage.py"), run_name="__main__")
    assert len(named) > 20
    assert named == [f"command:{command}" for command in get_commands()]


def written_as(name: str, **who: Any) -> None:
    with acting.acting(name, **who):
        Account.objects.create(
            code=f"test:{name}:{who}", side=Account.Side.DEBIT, opened_at="2030-03-02T11:00:00Z"
        )


@pytest.mark.parametrize("name", ["task:x", "command:x", "clock.watch"])
def test_a_named_job_may_write(own_database: Database, name: str) -> None:
    written_as(name)
    assert not [breaches for breaches in broken(NOBODY) if breaches[1] == newest()]


@pytest.mark.parametrize("name", ["", "admin_office_post", "premises_post", "task:"])
def test_what_nobody_wrote_is_named(own_database: Database, name: str) -> None:
    written_as(name)
    assert newest() in [row for _, row, _ in broken(NOBODY)]


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "an act without a name"), ("repair: T-7|||||", "the act 'repair: T-7'")],
)
def test_an_auditor_reads_who_wrote_by_hand_and_when(
    own_database: Database, name: str, words: str
) -> None:
    """The superuser edits by psql, with all triggers: the journal has the row."""
    with as_owner(own_database), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('core.act', %s, false)", [name])
        cursor.execute(
            "INSERT INTO ledger_account (code, side, opened_at) VALUES ('x', 'debit', core_now())"
        )
        cursor.execute("SELECT current_user")
        (role,) = cursor.fetchone()
    act = Act.objects.get(pk=newest())
    seal_all()
    (finding,) = [each for each in verify().findings if each.xid == act.pk and each.rule]
    where = f"{words} of {act.at.isoformat()}, by the role {role}, transaction {act.pk}: "
    assert finding.detail.startswith(where + "it names no person, no terminal and no job")


def test_at_an_open_door_no_money_moves(own_database: Database) -> None:
    written_as("staff_sessions_post")
    assert [(table, xid) for table, _, xid in broken(AT_THE_DOOR)] == [("ledger_account", newest())]


def newest() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(journal_xid) FROM journal_act")
        return int(cursor.fetchone()[0])
