"""Define alarms. Each app lists its alarms as `ALARMS` in its `alarms.py`.

An alarm is a question to the database: which things wait for a person now? Nothing is stored and
nothing is switched off by hand: a row is there until what it names has been dealt with. The rows
are read at every scrape of the metrics and for every first page, so a function that returns them
makes one or two queries on few rows.
"""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db.models import Model
from django.utils.functional import Promise

from core.contributions import contributed_by_name


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """One thing that waits for a person: `subject` is a stored row, or its name in words.

    `days_left` is the number of days in which it can still be dealt with without harm to anybody:
    0 on the last one, negative afterwards, None if no period runs. `words` say what is wrong, in
    the language of the reader.
    """

    subject: Model | str
    since: datetime.datetime
    days_left: int | None = None
    words: str | Promise = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """An alarm. `code` is stable. `power` is the power of the act that deals with it: its holders
    are shown the rows. While an `immediate` alarm stands, players cannot bet or bets are at risk:
    its rows come before all others.
    """

    code: str
    title: str | Promise
    power: str
    rows: Callable[[], Sequence[AlarmRow]]
    immediate: bool = False


def all_alarms() -> tuple[Alarm, ...]:
    """Return the alarms of all apps, in app order. Raises ContributedTwice."""
    return tuple(contributed_by_name("alarms", "ALARMS", "code").values())
