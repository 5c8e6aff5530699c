"""Read the rows that many texts are about by one statement for each table, not one for each text.

A list asks for its texts by `in_batch`. A text reads each of its rows by `rows_by` or `row_by`. The
first one that is not read yet ends the text; once all texts have ended, what they lack is read
together, and those texts are made again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model

T = TypeVar("T")
R = TypeVar("R")
M = TypeVar("M", bound=Model)
Question = tuple[type[Model], str, tuple[str, ...]]


class _NotRead(Exception):
    """Ends a text whose row is not read yet."""


class _Batch:
    def __init__(self) -> None:
        self.rows: dict[Question, dict[Any, list[Any]]] = defaultdict(dict)
        self.lacking: dict[Question, set[Any]] = defaultdict(set)

    def take(self, question: Question, values: Sequence[Any]) -> dict[Any, list[Any]]:
        rows = self.rows[question]
        lacking = [value for value in values if value not in rows]
        if lacking:
            self.lacking[question].update(lacking)
            raise _NotRead
        return {value: rows[value] for value in values}

    def read(self) -> None:
        """Read what is lacking, by one statement for each question."""
        for question, values in self.lacking.items():
            self.rows[question] |= _asked(question, values)
        self.lacking.clear()


_batch: ContextVar[_Batch | None] = ContextVar("batch", default=None)


def in_batch(tell: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return what `tell` returns for each item, with the rows of all items read together.

    `tell` only reads, as it may be called several times, and lets exceptions pass.
    """
    batch, results = _Batch(), dict[int, R]()
    token = _batch.set(batch)
    try:
        while len(results) < len(items):
            for at, item in enumerate(items):
                if at not in results:
                    try:
                        results[at] = tell(item)
                    except _NotRead:
                        continue
            batch.read()
    finally:
        _batch.reset(token)
    return [results[at] for at in range(len(items))]


def rows_by(model: type[M], field: str, value: Any, *related: str) -> list[M]:
    """Return the rows whose field has a value, by their keys, with the rows that are `related`.

    Raises ValidationError for a value that the field cannot have.
    """
    (rows,) = rows_of_each(model, field, [value], *related).values()
    return rows


def rows_of_each(
    model: type[M], field: str, values: Sequence[Any], *related: str
) -> dict[Any, list[M]]:
    """Return the rows of each value of a field. Raises as `rows_by`."""
    question: Question = (model, field, related)
    keys = [_field(question).to_python(value) for value in values]
    batch = _batch.get()
    return batch.take(question, keys) if batch else _asked(question, keys)


def row_by(model: type[M], field: str, value: Any, *related: str) -> M | None:
    """Return the only row whose field has a value, or None. Raises as `rows_by`."""
    return next(iter(rows_by(model, field, value, *related)), None)


def the(row: M | None) -> M:
    """Return a row that has to be there. Raises ObjectDoesNotExist for None."""
    if row is None:
        raise ObjectDoesNotExist
    return row


def _field(question: Question) -> Any:
    meta = question[0]._meta
    return meta.pk if question[1] == "pk" else meta.get_field(question[1])


def _asked(question: Question, values: Iterable[Any]) -> dict[Any, list[Any]]:
    model, field, related = question
    by_value: dict[Any, list[Any]] = {value: [] for value in values}
    rows = model._default_manager.filter(**{f"{field}__in": [*by_value]}).order_by("pk")
    name = _field(question).attname
    for row in rows.select_related(*related) if related else rows:
        by_value[getattr(row, name)].append(row)
    return by_value
