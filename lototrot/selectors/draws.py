"""The public draws of races, as far as each has come (14.III.5.4.2 to 5.4.4)."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, OuterRef, QuerySet, Subquery

from core.database import clock
from core.draws.models import Announcement, Draw
from core.draws.selectors import draws_list

KIND = "lototrot.race"
TOLD_FOR = timedelta(days=7)
MOST_TOLD = 20
_PREFIX = "race:"


@dataclass(frozen=True, slots=True)
class CertifiedDraw:
    """What a certified draw gave a race; `certified_at` is when its result was established [D2]."""

    number: int
    certified_at: datetime


@dataclass(frozen=True, slots=True)
class RaceDraw:
    """The draw of a race that stands. `order` is empty until it has taken place."""

    ident: uuid.UUID
    state: Draw.State
    due_at: datetime | None
    place: str
    order: tuple[int, ...]
    certified_at: datetime | None

    @property
    def begun(self) -> bool:
        """Whether its field is fixed: from then on nothing that makes it may change."""
        return self.state != Draw.State.ANNOUNCED

    @property
    def certified(self) -> CertifiedDraw | None:
        if self.certified_at is None:
            return None
        return CertifiedDraw(self.order[0], self.certified_at)


def draws_told() -> QuerySet[Draw]:
    """The draws of races that players are still to be told of: those coming, and of late."""
    since = clock.now() - TOLD_FOR
    recent = draws_list(kind=KIND).filter(declared_at__gte=since)
    return recent.exclude(state=Draw.State.CALLED_OFF).order_by("-pk")[:MOST_TOLD]


def subject_of(race_id: int) -> str:
    """How the draws know a race."""
    return f"{_PREFIX}{race_id}"


def race_of(subject: str) -> int:
    """The race that a draw is about."""
    return int(subject.removeprefix(_PREFIX))


def race_draws(race_ids: Collection[int]) -> dict[int, RaceDraw]:
    """The draws, by race, of those of the races that have one."""
    standing = Draw.objects.filter(kind=KIND, subject__in=[subject_of(r) for r in race_ids])
    told = Announcement.objects.filter(draw=OuterRef("pk")).order_by("-pk").values("place")[:1]
    rows = standing.exclude(state=Draw.State.CALLED_OFF).values_list(
        "subject",
        "uuid",
        "state",
        "due_at",
        Subquery(told),
        F("outcome__order"),
        F("certificate__certified_at"),
    )
    return {
        race_of(subject): RaceDraw(
            ident,
            Draw.State(state),
            due_at,
            place or "",
            tuple(map(int, order or ())),
            certified_at,
        )
        for subject, ident, state, due_at, place, order, certified_at in rows
    }
