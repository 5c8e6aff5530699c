"""After every migrate, every table of the project is under the journal.

Tables get a column with the number of the transaction that wrote the row, which the application
can neither set nor change, and one trigger. Models know nothing of it.
"""

from dataclasses import dataclass
from typing import Any

from django.db import connections, models, transaction
from django.db.backends.utils import CursorWrapper

from core.database.guards import guarded_models
from core.journal.models import Act, Batch, Block, Change, RowForm

COLUMN = "journal_xid"
TRIGGER = "journal"
# What decides the text of a row; as in journal_change().
SESSION = """
SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex';
SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL extra_float_digits = 1
"""
_XID = "pg_current_xact_id()::text::bigint"
_INTEGERS = (models.BigAutoField, models.AutoField, models.BigIntegerField, models.IntegerField)
# The journal's own: acts and changes are entries of it, batches are what it is sealed in.
_SELF = (Act, Change)
_SEALS = (Batch, Block, RowForm)
# What is not to be seen even in the journal: kept there as a digest.
_SECRET_NAMES = frozenset({"password", "pin"})
_ADMIN_LOG = "django_admin_log"


@dataclass(frozen=True, slots=True)
class Journaled:
    """A table under the journal. `key` is its primary key's column, an integer.

    Rows of a table that `changes` are followed state by state, as `Change`; of the others each row
    is itself an entry. `secret` names the columns of which only digests are kept.
    """

    name: str
    key: str
    changes: bool
    secret: tuple[str, ...] = ()
    has_trigger: bool = True


def _journaled(model: Any) -> Journaled:
    meta = model._meta
    key = meta.pk
    while key.remote_field:
        key = key.target_field
    if not isinstance(key, _INTEGERS):
        raise TypeError(f"{meta.label}: the journal names rows by an integer primary key")
    secret = tuple(
        str(field.column)
        for field in meta.concrete_fields
        if isinstance(field, models.BinaryField) or field.name in _SECRET_NAMES
    )
    return Journaled(
        meta.db_table, str(meta.pk.column), bool(model.mutable), secret, model not in _SELF
    )


def journaled() -> list[Journaled]:
    """Every table under the journal, by name."""
    found = [_journaled(model) for model in guarded_models() if model not in _SEALS]
    found.append(Journaled(_ADMIN_LOG, "id", changes=False))
    return sorted(found, key=lambda table: table.name)


def install(*, using: str = "owner", **_: Any) -> None:
    """Put columns, indexes and triggers in place. Connected to post_migrate; runs as the owner."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        present = set(connection.introspection.table_names(cursor))
        if Act._meta.db_table not in present:
            return
        cursor.execute(SESSION)
        cursor.execute("SELECT set_config('core.act', 'migrate', true)")
        for table in journaled():
            if table.name in present:
                _put(cursor, table)


def _put(cursor: CursorWrapper, table: Journaled) -> None:
    cursor.execute(
        "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(%s)"
        " AND attname = %s AND NOT attisdropped)",
        [table.name, COLUMN],
    )
    if not cursor.fetchone()[0]:
        cursor.execute(
            f'ALTER TABLE "{table.name}" ADD COLUMN {COLUMN} bigint NOT NULL DEFAULT {_XID}'
        )
        _found(cursor, table)
    if not table.has_trigger:
        return
    if table.changes:
        arguments = ", ".join(f"'{name}'" for name in (table.key, *table.secret))
        cursor.execute(
            f'CREATE OR REPLACE TRIGGER {TRIGGER} AFTER INSERT OR UPDATE ON "{table.name}"'
            f" FOR EACH ROW EXECUTE FUNCTION journal_change({arguments})"
        )
        return
    cursor.execute(
        f'CREATE INDEX IF NOT EXISTS "{table.name}_{TRIGGER}" ON "{table.name}" ({COLUMN})'
    )
    cursor.execute(
        f'CREATE OR REPLACE TRIGGER {TRIGGER} AFTER INSERT ON "{table.name}"'
        " FOR EACH STATEMENT EXECUTE FUNCTION journal_rows()"
    )


def _found(cursor: CursorWrapper, table: Journaled) -> None:
    """What stood in the table when it came under the journal; only then."""
    cursor.execute(f'SELECT EXISTS (SELECT FROM "{table.name}")')
    if not cursor.fetchone()[0]:
        return
    cursor.execute("SELECT journal_note()")
    if table.changes:
        cursor.execute(
            f"INSERT INTO journal_change ({COLUMN}, relation, row_id, operation, image)"
            f" SELECT {COLUMN}, %s, t.\"{table.key}\", 'found', journal_image(to_jsonb(t), %s)"
            f' FROM "{table.name}" t',
            [table.name, list(table.secret)],
        )
