"""Read instances of a table by a statement that is written once, where a question is often asked.

Django makes the text of a statement anew for each question, which takes it several times as long as
the rest.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models

M = TypeVar("M", bound=models.Model)
_Converter = Callable[[Any, Any, Any], Any]


def read_rows(model: type[M], condition: str, parameters: Sequence[Any]) -> list[M]:
    """Return the instances for which a condition in SQL is true. An order may follow it."""
    beginning, names, converted = _columns(model)
    link = connections[DEFAULT_DB_ALIAS]
    with link.cursor() as cursor:
        cursor.execute(f"{beginning} WHERE {condition}", parameters)
        rows = cursor.fetchall()
    for place, convert in converted:
        rows = [(*row[:place], convert(row[place], None, link), *row[place + 1 :]) for row in rows]
    return [model.from_db(DEFAULT_DB_ALIAS, names, row) for row in rows]


@cache
def _columns(
    model: type[models.Model],
) -> tuple[str, tuple[str, ...], tuple[tuple[int, _Converter], ...]]:
    """Return the beginning of the statement, the names of its columns, and what converts some."""
    fields = model._meta.concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    converted = (
        (place, field.from_db_value)
        for place, field in enumerate(fields)
        if hasattr(field, "from_db_value")
    )
    names = tuple(field.attname for field in fields)
    return f'SELECT {columns} FROM "{model._meta.db_table}"', names, tuple(converted)
