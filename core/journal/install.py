"""Put every table of the project under the journal after each migrate.

Each table gets triggers, and a column with the number of the transaction that wrote the row. The
application can neither set nor change the column, and the models do not declare it.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connections, models
from django.db.backends.utils import CursorWrapper

from core.database.guards import column_guard, column_guard_time, columns, guarded_models
from core.database.installing import Piece, put_in_place
from core.database.models import SECRET_FIELDS, Guarded
from core.journal.models import Act, Batch, Block, Change, RowForm, Source

COLUMN = "journal_xid"
TRIGGERS = ("journal_rows", "guard_act", "journal_changed")
_XID = "journal_number()"
# True while the transaction has no act yet.
_FIRST = "current_setting('core.acted', true) IS DISTINCT FROM pg_current_xact_id()::text"
_INTEGERS = (models.BigAutoField, models.AutoField, models.BigIntegerField, models.IntegerField)
# The journal's own tables: acts, their sources and changes are entries of it, the others its seals.
_SELF = (Act, Change, Source)
_SEALS = (Batch, Block, RowForm)
ADMIN_LOG = "django_admin_log"


@dataclass(frozen=True, slots=True)
class Journaled:
    """A table under the journal; `key` is the column of its primary key, an integer.

    `changing` are the columns whose updates are journaled. The journal keeps the `secret` ones of
    them as digests only, and leaves out the `derived` columns. `guard` is the call that refuses a
    change of the act's number, before or after it is written (`guard_time`). Rows of a table that
    `retires` may leave.
    """

    name: str
    key: str
    changing: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    has_triggers: bool = True
    guard: str = "guard_refuse()"
    guard_time: str = "BEFORE"
    retires: bool = False

    @property
    def triggers(self) -> tuple[str, ...]:
        """Return the names of the triggers that the journal needs on the table."""
        if not self.has_triggers:
            return ()
        return TRIGGERS if self.changing else TRIGGERS[:2]


def _journaled(model: type[Guarded]) -> Journaled:
    meta = model._meta
    own: Any = meta.pk
    key = own
    while key.remote_field:
        key = key.target_field
    if not isinstance(key, _INTEGERS):
        raise TypeError(f"{meta.label}: the journal names rows by an integer primary key")
    changing = tuple(name for name in model.mutable if name not in model.derived)
    fields = [meta.get_field(name) for name in changing]
    secret = tuple(
        field.name
        for field in fields
        if isinstance(field, models.BinaryField) or field.name in SECRET_FIELDS
    )
    return Journaled(
        meta.db_table,
        str(own.column),
        tuple(columns(model, changing)),
        tuple(columns(model, secret)),
        tuple(columns(model, model.derived)),
        model not in _SELF,
        column_guard(model),
        column_guard_time(model),
        model.retires,
    )


@cache
def journaled() -> tuple[Journaled, ...]:
    """Return every table under the journal, sorted by name."""
    tables = [_journaled(model) for model in guarded_models() if model not in _SEALS]
    return tuple(sorted([*tables, Journaled(ADMIN_LOG, "id")], key=lambda table: table.name))


def install(*, using: str = "owner", **_: Any) -> None:
    """Put columns, indexes and triggers in place. Connected to post_migrate; runs as the owner."""
    connection = connections[using]
    with connection.cursor() as cursor:
        present = set(connection.introspection.table_names(cursor))
        if Act._meta.db_table not in present:
            return
    put_in_place(
        using, "journal", [_piece(table) for table in journaled() if table.name in present]
    )


def _piece(table: Journaled) -> Piece:
    """Return what puts one table under the journal.

    Rows that are already in a table without the column become an act of this migration.
    """
    name = table.name
    statements = [_COLUMN.format(name=name, column=COLUMN, xid=_XID, first=_FIRST)]
    objects = [f"column {name} {COLUMN}"]
    if table.has_triggers:
        statements += _triggers(table)
        objects += [f"index {name}_journal"]
        objects += [f"trigger {name} {trigger}" for trigger in table.triggers]
    return Piece(name, tuple(statements), tuple(objects))


_COLUMN = """
DO $put$ BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('{name}')
               AND attname = '{column}' AND NOT attisdropped) THEN RETURN; END IF;
    ALTER TABLE "{name}" ADD COLUMN {column} bigint NOT NULL DEFAULT {xid};
    PERFORM journal_note() FROM (SELECT FROM "{name}" LIMIT 1) t WHERE {first};
END $put$
"""


def _triggers(table: Journaled) -> list[str]:
    name = table.name
    statements = [
        f'CREATE INDEX IF NOT EXISTS "{name}_journal" ON "{name}" ({COLUMN})',
        f'CREATE OR REPLACE TRIGGER journal_rows AFTER INSERT ON "{name}"'
        " FOR EACH STATEMENT EXECUTE FUNCTION journal_rows()",
        f'CREATE OR REPLACE TRIGGER guard_act {table.guard_time} UPDATE OF {COLUMN} ON "{name}"'
        f" FOR EACH ROW EXECUTE FUNCTION {table.guard}",
    ]
    if table.changing:
        names = ", ".join(f'"{column}"' for column in table.changing)
        arguments = f"'{table.key}', '{_array(table.secret)}', '{_array(table.derived)}'"
        statements.append(
            f'CREATE OR REPLACE TRIGGER journal_changed AFTER UPDATE OF {names} ON "{name}"'
            f" FOR EACH ROW EXECUTE FUNCTION journal_changed({arguments})"
        )
    return statements


def _array(names: tuple[str, ...]) -> str:
    return "{" + ",".join(names) + "}"


def unjournaled(cursor: CursorWrapper) -> list[str]:
    """Return the tables that lack an enabled trigger of the journal, sorted by name."""
    cursor.execute(
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgenabled IN ('O', 'A')"
    )
    present = set(cursor.fetchall())
    return [
        table.name
        for table in journaled()
        if not {(table.name, trigger) for trigger in table.triggers} <= present
    ]
