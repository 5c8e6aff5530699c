"""Define what an app contributes to the administration, and collect it from every app.

Each app with a part in the administration has a module `administration.py` that holds one constant
`ADMINISTRATION`. So core shows the pages of the games and never imports a game.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.functional import Promise

from core.contributions import contributions

Text = str | Promise
Keep = Callable[[Callable[..., Any]], Callable[..., Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """A heading of the side bar with its models. Each model has an icon (Material Symbols)."""

    title: Text
    order: int
    models: Sequence[tuple[type[Model], str]]


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A panel with its data. A cell is text or safe HTML; `link` leads to the list of all the
    rows.
    """

    title: Text
    icon: str
    headers: Sequence[Text]
    rows: Sequence[Sequence[Any]]
    empty: Text
    link: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Panel:
    """A table of the first page. `table` returns None for a person who may not see it."""

    order: int
    table: Callable[[HttpRequest], Table | None]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page that does not show the rows of one table.

    `name` is the name of its address within `admin:`, and `order` its place in the side bar. `urls`
    takes a wrapper that lets only staff in, and returns the addresses with each view wrapped.
    """

    title: Text
    icon: str
    name: str
    order: int
    power: str
    urls: Callable[[Keep], list[URLPattern]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Administration:
    """The part of one app in the administration.

    `kind_titles` name the kinds of two-person acts. `content_readers` show a field of a proposal's
    content that names a row; their order is that in which the subject is looked for. `key_names`
    name the keys of documents and refusals, `code_texts` put the codes of refusals into words, and
    `tones` colour states.
    """

    sections: Sequence[Section] = ()
    panels: Sequence[Panel] = ()
    pages: Sequence[Page] = ()
    kind_titles: Mapping[str, Text] = dataclasses.field(default_factory=dict)
    content_readers: Mapping[str, Callable[[Any], Any]] = dataclasses.field(default_factory=dict)
    key_names: Mapping[str, Text] = dataclasses.field(default_factory=dict)
    code_texts: Mapping[str, Text] = dataclasses.field(default_factory=dict)
    tones: Mapping[str, str] = dataclasses.field(default_factory=dict)


def administrations() -> tuple[Administration, ...]:
    """Return the part of each app, in the order of the apps."""
    return contributions("administration", "ADMINISTRATION")


@cache
def collected(name: str) -> dict[str, Any]:
    """Return one mapping of every app as one. A later app replaces the entry of an earlier one."""
    merged: dict[str, Any] = {}
    for part in administrations():
        merged |= getattr(part, name)
    return merged
