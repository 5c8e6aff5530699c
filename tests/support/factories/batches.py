"""Insert rows of several tables in one round trip to the database, for the factories.

Most of the time of a small test went into the round trips of its factories. The rows are those that
`Model.objects.create` would write, and all triggers and constraints see them.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from django.db import connection, models, transaction
from django.db.models import Field, Model

AnyModel = TypeVar("AnyModel", bound=Model)


one_transaction = transaction.atomic(savepoint=False)
"""Decorate a factory of several statements. In a test's transaction it needs no savepoint."""


class Sql(NamedTuple):
    """An expression that the database computes, with its parameters."""

    text: str
    parameters: tuple[Any, ...] = ()


_PLAIN_FIELDS = (models.CharField, models.BooleanField, models.IntegerField, models.ForeignKey)
_PLAIN_VALUES = frozenset({str, bool, int, type(None)})
NOW = Sql("core_now()")
ALWAYS = Sql("true")


class Batch:
    """Rows in the order of insertion. `run` inserts them and completes their instances."""

    def __init__(self) -> None:
        self._statements: list[str] = []
        self._afterwards: list[str] = []
        self._parameters_afterwards: list[Any] = []
        self._parameters: list[Any] = []
        self._awaited: list[tuple[Model, Sequence[str], dict[str, Model]]] = []

    def add(self, model: type[AnyModel], *, only_if: Sql = ALWAYS, **values: Any) -> AnyModel:
        """Add a row. Return its instance, whose key and computed values come with `run`.

        A value may be Sql, or the row of its table that was added last. The row is not inserted
        where `only_if` is false.
        """
        before = {k: v for k, v in values.items() if isinstance(v, Model) and v.pk is None}
        computed = {name: value for name, value in values.items() if isinstance(value, Sql)}
        row = model(**{name: value for name, value in values.items() if name not in computed})
        computed |= {name: self._newest(related) for name, related in before.items()}
        columns, returned = [], ["id"]
        for field, is_plain in _fields(model):
            value = computed.get(field.attname) or computed.get(field.name)
            if value is None:
                columns.append("%s")
                raw = getattr(row, field.attname) if is_plain else field.pre_save(row, add=True)
                if not is_plain or type(raw) not in _PLAIN_VALUES:
                    raw = field.get_db_prep_save(raw, connection)
                self._parameters.append(raw)
            else:
                columns.append(value.text)
                self._parameters.extend(value.parameters)
                returned.append(field.attname)
        self._parameters.extend(only_if.parameters)
        self._statements.append(
            f"{_insert(model)} SELECT {', '.join(columns)} WHERE {only_if.text}"
            f" RETURNING {', '.join(returned)}"
        )
        self._awaited.append((row, returned, before))
        return row

    def then(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement that returns nothing after all rows."""
        self._afterwards.append(statement)
        self._parameters_afterwards.extend(parameters)

    def _newest(self, row: Model) -> Sql:
        """Return the id of the row inserted last in a table, which is that of `row`."""
        assert row is next(r for r, _, _ in reversed(self._awaited) if type(r) is type(row))
        return Sql(f"currval(pg_get_serial_sequence('{row._meta.db_table}', 'id'))")

    def run(self) -> bool:
        """Insert all rows. Return whether each was inserted, as its condition was true."""
        with connection.cursor() as cursor:
            cursor.execute(
                "; ".join(self._statements + self._afterwards),
                self._parameters + self._parameters_afterwards,
            )
            for row, names, before in self._awaited:
                values = cursor.fetchone()
                if values is None:
                    return False
                for name, value in zip(names, values, strict=True):
                    setattr(row, name, value)
                for name, related in before.items():
                    setattr(row, name, related)
                row._state.adding, row._state.db = False, "default"
                cursor.nextset()
        return True


@lru_cache(maxsize=64)
def _fields(model: type[Model]) -> "list[tuple[Field[Any, Any], bool]]":
    """Return the fields, and of each whether the database takes its plain values as they are."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    return [(field, isinstance(field, _PLAIN_FIELDS)) for field in fields]


@lru_cache(maxsize=64)
def _insert(model: type[Model]) -> str:
    columns = ", ".join(f'"{field.column}"' for field, _ in _fields(model))
    return f'INSERT INTO "{model._meta.db_table}" ({columns})'
