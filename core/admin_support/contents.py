"""Define what an app contributes to the administration, and collect it from every app.

Each app with a part in the administration has a module `administration.py` that holds one constant
`ADMINISTRATION`. So core shows the pages of the games and never imports a game.
"""

import dataclasses
import datetime
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.db.models import Model, TextChoices
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.contributions import contributions

Text = str | Promise
Keep = Callable[[Callable[..., Any]], Callable[..., Any]]


class Place(TextChoices):
    """The places of the side bar besides *Today* and *Records*, in order: one for each job."""

    RACE_DAY = "race-day", _("Race day")
    OFFICE = "office", _("Office")
    GAMES = "games", _("Instant games")
    PREMISES = "premises", pgettext_lazy("several", "Premises")
    MONEY = "money", _("Money")
    PROOF = "proof", _("Proof")
    SETTINGS = "settings", _("Settings")


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """Tables under one heading, in one place. Each model has an icon (Material Symbols)."""

    title: Text
    order: int
    place: Place
    models: Sequence[tuple[type[Model], str]]


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A panel with its data. A cell is text or safe HTML; `link` leads to the list of all the
    rows. The first page folds it unless `is_open`.
    """

    title: Text
    icon: str
    headers: Sequence[Text]
    rows: Sequence[Sequence[Any]]
    empty: Text
    link: str = ""
    is_open: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Panel:
    """A table of the first page and of its place's page. `table` returns None for a person who may
    not see it.
    """

    order: int
    place: Place
    table: Callable[[HttpRequest], Table | None]


@dataclasses.dataclass(frozen=True, slots=True)
class Waiting:
    """One thing that waits for the person who is signed on.

    Things of one `title` stand together. `subject` is text or safe HTML. `days_left` is None if no
    period runs. While an `immediate` one stands, players cannot bet or bets are at risk. `opens` is
    the address where those of this title are worked on, one after another.
    """

    title: Text
    subject: Any
    since: datetime.datetime
    days_left: int | None = None
    words: Text = ""
    immediate: bool = False
    opens: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the first page: its name, its value in words, and where it leads."""

    title: Text
    value: Any
    detail: Any = ""
    link: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A document that a searched code names. `uuid` finds its rows.

    The `button` posts the pairs of `posts` to the address `opens`, where the person works on it.
    """

    title: Text
    amount: Any
    uuid: UUID
    button: Text = ""
    opens: str = ""
    posts: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class ProposalWords:
    """The words for the proposals of one kind: in a line, and fact by fact for who decides.

    `field` is the field of the content that they read; without it they are not used. Without
    `facts` each field of the content is one. `corrected_at` returns the address of the form on
    which one that waits is corrected. Each takes the proposal.
    """

    field: str
    subject: Callable[[Any], Any]
    facts: Callable[[Any], Sequence[tuple[Text, Any]]] | None = None
    corrected_at: Callable[[Any], str] | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page that does not show the rows of one table.

    `name` is the name of its address within `admin:`. It is listed in its place, by `order`; the
    desk of a place is where the side bar leads those who have the power `works`. One that is worked
    on from the first page is `of_today`: the side bar marks *Today* on it. `urls` takes a
    wrapper that lets only staff in, and returns the addresses with each view wrapped.
    """

    title: Text
    icon: str
    name: str
    place: Place
    order: int
    power: str
    urls: Callable[[Keep], list[URLPattern]]
    works: str = ""
    of_today: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Administration:
    """The part of one app in the administration.

    `waiting` lists the work that waits for a person, and `figures` the figures of the first page.
    Both return nothing to a person who may not see it. `finder` finds the document whose code was
    typed into the search box. `story` returns the rows that belong to the story of a row, but have
    no foreign key to it. `kind_titles` name the kinds of two-person acts. `content_readers` show a
    field of a proposal's content that names a row. `proposal_words` put the proposals of a kind
    into words; every kind has them. `key_names` name the keys of documents
    and refusals. `code_texts` put the codes of refusals into words. `tones` colour states.
    """

    sections: Sequence[Section] = ()
    panels: Sequence[Panel] = ()
    pages: Sequence[Page] = ()
    waiting: Callable[[HttpRequest], Sequence[Waiting]] | None = None
    figures: Callable[[HttpRequest], Sequence[Figure]] | None = None
    finder: Callable[[HttpRequest, str], Named | None] | None = None
    story: Callable[[HttpRequest, Any], Sequence[Model]] | None = None
    kind_titles: Mapping[str, Text] = dataclasses.field(default_factory=dict)
    content_readers: Mapping[str, Callable[[Any], Any]] = dataclasses.field(default_factory=dict)
    proposal_words: Mapping[str, ProposalWords] = dataclasses.field(default_factory=dict)
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
