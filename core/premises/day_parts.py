"""Contribute to day files the rights to sell as they were, and the day's resolutions [E10]."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Model

from core.premises.models import Authorisation, Resolution, Terminal
from core.reports.parts import Event, Part, Span

Effect = Resolution.Effect


def context(span: Span) -> Iterator[Model]:
    """Yield the authorisations and terminals that later resolutions ended, as they were before."""
    later = Resolution.objects.filter(entered_at__gte=span.since).order_by("-pk")
    ended: dict[int, Authorisation] = {}
    revoked: dict[int, Terminal] = {}
    for row in later.select_related("authorisation", "terminal"):
        if row.effect == Effect.ENDED and row.authorisation:
            row.authorisation.valid_until = row.replaced_at
            ended[row.authorisation.pk] = row.authorisation
        if row.effect == Effect.REVOKED and row.terminal:
            row.terminal.revoked_at = row.replaced_at
            revoked[row.terminal.pk] = row.terminal
    yield from ended.values()
    yield from revoked.values()


def events(span: Span) -> Iterator[Event]:
    """Yield the resolutions entered on the day."""
    entered = Resolution.objects.filter(entered_at__gte=span.since, entered_at__lt=span.until)
    for row in entered.order_by("pk"):
        yield Event(row.entered_at, "premises.resolution", row)


def _entered(row: Any, data: Mapping[str, Any]) -> None:
    """Replay a resolution: the right ends as of its instant."""
    if row.effect == Effect.ENDED:
        ended = Authorisation.objects.filter(pk=row.authorisation_id)
        ended.update(valid_until=row.effective_at)
    if row.effect == Effect.REVOKED:
        Terminal.objects.filter(pk=row.terminal_id).update(revoked_at=row.effective_at)


DAY_PARTS: tuple[Part, ...] = (
    Part(
        name="premises",
        context=context,
        events=events,
        replays={"premises.resolution": _entered},
    ),
)
