"""Make the database's functions, triggers and grants follow the code after each migrate.

Functions and views come from each app's `sql/*.sql`. Triggers refuse every change that the model
does not declare, also for the owner of the tables. Grants let the application's role read, insert,
and update the declared columns, and nothing else.
"""

import json
import warnings
from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connections
from django.db.models import Model

from core.database.installing import (
    Catalogue,
    Piece,
    catalogue,
    has_made,
    objects_of,
    put_in_place,
)
from core.database.models import ClockOffset, Guarded
from core.database.sql_files import function_sql

# Tables of Django that hold no money and no history, with the rights of the application on them.
FOREIGN_TABLES = {
    "django_session": "SELECT, INSERT, UPDATE, DELETE",
    "django_content_type": "SELECT",
    "django_migrations": "SELECT",
    "auth_permission": "SELECT",
    "auth_group": "SELECT",
    "auth_group_permissions": "SELECT",
    "django_admin_log": "SELECT, INSERT",
}


# The triggers that every table has, independent of what its model declares.
GUARDS = ("guard_rows", "guard_truncate", "guard_columns")


def guarded_models() -> list[type[Guarded]]:
    """Return every concrete model of the project, in the order of their tables' names."""
    models = [m for m in apps.get_models() if issubclass(m, Guarded) and m._meta.managed]
    return sorted(models, key=lambda model: model._meta.db_table)


def columns(model: type[Model], names: tuple[str, ...]) -> list[str]:
    """Return the columns of the named fields."""
    fields = {field.name: str(field.column) for field in model._meta.concrete_fields}
    return [fields[name] for name in names]


def _of_fixed(model: type[Guarded]) -> str:
    """Return ` OF` with the columns that may not change; nothing where none may.

    An update that names none of them costs nothing then.
    """
    if not model.mutable:
        return ""
    mutable = columns(model, model.mutable)
    fixed = [f.column for f in model._meta.concrete_fields if f.column not in mutable]
    return " OF " + ", ".join(f'"{column}"' for column in fixed)


def column_guard(model: type[Guarded]) -> str:
    """Return the call of the function that refuses changes of the model's other columns."""
    changeable = ", ".join(f"'{column}'" for column in columns(model, model.mutable))
    return f"guard_columns({changeable})" if changeable else "guard_refuse()"


def column_guard_time(model: type[Guarded]) -> str:
    """Return when the guard of columns runs: AFTER where updates of other columns are ordinary.

    For a trigger BEFORE UPDATE, PostgreSQL locks each row that is updated and writes the lock to
    the log, also where the trigger names none of the columns. A table with states has another one.
    """
    return "AFTER" if model.mutable and not model.transitions else "BEFORE"


def trigger_sql(model: type[Guarded]) -> list[str]:
    """Return the statements that put the model's triggers in place. They may be run again."""
    table = model._meta.db_table
    of_rows = f"guard_retired('{model._meta.pk.column}')" if model.retires else "guard_refuse()"
    time = "AFTER" if model.retires else "BEFORE"  # as `column_guard_time` says
    statements = [
        f'CREATE OR REPLACE TRIGGER guard_rows {time} DELETE ON "{table}" '
        f"FOR EACH ROW EXECUTE FUNCTION {of_rows}",
        f'CREATE OR REPLACE TRIGGER guard_truncate BEFORE TRUNCATE ON "{table}" '
        "FOR EACH STATEMENT EXECUTE FUNCTION guard_refuse()",
    ]
    statements.append(
        f"CREATE OR REPLACE TRIGGER guard_columns {column_guard_time(model)} UPDATE"
        f'{_of_fixed(model)} ON "{table}" '
        f"FOR EACH ROW EXECUTE FUNCTION {column_guard(model)}"
    )
    if model.transitions:
        table_of_states = json.dumps(model.transitions)
        statements.append(
            f'CREATE OR REPLACE TRIGGER guard_state BEFORE UPDATE OF state ON "{table}" '
            f"FOR EACH ROW EXECUTE FUNCTION guard_state('{table_of_states}')"
        )
    return statements


def grant_sql(model: type[Guarded], role: str) -> list[str]:
    """Return the statements that grant the application's role its rights on the model's table."""
    table = model._meta.db_table
    statements = [f'REVOKE ALL ON "{table}" FROM {role}', f'GRANT SELECT ON "{table}" TO {role}']
    # In production nobody moves the clock; the owner who does is found at the next start.
    moves_clock = model is ClockOffset and settings.PRODUCTION
    if model.inserted_by_application and not moves_clock:
        names = ", ".join(f'"{field.column}"' for field in model._meta.concrete_fields)
        statements.append(f'GRANT INSERT ({names}) ON "{table}" TO {role}')
    if model.mutable:
        names = ", ".join(f'"{column}"' for column in columns(model, model.mutable))
        statements.append(f'GRANT UPDATE ({names}) ON "{table}" TO {role}')
    return statements


def app_role() -> str | None:
    """Return the application's role, quoted; None where the application connects as the owner."""
    app, owner = settings.DATABASES["default"]["USER"], settings.DATABASES["owner"]["USER"]
    return None if app == owner else f'"{app}"'


def _file_piece(number: int, text: str) -> Piece:
    # A generated procedure must be created again if its generator, in another file, has changed.
    return Piece(f"file {number}", (text,), objects_of(text), always=has_made(text))


def _table_piece(model: type[Guarded], role: str | None) -> Piece:
    table = model._meta.db_table
    names = (*GUARDS, "guard_state") if model.transitions else GUARDS
    rights = grant_sql(model, role) if role else []
    # A changed function may use a new column at once; no right is taken before it has changed.
    added = tuple(statement for statement in rights if statement.startswith("GRANT"))
    objects = (*(f"trigger {table} {name}" for name in names), f"rights {table}")
    return Piece(f"table {table}", (*trigger_sql(model), *rights), objects, beforehand=added)


def _rights_piece(role: str, present: Catalogue, others: Sequence[Piece]) -> Piece:
    """Return the role's rights beside the tables of our models. This piece always runs last."""
    foreign = [name for name in FOREIGN_TABLES if f"rights {name}" in present]
    named = (name.split() for piece in others for name in piece.objects)
    views = [words[1] for words in named if words[0] == "view"]
    return Piece(
        "rights",
        (
            *(f'GRANT {FOREIGN_TABLES[name]} ON "{name}" TO {role}' for name in foreign),
            *(f'GRANT SELECT ON "{view}" TO {role}' for view in views),
            f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role}",
            f"GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO {role}",
            f"GRANT USAGE ON SCHEMA public TO {role}",
        ),
        tuple(f"rights {name}" for name in (*foreign, *views)),
        always=True,
    )


def install_guards(*, using: str = "owner", **_: Any) -> None:
    """Put functions, triggers and grants in place. Connected to post_migrate; runs as the owner."""
    role = app_role()
    connection = connections[using]
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        absent = {model._meta.db_table for model in guarded_models()} - tables
        if absent:  # a partial migrate; verify_server refuses to serve in this state
            warnings.warn(f"guards not installed, no tables {sorted(absent)}", stacklevel=2)
            return
        present = catalogue(cursor)
    pieces = [_file_piece(number, text) for number, text in enumerate(function_sql())]
    pieces += [_table_piece(model, role) for model in guarded_models()]
    if role:
        pieces.append(_rights_piece(role, present, pieces))
    put_in_place(using, "guards", pieces)
