"""Read the SQL functions of the apps, with the names of locks replaced by their numbers."""

import re
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps

from core.database.locks import Lock

_LOCK = re.compile(r"\{lock\.([a-z]+)\}")


def fill_locks(text: str) -> str:
    """Replace each `{lock.name}` by that lock's number. Raises KeyError for an unknown name."""
    return _LOCK.sub(lambda match: str(Lock[match[1].upper()].value), text)


def read_sql(path: Path) -> str:
    """Return an SQL file as PostgreSQL runs it."""
    return fill_locks(path.read_text())


def function_sql() -> Iterator[str]:
    """Yield the project's SQL functions, file by file, in the order of the installed apps."""
    for config in apps.get_app_configs():
        for path in sorted(Path(config.path, "sql").glob("*.sql")):
            yield read_sql(path)
