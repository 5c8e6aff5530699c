"""Return the public draws of races and their stage (14.III.5.4.2 to 14.III.5.4.4)."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, OuterRef, QuerySet, Subquery

from core.database import clock
from core.draws.balls import balls_wait
from core.draws.models import Announcement, Draw
from core.draws.selectors import draws_list

KIND = "lototrot.race"
TOLD_FOR = timedelta(days=7)
MOST_TOLD = 20
_PREFIX = "race:"


@dataclass(frozen=True, slots=True)
class CertifiedDraw:
    """The certified result of a race's draw.

    `certified_at` is when the result was established [D2].
    """

    number: int
    certified_at: datetime


@dataclass(frozen=True, slots=True)
class RaceDraw:
    """The draw of a race that is in force. `order` is empty until the draw takes place.

    `balls_wait` says that balls were drawn by hand and wait for the inspector. `withdrawn` are the
    numbers that were withdrawn in time when the field was fixed; None until then.
    """

    ident: uuid.UUID
    state: Draw.State
    due_at: datetime | None
    place: str
    balls_wait: bool
    withdrawn: frozenset[int] | None
    order: tuple[int, ...]
    certified_at: datetime | None

    @property
    def begun(self) -> bool:
        """Return whether the field of the draw is fixed, or balls wait that were drawn from it.

        Afterwards no fact behind the field may change.
        """
        return self.state != Draw.State.ANNOUNCED or self.balls_wait

    @property
    def certified(self) -> CertifiedDraw | None:
        if self.certified_at is None:
            return None
        return CertifiedDraw(self.order[0], self.certified_at)


def draws_told() -> QuerySet[Draw]:
    """Return the draws that players are told about: those to come, and the recent ones."""
    since = clock.now() - TOLD_FOR
    recent = draws_list(kind=KIND).filter(declared_at__gte=since)
    return recent.exclude(state__in=Draw.FALLEN).order_by("-pk")[:MOST_TOLD]


def subject_of(race_id: int) -> str:
    """Return the subject under which `core.draws` stores the draw of a race."""
    return f"{_PREFIX}{race_id}"


def race_of(subject: str) -> int:
    """Return the id of the race that a draw is about."""
    return int(subject.removeprefix(_PREFIX))


def race_draws(race_ids: Collection[int]) -> dict[int, RaceDraw]:
    """Return the draws of the given races, by race id. Races without a draw are left out."""
    standing = Draw.objects.filter(kind=KIND, subject__in=[subject_of(r) for r in race_ids])
    newest_place = (
        Announcement.objects.filter(draw=OuterRef("pk")).order_by("-pk").values("place")[:1]
    )
    rows = standing.exclude(state__in=Draw.FALLEN).values_list(
        "subject",
        "uuid",
        "state",
        "due_at",
        Subquery(newest_place),
        balls_wait(),
        F("field__facts__withdrawn"),
        F("outcome__order"),
        F("certificate__certified_at"),
    )
    return {
        race_of(subject): RaceDraw(
            ident,
            Draw.State(state),
            due_at,
            place or "",
            waits,
            None if withdrawn is None else frozenset(withdrawn),
            tuple(map(int, order or ())),
            certified_at,
        )
        for subject, ident, state, due_at, place, waits, withdrawn, order, certified_at in rows
    }
