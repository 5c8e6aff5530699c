"""Share the records of races that a page has read with the acts of that page."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from lototrot.selectors.races import RaceRecord, race_record

_NONE: Mapping[int, RaceRecord] = MappingProxyType({})
_read: ContextVar[Mapping[int, RaceRecord]] = ContextVar("race_records", default=_NONE)


@contextmanager
def reading(*records: RaceRecord) -> Iterator[None]:
    """Make `record_of` answer with these records. Services read their own, under their locks."""
    token = _read.set({record.race_id: record for record in records})
    try:
        yield
    finally:
        _read.reset(token)


def record_of(race_id: int) -> RaceRecord:
    """Return the record of a race: the one that `reading` holds, else the one on record now."""
    return _read.get().get(race_id) or race_record(race_id)
