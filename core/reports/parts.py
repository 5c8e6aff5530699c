"""Define the parts of a day file: the events that an app writes into it, and how they are replayed.

Each app lists its parts as `DAY_PARTS` in its `day_parts.py`. An event is a row that was written on
the day, or an act that the services can do again (a settlement, a lapse). Money is never copied;
the replay computes it.
"""

import datetime
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model

from core.contributions import contributed_by_name
from core.kernel.days import day_bounds
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.ledger.services import AccountCode, Line

_NAMESPACE = uuid.UUID("0f0b46b9-7f5c-4c41-a3c4-6f9f0e3c6a55")


@dataclass(frozen=True, slots=True)
class Span:
    """A natural day, its first instant, and the first instant of the next day."""

    day: datetime.date
    since: datetime.datetime
    until: datetime.datetime

    @classmethod
    def of(cls, day: datetime.date) -> "Span":
        return cls(day, *day_bounds(day))


@dataclass(frozen=True, slots=True)
class Event:
    """An event. `row` is inserted as it is, after the rows it refers to. `rows` are inserted with
    it.

    `data` has further arguments of an act. `order` sorts events of one instant.
    """

    at: datetime.datetime
    kind: str
    row: Model | None = None
    rows: tuple[Model, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    order: int = 0


Replay = Callable[[Model | None, Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An app's part of a day file.

    `context` returns the earlier rows that its events need, as they were when the day began.
    `figures` returns the day's results by name, from a database in which the day has happened, the
    original or the replay; an app need not have any.
    """

    name: str
    context: Callable[[Span], Iterable[Model]]
    events: Callable[[Span], Iterable[Event]]
    replays: Mapping[str, Replay]
    figures: Callable[[Span], Iterable[tuple[str, Any]]] = lambda span: ()


def day_parts() -> list[Part]:
    """Return the parts of all apps, in app order. Raises ContributedTwice."""
    return list(contributed_by_name("day_parts", "DAY_PARTS").values())


def replay_of(kind: str) -> Replay | None:
    """Return the function that replays an event; None if inserting its row is enough."""
    for part in day_parts():
        if kind in part.replays:
            return part.replays[kind]
    return None


def nothing(row: Model | None, data: Mapping[str, Any]) -> None:
    """Do nothing: inserting the row of the event is enough."""


def balance_cents(account: AccountCode) -> int:
    """Return the balance of an account at this point of the replay."""
    return ledger.balance_cents(account)


def post(kind: str, row: Model, lines: Iterable[Line]) -> None:
    """Post the transfers of an event that is a row."""
    reference = derived_uuid(_NAMESPACE, f"{kind} {row._meta.label} {row.pk}")
    ledger.post(reference=reference, lines=list(lines))
