"""Read public draws as everyone may see them: their state, and what is published about each."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, F, QuerySet, When

from core.draws import documents
from core.draws.models import (
    Abandonment,
    Announcement,
    Attendance,
    CallOff,
    Commitment,
    Draw,
    DrawCertificate,
    DrawField,
    Outcome,
)
from core.draws.services import DrawUnknown
from core.proofs.models import LogEntry

_PARTS = ("field", "commitment", "outcome", "certificate", "call_off", "abandonment")


@dataclass(frozen=True, slots=True)
class DrawCard:
    """A draw with all its records.

    `entries` is the field once it is fixed, None if it is too long to show. `log` has the numbers
    of the draw's entries in the public log, by kind.
    """

    draw: Draw
    announcement: Announcement
    attendances: tuple[Attendance, ...]
    field: DrawField | None
    commitment: Commitment | None
    outcome: Outcome | None
    certificate: DrawCertificate | None
    call_off: CallOff | None
    abandonment: Abandonment | None
    entries: list[str] | None
    log: dict[str, int]

    @property
    def late(self) -> bool | None:
        """Return whether the draw took place after its limit; None before it takes place."""
        if self.outcome is None:
            return None
        return self.draw.due_at is not None and self.outcome.drawn_at > self.draw.due_at


def draws_list(*, kind: str = "", subject: str = "", state: str = "") -> QuerySet[Draw]:
    """Return draws, to be read in pages and given to `draw_cards`."""
    filters = {"kind": kind, "subject": subject, "state": state}
    rows = Draw.objects.filter(**{name: value for name, value in filters.items() if value})
    if_short = When(field__size__lte=documents.MOST_INLINE, then=F("field__entries"))
    with_parts = rows.select_related(*_PARTS).defer("field__entries")
    draws = with_parts.prefetch_related("announcements__elsewhere", "attendances__inspector")
    return draws.annotate(entries_shown=Case(if_short))


def draw_cards(draws: Iterable[Draw]) -> list[DrawCard]:
    """Return the cards of draws that `draws_list` returned."""
    rows = list(draws)
    log: dict[str, dict[str, int]] = {}
    entries = LogEntry.objects.filter(
        kind__startswith="draws.", subject__in=[str(draw.uuid) for draw in rows]
    )
    for kind, subject, sequence in entries.values_list("kind", "subject", "sequence"):
        log.setdefault(subject, {})[kind] = sequence
    return [_card(draw, log.get(str(draw.uuid), {})) for draw in rows]


def _card(draw: Draw, log: dict[str, int]) -> DrawCard:
    parts: Any = {name: getattr(draw, name, None) for name in _PARTS}
    annotated: Any = draw
    return DrawCard(
        draw=draw,
        announcement=max(draw.announcements.all(), key=lambda row: row.pk),
        attendances=tuple(sorted(draw.attendances.all(), key=lambda row: row.pk)),
        entries=annotated.entries_shown,
        log=log,
        **parts,
    )


def draw_card(ident: uuid.UUID) -> DrawCard:
    """Return the card of one draw. Raises DrawUnknown."""
    cards = draw_cards(draws_list().filter(uuid=ident))
    if not cards:
        raise DrawUnknown
    return cards[0]
