"""After every migrate, every table of the project is under the journal.

Tables get a column with the number of the transaction that wrote the row, which the application
can neither set nor change, and triggers. Models know nothing of it.
"""

from dataclasses import dataclass
from typing import Any

from django.db import connections, models, transaction
from django.db.backends.utils import CursorWrapper

from core.database.guards import columns, guarded_models
from core.database.models import Guarded
from core.journal.models import Act, Batch, Block, Change, RowForm

COLUMN = "journal_xid"
TRIGGERS = ("journal_rows", "journal_changed")
_XID = "pg_current_xact_id()::text::bigint"
# Whether the transaction has no act yet.
_FIRST = "current_setting('core.acted', true) IS DISTINCT FROM pg_current_xact_id()::text"
_INTEGERS = (models.BigAutoField, models.AutoField, models.BigIntegerField, models.IntegerField)
# The journal's own: acts and changes are entries of it, batches are what it is sealed in.
_SELF = (Act, Change)
_SEALS = (Batch, Block, RowForm)
# Columns of which, besides binary ones, only a digest shows in the changes of a row.
_SECRET_NAMES = frozenset({"password", "pin"})
ADMIN_LOG = "django_admin_log"


@dataclass(frozen=True, slots=True)
class Journaled:
    """A table under the journal; `key` is its primary key's column, an integer.

    `changing` are the columns whose updates are journaled, `secret` those of them of which only a
    digest is kept, `derived` those that the journal leaves out altogether.
    """

    name: str
    key: str
    changing: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    has_triggers: bool = True

    @property
    def triggers(self) -> tuple[str, ...]:
        """Those that the table has for the journal."""
        if not self.has_triggers:
            return ()
        return TRIGGERS if self.changing else TRIGGERS[:1]


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
        if isinstance(field, models.BinaryField) or field.name in _SECRET_NAMES
    )
    return Journaled(
        meta.db_table,
        str(own.column),
        tuple(columns(model, changing)),
        tuple(columns(model, secret)),
        tuple(columns(model, model.derived)),
        model not in _SELF,
    )


def journaled() -> list[Journaled]:
    """Every table under the journal, by name."""
    found = [_journaled(model) for model in guarded_models() if model not in _SEALS]
    return sorted([*found, Journaled(ADMIN_LOG, "id")], key=lambda table: table.name)


def install(*, using: str = "owner", **_: Any) -> None:
    """Put columns, indexes and triggers in place. Connected to post_migrate; runs as the owner."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        present = set(connection.introspection.table_names(cursor))
        if Act._meta.db_table not in present:
            return
        cursor.execute("SELECT set_config('core.act', 'migrate', true)")
        for table in journaled():
            if table.name in present:
                _put(cursor, table)


def _put(cursor: CursorWrapper, table: Journaled) -> None:
    """What stands in a table that comes under the journal only now is an act of this migration."""
    name = table.name
    cursor.execute(
        "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(%s)"
        " AND attname = %s AND NOT attisdropped)",
        [name, COLUMN],
    )
    if not cursor.fetchone()[0]:
        cursor.execute(f'ALTER TABLE "{name}" ADD COLUMN {COLUMN} bigint NOT NULL DEFAULT {_XID}')
        rows = f'SELECT FROM "{name}" LIMIT 1'
        cursor.execute(f"SELECT journal_note() FROM ({rows}) t WHERE {_FIRST}")
    if not table.has_triggers:
        return
    cursor.execute(f'CREATE INDEX IF NOT EXISTS "{name}_journal" ON "{name}" ({COLUMN})')
    cursor.execute(
        f'CREATE OR REPLACE TRIGGER journal_rows AFTER INSERT ON "{name}"'
        f" FOR EACH STATEMENT WHEN ({_FIRST}) EXECUTE FUNCTION journal_rows()"
    )
    if table.changing:
        names = ", ".join(f'"{column}"' for column in table.changing)
        arguments = f"'{table.key}', '{_array(table.secret)}', '{_array(table.derived)}'"
        cursor.execute(
            f'CREATE OR REPLACE TRIGGER journal_changed AFTER UPDATE OF {names} ON "{name}"'
            f" FOR EACH ROW EXECUTE FUNCTION journal_changed({arguments})"
        )


def _array(names: tuple[str, ...]) -> str:
    return "{" + ",".join(names) + "}"


def unjournaled(cursor: CursorWrapper) -> list[str]:
    """The tables that have not all of the journal's triggers in force, by name."""
    cursor.execute(
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgenabled IN ('O', 'A')"
    )
    present = set(cursor.fetchall())
    return [
        table.name
        for table in journaled()
        if not {(table.name, trigger) for trigger in table.triggers} <= present
    ]
