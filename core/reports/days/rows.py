"""Write rows as JSON and read them back, each after the rows it refers to, for day files.

The file has nothing that opens anything: passwords, PINs, secrets and digests of tokens and codes
are replaced by values of the same form.
"""

import datetime
import hashlib
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Model

from core.database.models import SECRET_FIELDS
from core.staff.models import Decision, Proposal

Document = dict[str, Any]
Key = tuple[str, Any]
_BLANK_BYTES = frozenset(
    {
        "token_digest",
        "next_token_digest",
        "code_digest",
        "code_secret",
        "secret",
        "encrypted",
        "encrypted_seed",
    }
)


def key_of(row: Model) -> Key:
    return row._meta.label_lower, row.pk


def document(row: Model) -> Document:
    """Return a row as its model's label and its columns."""
    fields = {field.attname: _out(row, field) for field in row._meta.concrete_fields}
    return {"model": row._meta.label_lower, "fields": fields}


def _out(row: Model, field: "models.Field[Any, Any]") -> Any:
    value = getattr(row, field.attname)
    if value is None:
        return None
    if field.name in SECRET_FIELDS:
        return "!"
    if isinstance(value, bytes | memoryview):
        content = bytes(value)
        if field.name in _BLANK_BYTES:
            blank = hashlib.sha256(f"{row._meta.label}:{row.pk}".encode()).digest()
            content = blank[: len(content)]
        return {"hex": content.hex()}
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return {"seconds": value.total_seconds()}
    return str(value) if isinstance(value, uuid.UUID) else value


def row_of(written: Document) -> Model:
    """Return the row of a document, not saved yet."""
    model = apps.get_model(written["model"])
    values = {}
    for field in model._meta.concrete_fields:
        value = written["fields"][field.attname]
        if isinstance(value, dict) and isinstance(field, models.BinaryField):
            value = bytes.fromhex(value["hex"])
        elif isinstance(value, dict) and isinstance(field, models.DurationField):
            value = datetime.timedelta(seconds=value["seconds"])
        elif isinstance(field, models.DateTimeField | models.DateField | models.UUIDField):
            value = field.to_python(value)
        values[field.attname] = value
    row: Model = model(**values)
    return row


def insert(row: Model) -> Model:
    """Insert the row as it is, under its own key, without the changes that `save` would make."""
    row.save_base(raw=True, force_insert=True)
    return row


class Carried:
    """The rows written so far, so that each is written once and after those it refers to."""

    def __init__(self) -> None:
        self._keys: set[Key] = set()

    def record(self, model: type[Model], pk: Any) -> None:
        """Record a row that the reader has from elsewhere."""
        self._keys.add((model._meta.label_lower, pk))

    def after_theirs(self, rows: Iterable[Model]) -> Iterator[Model]:
        """Yield the rows not written yet, each after the rows it refers to."""
        for row in rows:
            yield from self._one(row)

    def _one(self, row: Model) -> Iterator[Model]:
        key = key_of(row)
        if key in self._keys:
            return
        self._keys.add(key)
        for field in row._meta.concrete_fields:
            if not isinstance(field, models.ForeignKey) or getattr(row, field.attname) is None:
                continue
            target = field.related_model
            if isinstance(target, type) and self._missing(target, getattr(row, field.attname)):
                yield from self._one(getattr(row, field.name))
        yield row
        if isinstance(row, Proposal):
            decision = Decision.objects.filter(proposal=row).first()
            if decision is not None:
                yield from self._one(decision)

    def _missing(self, model: type[Model], pk: Any) -> bool:
        return (model._meta.label_lower, pk) not in self._keys
