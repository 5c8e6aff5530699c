"""Read the rows of the alarms as they are now."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.alarms.kinds import Alarm, AlarmRow, all_alarms
from core.database.reading.once import one_reading
from core.staff.actor import StaffActor


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of an alarm, with its alarm."""

    alarm: Alarm
    row: AlarmRow


def standing(alarms: tuple[Alarm, ...] | None = None) -> list[Standing]:
    """Return the rows of the alarms (default: all): first the immediate ones, then those with the
    fewest days left, then the oldest.
    """
    with one_reading():
        rows = [Standing(alarm, row) for alarm in alarms or all_alarms() for row in alarm.rows()]
    return sorted(rows, key=_urgency)


def standing_for(by: StaffActor) -> list[Standing] | None:
    """Return the rows of the alarms on which the person can act; None if there is no such alarm."""
    own = tuple(_alarms_of(by))
    return standing(own) if own else None


def _alarms_of(by: StaffActor) -> Iterator[Alarm]:
    return (alarm for alarm in all_alarms() if by.may(alarm.power))


def _urgency(waiting: Standing) -> tuple[bool, bool, int, float]:
    left = waiting.row.days_left
    return not waiting.alarm.immediate, left is None, left or 0, waiting.row.since.timestamp()
