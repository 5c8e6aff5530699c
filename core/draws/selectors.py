"""Draws as everybody may look at them: how far each has come, and what is published of it."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, F, QuerySet, When

from core.draws import documents
from core.draws.models import (
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

_PARTS = ("field", "commitment", "outcome", "certificate", "call_off")


@dataclass(frozen=True, slots=True)
class DrawCard:
    """A draw with everything on record of it.

    `entries` is what is in it, once that is fixed, unless it is too much to show. `log` has the
    numbers of its entries in the public log, by kind.
    """

    draw: Draw
    announcement: Announcement
    attendances: tuple[Attendance, ...]
    field: DrawField | None
    commitment: Commitment | None
    outcome: Outcome | None
    certificate: DrawCertificate | None
    call_off: CallOff | None
    entries: list[str] | None
    log: dict[str, int]

    @property
    def late(self) -> bool | None:
        """Whether it took place after its limit; None while it has not."""
        if self.outcome is None:
            return None
        return self.draw.due_at is not None and self.outcome.drawn_at > self.draw.due_at


def draws_list(*, kind: str = "", subject: str = "", state: str = "") -> QuerySet[Draw]:
    """Draws, made to be read in pages and given to `draw_cards`."""
    wanted = {"kind": kind, "subject": subject, "state": state}
    rows = Draw.objects.filter(**{name: value for name, value in wanted.items() if value})
    few = When(field__size__lte=documents.MOST_INLINE, then=F("field__entries"))
    with_parts = rows.select_related(*_PARTS).defer("field__entries")
    return with_parts.prefetch_related("announcements", "attendances__inspector").annotate(
        entries_shown=Case(few)
    )


def draw_cards(draws: Iterable[Draw]) -> list[DrawCard]:
    """The cards of draws that `draws_list` gave."""
    found = list(draws)
    log: dict[str, dict[str, int]] = {}
    entries = LogEntry.objects.filter(
        kind__startswith="draws.", subject__in=[str(draw.uuid) for draw in found]
    )
    for kind, subject, sequence in entries.values_list("kind", "subject", "sequence"):
        log.setdefault(subject, {})[kind] = sequence
    return [_card(draw, log.get(str(draw.uuid), {})) for draw in found]


def _card(draw: Draw, log: dict[str, int]) -> DrawCard:
    part: Any = {name: getattr(draw, name, None) for name in _PARTS}
    shown: Any = draw
    return DrawCard(
        draw=draw,
        announcement=max(draw.announcements.all(), key=lambda each: each.pk),
        attendances=tuple(sorted(draw.attendances.all(), key=lambda each: each.pk)),
        entries=shown.entries_shown,
        log=log,
        **part,
    )


def draw_card(ident: uuid.UUID) -> DrawCard:
    """One draw. Raises DrawUnknown."""
    found = draw_cards(draws_list().filter(uuid=ident))
    if not found:
        raise DrawUnknown
    return found[0]
