"""See what is put in place once touched again only where it differs."""

import psycopg
import pytest
from django.db import DatabaseError, OperationalError, connections

from core.config import startup
from core.database import installing
from core.database.guards import install_guards
from core.database.installing import Piece, objects_of, put_in_place, until_unlocked
from core.journal.install import install
from tests.support.databases import Database


def touched() -> list[str]:
    """Return the rows of the catalogue that a run of both installers writes again."""
    with connections["owner"].cursor() as cursor:
        query = (
            "SELECT 'function ' || proname, xmin::text FROM pg_proc"
            " WHERE pronamespace = 'public'::regnamespace"
            " UNION ALL SELECT 'trigger ' || tgname || tgrelid, xmin::text FROM pg_trigger"
            " WHERE NOT tgisinternal"
            " UNION ALL SELECT 'class ' || relname, coalesce(relacl::text, '') FROM pg_class"
        )
        cursor.execute(query)
        before = dict(cursor.fetchall())
        install_guards()
        install()
        cursor.execute(query)
        return sorted(name for name, xmin in cursor.fetchall() if before.get(name) != xmin)


def test_nothing_is_touched_that_is_as_it_should_be(machine_clock: None) -> None:
    assert touched() == []


def test_whatever_somebody_changed_is_set_right_and_nothing_else(own_database: Database) -> None:
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("DROP TRIGGER guard_rows ON lototrot_ticket")
        owner.execute("ALTER TABLE premises_terminal DISABLE TRIGGER journal_rows")
        owner.execute("REVOKE SELECT ON staff_user FROM lototrot_app")
        owner.execute("DROP INDEX ledger_transfer_journal")
        row = owner.execute("SELECT 'lototrot_ticket'::regclass::oid").fetchone()
    assert row is not None
    names = touched()
    startup.verify_server()
    assert any(name.startswith("trigger guard_rows") for name in names)
    assert "class staff_user" in names
    assert "class ledger_transfer_journal" in names
    # Functions are written together. Of all else, only what stands on the tables that were changed.
    assert len([name for name in names if not name.startswith("function ")]) < 20
    assert touched() == []


def test_a_disabled_trigger_of_the_journal_is_enabled_again(own_database: Database) -> None:
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("ALTER TABLE premises_terminal DISABLE TRIGGER journal_rows")
    install()
    startup.verify_server()


def test_a_procedure_is_made_again_when_it_or_its_maker_has_changed(
    own_database: Database,
) -> None:
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute("DROP PROCEDURE lototrot_sell_each")
    assert "function lototrot_sell_each" in touched()
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute(
            "CREATE OR REPLACE FUNCTION core_each(p_function text) RETURNS void"
            " LANGUAGE plpgsql AS $$ BEGIN END $$"
        )
    assert {"function core_each", "function promotrot_sell_each"} <= {*touched()}
    assert touched() == []


def test_the_objects_of_a_file_are_read_from_it() -> None:
    text = """
CREATE OR REPLACE FUNCTION one(p_a integer) RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$;
CREATE OR REPLACE VIEW two AS SELECT 1;
DROP TRIGGER IF EXISTS three ON four;
CREATE CONSTRAINT TRIGGER three AFTER INSERT ON four DEFERRABLE
    FOR EACH ROW EXECUTE FUNCTION one();
CREATE OR REPLACE TRIGGER five BEFORE INSERT OR UPDATE ON six FOR EACH ROW EXECUTE FUNCTION one();
SELECT core_each('one');
"""
    assert objects_of(text) == (
        *(
            "function one",
            "view two",
            "trigger four three",
            "trigger six five",
            "function one_each",
        ),
    )


def test_a_function_finds_the_rights_that_it_needs_when_it_is_put_in_place(
    own_database: Database,
) -> None:
    grant = "GRANT UPDATE (bets) ON lototrot_ticket TO lototrot_app"
    table = Piece("table", (), ())
    put_in_place("owner", "trial", [Piece("function", (), ()), table])
    needing = (
        "SELECT 1 / has_column_privilege('lototrot_app', 'lototrot_ticket', 'bets', 'UPDATE')::int"
    )
    table = Piece(
        "table", (f"REVOKE{grant[5:].replace(' TO ', ' FROM ')}", grant), (), False, (grant,)
    )
    done = put_in_place("owner", "trial", [Piece("function", (needing,), ()), table])
    assert done == ["function", "table"]


def test_a_fault_in_a_statement_is_raised_at_once(own_database: Database) -> None:
    piece = Piece("wrong", ("SELECT nothing FROM nowhere",), ())
    with pytest.raises(DatabaseError, match="nowhere"):
        put_in_place("owner", "wrong", [piece])


def test_who_never_gets_a_lock_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "_WITHIN_S", 0.01)
    monkeypatch.setattr(installing, "_PAUSE_S", 0.01)
    tries = []

    def refused(wait_ms: int) -> None:
        tries.append(wait_ms)
        raise OperationalError from psycopg.errors.LockNotAvailable()

    with pytest.raises(OperationalError):
        until_unlocked(refused)
    assert len(tries) > 1


def test_a_lock_that_is_not_got_is_waited_for_longer_within_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(installing, "_PAUSE_S", 0)
    waits_ms: list[int] = []

    def busy(wait_ms: int) -> None:
        waits_ms.append(wait_ms)
        if len(waits_ms) < 60:
            raise OperationalError from psycopg.errors.LockNotAvailable()

    until_unlocked(busy)
    assert waits_ms[0] == 100
    assert waits_ms == sorted(waits_ms)
    assert waits_ms[-1] == 400
