"""Check that the database refuses forbidden writes of every model, also by the tables' owner.

The tests take the tables from the models, so that a new model is tested as well.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.test import override_settings
from psycopg import errors, sql
from pytest_django import DjangoDbBlocker

from core.database.guards import columns, grant_sql, guarded_models
from core.database.models import ClockOffset, Guarded
from core.ledger.models import Transfer
from core.tools.embedded.postgres import OWNER
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support.columns import table_columns
from tests.support.databases import Database

Model = type[Guarded]
MODELS = guarded_models()
EACH = pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)


@pytest.fixture(scope="module")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    """Return a database for the tests of this module, which all leave it unchanged."""
    from tests.support import databases

    with django_db_blocker.unblock(), databases.clone() as server:
        yield server


@pytest.fixture
def owner(database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.owner_url) as session:
        yield session
        session.rollback()


@pytest.fixture
def application(database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.app_url) as session:
        yield session
        session.rollback()


@contextmanager
def tried(session: psycopg.Connection) -> Iterator[None]:
    """Run one attempt, and undo it."""
    with session.transaction(force_rollback=True):
        yield


def one_row(owner: psycopg.Connection, table: str) -> None:
    """Put a row into the table, with constraints and other triggers disabled."""
    name = sql.Identifier(table)
    for trigger, internal in owner.execute(
        "SELECT tgname, tgisinternal FROM pg_trigger WHERE tgrelid = to_regclass(%s)", [table]
    ).fetchall():
        if not internal and not trigger.startswith("guard_"):
            owner.execute(
                sql.SQL("ALTER TABLE {} DISABLE TRIGGER {}").format(name, sql.Identifier(trigger))
            )
    for constraint, kind in owner.execute(
        "SELECT conname, contype::text FROM pg_constraint WHERE conrelid = to_regclass(%s)",
        [table],
    ).fetchall():
        if kind in ("c", "f", "x"):
            owner.execute(
                sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(
                    name, sql.Identifier(constraint)
                )
            )
    keys = owner.execute(
        "SELECT a.attname FROM pg_attribute a WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0"
        " AND a.attnotnull AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid"
        " AND i.indisprimary AND a.attnum = ANY (i.indkey))",
        [table],
    ).fetchall()
    for (column,) in keys:
        owner.execute(
            sql.SQL("ALTER TABLE {} ALTER {} DROP NOT NULL").format(name, sql.Identifier(column))
        )
    key = owner.execute(
        "SELECT a.attname FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid"
        " WHERE i.indrelid = to_regclass(%s) AND i.indisprimary AND a.attnum = i.indkey[0]",
        [table],
    ).fetchone()
    assert key is not None
    owner.execute(sql.SQL("INSERT INTO {} ({}) VALUES (1)").format(name, sql.Identifier(key[0])))


def test_every_table_of_the_project_is_guarded(owner: psycopg.Connection) -> None:
    tables = {
        name
        for (name,) in owner.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')"
        ).fetchall()
    }
    foreign = {name for name in tables if name.startswith(("django_", "auth_"))}
    assert tables - foreign == {model._meta.db_table for model in MODELS}


def test_money_and_tickets_never_change() -> None:
    assert Ticket.mutable == Transfer.mutable == ()


@pytest.mark.parametrize("table", ["statements_till", "lototrot_premisessales"])
def test_no_trigger_locks_a_row_that_sales_move(owner: psycopg.Connection, table: str) -> None:
    """PostgreSQL locks each row that is updated where a trigger of rows runs BEFORE UPDATE."""
    before = owner.execute(
        "SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(%s) AND tgtype & 19 = 19",
        [table],
    ).fetchall()
    assert before == []


# --- The owner, who could do anything if it were not for the triggers -----------------------------


@EACH
def test_the_owner_is_refused_every_change_that_is_not_declared(
    owner: psycopg.Connection, model: Model
) -> None:
    table = model._meta.db_table
    one_row(owner, table)
    declared = set(columns(model, model.mutable))
    all_columns = table_columns(owner, table)
    assert declared < set(all_columns)
    for column, other in all_columns.items():
        change = f'UPDATE "{table}" SET "{column}" = {other}'
        if column in declared:
            with tried(owner):
                owner.execute(change)
        else:
            with pytest.raises(errors.RestrictViolation), tried(owner):
                owner.execute(change)
    for statement in (f'DELETE FROM "{table}"', f'TRUNCATE "{table}" CASCADE'):
        with pytest.raises(errors.RestrictViolation), tried(owner):
            owner.execute(statement)


STATEFUL = [model for model in MODELS if model.transitions]


@pytest.mark.parametrize("model", STATEFUL, ids=lambda model: model._meta.label)
def test_states_follow_their_table(owner: psycopg.Connection, model: Model) -> None:
    table = model._meta.db_table
    states = [value for value, _ in model._meta.get_field("state").choices]
    assert set(model.transitions) <= set(states)
    one_row(owner, table)
    owner.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER guard_state')
    for before in states:
        owner.execute(f'UPDATE "{table}" SET state = %s', [before])
        for after in states:
            allowed = after == before or after in model.transitions.get(before, ())
            owner.execute(f'ALTER TABLE "{table}" ENABLE TRIGGER guard_state')
            change = f'UPDATE "{table}" SET state = %s'
            if allowed:
                with tried(owner):
                    owner.execute(change, [after])
            else:
                with pytest.raises(errors.RestrictViolation), tried(owner):
                    owner.execute(change, [after])
            owner.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER guard_state')


@pytest.mark.article("14.III.4")
def test_a_closed_contest_has_no_way_back_on_sale() -> None:
    reached, ahead = set(), {"closed"}
    while ahead:
        state = ahead.pop()
        reached.add(state)
        ahead |= set(Contest.transitions.get(state, ())) - reached
    assert reached == {"closed", "settled", "ordered"}


# --- The application's role -----------------------------------------------------------------------


@EACH
def test_the_application_has_the_declared_rights_and_no_others(
    application: psycopg.Connection, model: Model
) -> None:
    """Try each right: the server checks the privilege before it looks for rows."""
    table = model._meta.db_table
    declared = set(columns(model, model.mutable))
    for column, other in table_columns(application, table).items():
        change = f'UPDATE "{table}" SET "{column}" = {other}'
        if column in declared:
            with tried(application):
                application.execute(change)
        else:
            with pytest.raises(errors.InsufficientPrivilege), tried(application):
                application.execute(change)
    with tried(application):
        application.execute(f'SELECT * FROM "{table}"')
    for statement in (
        f'DELETE FROM "{table}"',
        f'TRUNCATE "{table}"',
        f'DROP TABLE "{table}"',
        f'ALTER TABLE "{table}" ADD COLUMN loose int',
        f'ALTER TABLE "{table}" DISABLE TRIGGER ALL',
        f'DROP TRIGGER guard_rows ON "{table}"',
        f'CREATE TRIGGER loose BEFORE INSERT ON "{table}" EXECUTE FUNCTION guard_refuse()',
        f'CREATE RULE loose AS ON INSERT TO "{table}" DO INSTEAD NOTHING',
        f'CREATE INDEX loose ON "{table}" ((1))',
    ):
        with pytest.raises(errors.InsufficientPrivilege), tried(application):
            application.execute(statement)


FORBIDDEN = [
    "CREATE TABLE loose (n int)",
    "CREATE TEMPORARY TABLE lototrot_ticket (n int)",
    "CREATE SCHEMA loose",
    "CREATE FUNCTION public.loose() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE OR REPLACE FUNCTION core_now() RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'",
    "CREATE OR REPLACE FUNCTION guard_refuse() RETURNS trigger LANGUAGE plpgsql AS"
    " 'BEGIN RETURN OLD; END'",
    "ALTER FUNCTION core_now() RENAME TO loose",
    "DROP FUNCTION guard_refuse() CASCADE",
    "SET session_replication_role = replica",
    "DROP EXTENSION plpgsql CASCADE",
    f"SET ROLE {OWNER}",
    f"GRANT {OWNER} TO CURRENT_USER",
    "SELECT setval('lototrot_ticket_id_seq', 1)",
    "ALTER SEQUENCE lototrot_ticket_id_seq RESTART",
    "COPY lototrot_ticket TO '/tmp/loose'",
    "SELECT pg_read_file('PG_VERSION')",
    "SET fsync = off",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_application_may_not(application: psycopg.Connection, statement: str) -> None:
    refusals = (errors.InsufficientPrivilege, errors.CantChangeRuntimeParam, errors.UndefinedFile)
    with pytest.raises(refusals), tried(application):
        application.execute(statement)


def test_the_application_does_not_configure_the_server(database: Database) -> None:
    with (
        psycopg.connect(database.app_url, autocommit=True) as session,
        pytest.raises(errors.InsufficientPrivilege),
    ):
        session.execute("ALTER SYSTEM SET fsync = off")


def test_nobody_else_enters_the_tables(owner: psycopg.Connection) -> None:
    granted = owner.execute(
        "SELECT c.relname, a.grantee::regrole::text, a.privilege_type FROM pg_class c,"
        " aclexplode(c.relacl) a WHERE c.relnamespace = 'public'::regnamespace"
        " AND c.relkind IN ('r', 'v', 'S') AND a.grantee NOT IN"
        " (c.relowner, 'lototrot_app'::regrole)"
    ).fetchall()
    assert granted == []


def test_functions_with_the_owners_rights_have_a_search_path_of_their_own(
    owner: psycopg.Connection,
) -> None:
    """Otherwise a person who can make a table could have them read or write that one."""
    unsafe = owner.execute(
        "SELECT proname, coalesce(array_to_string(proconfig, ';'), '') FROM pg_proc"
        " WHERE prosecdef AND pronamespace NOT IN ('pg_catalog'::regnamespace,"
        " 'information_schema'::regnamespace)"
    ).fetchall()
    assert "journal_note" in {name for name, _ in unsafe}
    assert [name for name, has in unsafe if "search_path=pg_catalog, pg_temp" not in has] == []


def test_in_production_the_application_does_not_move_the_clock() -> None:
    with override_settings(PRODUCTION=True):
        statements = grant_sql(ClockOffset, "app")
    assert not any("INSERT" in statement for statement in statements)
    assert any("INSERT" in statement for statement in grant_sql(ClockOffset, "app"))
