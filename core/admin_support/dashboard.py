"""Show the tables of the first page that a person sees."""

from django.http import HttpRequest

from core.admin_support.contents import Table, administrations


def panels(request: HttpRequest) -> list[Table]:
    """Return the tables of every app that the person may see, in order."""
    all_panels = [panel for part in administrations() for panel in part.panels]
    tables = (panel.table(request) for panel in sorted(all_panels, key=lambda panel: panel.order))
    return [table for table in tables if table is not None]
