"""Keep the rows of a statement of account without the names of their columns."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import models
from psycopg.types.json import Json

_compact = partial(json.dumps, separators=(",", ":"))


class RowsField(models.JSONField):
    """A list of objects that have the same keys, kept as lists of their values.

    `columns` are the keys, in the order in which the values are kept. The keys of three lines are a
    third of a statement, and there is one for each of the premises every week. So the column has
    the type `json`, which is the text: of such short lists `jsonb` takes nearly twice as much.
    """

    def __init__(self, *arguments: Any, columns: Sequence[str] = (), **options: Any) -> None:
        self.columns = tuple(columns)
        super().__init__(*arguments, **options)

    def deconstruct(self) -> Any:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "columns": self.columns}

    def db_type(self, connection: Any) -> str:
        return "json"

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        """Raises KeyError for a row without a column, ValueError for one with another key."""
        if isinstance(value, list):
            return Json([self._values(row) for row in value], dumps=_compact)
        return super().get_db_prep_value(value, connection, prepared)

    def _values(self, row: dict[str, Any]) -> list[Any]:
        if len(row) > len(self.columns):
            raise ValueError(f"{self.name}: a row has other columns than {self.columns}")
        return [row[column] for column in self.columns]

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [dict(zip(self.columns, row, strict=True)) for row in value]
