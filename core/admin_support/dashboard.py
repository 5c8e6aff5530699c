"""What a person sees first: tables that each app fills."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise

Text = str | Promise


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A panel as shown. A cell is text, or HTML marked as safe; `link` leads to the whole list."""

    title: Text
    icon: str
    headers: Sequence[Text]
    rows: Sequence[Sequence[Any]]
    empty: Text
    link: str = ""


Panel = Callable[[HttpRequest], Table | None]
_panels: list[tuple[int, Panel]] = []


def panel(order: int) -> Callable[[Panel], Panel]:
    """Register a panel; it gives None where the person may not look."""

    def enter(made: Panel) -> Panel:
        _panels.append((order, made))
        return made

    return enter


def panels(request: HttpRequest) -> list[Table]:
    made = (each(request) for _, each in sorted(_panels, key=lambda entry: entry[0]))
    return [table for table in made if table is not None]
