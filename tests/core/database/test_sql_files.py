"""Check that SQL files name locks, and that only the `Lock` enum numbers them."""

from pathlib import Path

import pytest

from core.database.locks import Lock
from core.database.sql_files import fill_locks, function_sql, read_sql


def test_a_lock_is_named_in_sql_by_its_enum() -> None:
    filled = fill_locks("PERFORM pg_advisory_xact_lock({lock.request}, 0), '{}'::jsonb;")
    assert filled == f"PERFORM pg_advisory_xact_lock({Lock.REQUEST.value}, 0), '{{}}'::jsonb;"


def test_an_unknown_lock_is_refused() -> None:
    with pytest.raises(KeyError):
        fill_locks("{lock.nothing}")


def test_a_file_is_read_filled(tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text("SELECT {lock.log}")
    assert read_sql(file) == f"SELECT {Lock.LOG.value}"


def test_every_function_of_the_apps_is_read_filled() -> None:
    functions = "".join(function_sql())
    assert f"pg_advisory_xact_lock({Lock.REQUEST.value}, core_request_key(" in functions
    assert "{lock." not in functions
