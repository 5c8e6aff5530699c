"""Keep the rows of a statement of account without the names of their columns."""

from collections.abc import Sequence
from typing import Any

from django.db import models


class RowsField(models.JSONField):
    """A list of objects that have the same keys, kept as lists of their values.

    `columns` are the keys, in the order in which the values are kept. The keys of three lines are a
    third of a statement, and there is one for each of the premises every week.
    """

    def __init__(self, *arguments: Any, columns: Sequence[str] = (), **options: Any) -> None:
        self.columns = tuple(columns)
        super().__init__(*arguments, **options)

    def deconstruct(self) -> Any:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "columns": self.columns}

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        """Raises KeyError for a row without a column, ValueError for one with another key."""
        if isinstance(value, list):
            value = [self._values(row) for row in value]
        return super().get_db_prep_value(value, connection, prepared)

    def _values(self, row: dict[str, Any]) -> list[Any]:
        if len(row) > len(self.columns):
            raise ValueError(f"{self.name}: a row has other columns than {self.columns}")
        return [row[column] for column in self.columns]

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        rows = super().from_db_value(value, expression, connection)
        if not isinstance(rows, list):
            return rows
        return [dict(zip(self.columns, row, strict=True)) for row in rows]
