"""Share what a page has read of its races with the acts of that page."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property

from core.staff import two_persons
from core.staff.models import Proposal
from lototrot.models.contest import Contest
from lototrot.selectors.races import RaceRecord, race_records


class _Races:
    """Some races. What is asked about one of them is read once, for all of them."""

    def __init__(self, race_ids: Collection[int]) -> None:
        self.race_ids = list(race_ids)

    @cached_property
    def records(self) -> dict[int, RaceRecord]:
        return race_records(self.race_ids)

    @cached_property
    def proposals(self) -> dict[tuple[str, str], Proposal]:
        return two_persons.all_pending(_subject(race) for race in self.race_ids)

    @cached_property
    def contests(self) -> list[tuple[int, str, int | None]]:
        """Each race with the state and the payment order of each contest on it."""
        rows = Contest.objects.filter(legs__race__in=self.race_ids)
        return list(rows.values_list("legs__race_id", "state", "payment_order"))


_read: ContextVar[_Races | None] = ContextVar("races", default=None)


@contextmanager
def reading(*records: RaceRecord) -> Iterator[None]:
    """Make the functions below answer with these records, and ask the rest about their races once.
    Services read their own, under their locks.
    """
    races = _Races([record.race_id for record in records])
    races.records = {record.race_id: record for record in records}
    token = _read.set(races)
    try:
        yield
    finally:
        _read.reset(token)


def _races(*race_ids: int) -> _Races:
    """Return what `reading` holds if it has all these races, else only these."""
    held = _read.get()
    return held if held and set(race_ids).issubset(held.race_ids) else _Races(race_ids)


def _subject(race_id: int) -> str:
    return f"race:{race_id}"


def record_of(race_id: int) -> RaceRecord:
    return _races(race_id).records[race_id]


def records_of(race_ids: Collection[int]) -> dict[int, RaceRecord]:
    records = _races(*race_ids).records
    return {race: records[race] for race in race_ids}


def is_proposed(kind: two_persons.Kind, race_id: int) -> bool:
    """Return whether an act on the race waits for its second person, and can be confirmed."""
    return (kind.name, _subject(race_id)) in _races(race_id).proposals


def is_selling(race_id: int) -> bool:
    """Return whether a contest on the race is not closed yet."""
    contests = _races(race_id).contests
    return any(race == race_id and state in Contest.UNCLOSED for race, state, _ in contests)


def is_ordered(race_id: int) -> bool:
    """Return whether the payment of a contest on the race is ordered."""
    return any(race == race_id and order is not None for race, _, order in _races(race_id).contests)
