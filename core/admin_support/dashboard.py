"""Show *Today*: first the work that waits for this person, then figures, then tables, folded."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, JsonResponse

from core.admin_support.columns import moment
from core.admin_support.contents import Figure, Place, Table, Waiting, administrations


def panels(request: HttpRequest, place: Place | None = None) -> list[Table]:
    """Return the tables of every app, or of a place, that the person may see, in order."""
    all_panels = [panel for part in administrations() for panel in part.panels]
    of_place = [panel for panel in all_panels if place is None or panel.place is place]
    tables = (panel.table(request) for panel in sorted(of_place, key=lambda panel: panel.order))
    return [table for table in tables if table is not None]


def waiting(request: HttpRequest) -> list[Waiting]:
    """Return the work that waits for the person: immediate work, then by the fewest days left."""
    rows = [row for part in administrations() if part.waiting for row in part.waiting(request)]
    return sorted(rows, key=_urgency)


def _urgency(row: Waiting) -> tuple[bool, bool, int, float]:
    left = row.days_left
    return not row.immediate, left is None, left or 0, row.since.timestamp()


def work(rows: Iterable[Waiting]) -> list[dict[str, Any]]:
    """Return the waiting work by title: several of one title are folded on the page."""
    groups: dict[str, list[Waiting]] = {}
    for row in rows:
        groups.setdefault(str(row.title), []).append(row)
    return [
        {
            "title": title,
            "immediate": any(row.immediate for row in rows),
            "opens": rows[0].opens,
            "rows": [(row, moment(row.since)) for row in rows],
        }
        for title, rows in groups.items()
    ]


def figures(request: HttpRequest) -> list[Figure]:
    """Return the figures of every app that the person may see, in the order of the apps."""
    return [
        figure for part in administrations() if part.figures for figure in part.figures(request)
    ]


def count(request: HttpRequest) -> JsonResponse:
    """Answer how many things wait for the person; every page shows it beside *Today*."""
    response = JsonResponse({"waiting": len(waiting(request))})
    response["Cache-Control"] = "no-store"
    return response


def today(request: HttpRequest) -> dict[str, Any]:
    """Return the content of the first page for this person."""
    rows = waiting(request)
    return {
        "work": work(rows),
        "waiting": len(rows),
        "figures": figures(request),
        "panels": panels(request),
    }
