"""Collect the kinds of public draw. Each game lists its own as `KINDS` in its `draw_kinds.py`.

    Kind(
        name="lototrot.race",          # published; the game names its subjects, such as "race:12"
        hold=...,                      # take the game's locks on the subject, before any row
        matter=...,                    # the reason of the draw, its limit, the facts of the minutes
        field=...,                     # the entries and how many places; raises what is missing
        certified=...,                 # apply a certified draw to the game
    )

All four are called inside the transaction of the draw, and `hold` always first. A field may have
hundreds of thousands of entries; only the places drawn are kept as the order. For the papers, a
kind may also turn its facts into `lines` (label and value, in the language in force) and give the
`names` of its entries.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from core.contributions import contributed_by_name
from core.kernel.canonical import Json
from core.kernel.errors import Conflict

Facts = Mapping[str, Any]


class FieldUnfit(Conflict):
    """The field cannot be drawn from. `data` has the numbers of entries and places."""

    code = "draw_field_unfit"
    message = "The field is empty, repeats an entry, or has fewer entries than places."


@dataclasses.dataclass(frozen=True, slots=True)
class Matter:
    """The reason of a draw. `title` is by language (ca, es, en).

    The draw is owed from `declared_at` on, and late after `due_at` (None: never). `facts` go into
    the minutes unchanged.
    """

    title: Mapping[str, str]
    reason: str
    declared_at: datetime
    due_at: datetime | None
    facts: Mapping[str, Json]


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """The entries in the draw, in the game's order, and the number of places to draw.

    Entries are short texts, all different: numbers of horses, references of tickets. They are
    published. Raises FieldUnfit.
    """

    entries: Sequence[str]
    places: int

    def __post_init__(self) -> None:
        if len(set(self.entries)) < len(self.entries) or not 1 <= self.places <= len(self.entries):
            raise FieldUnfit(entries=len(self.entries), places=self.places)


@dataclasses.dataclass(frozen=True, slots=True)
class Certified:
    """A draw that an inspector certified. Its order begins with the winner."""

    draw_id: int
    subject: str
    order: tuple[str, ...]
    certified_at: datetime


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of public draw (see the module)."""

    name: str
    hold: Callable[[str], None]
    matter: Callable[[str], Matter]
    field: Callable[[str], Field]
    certified: Callable[[Certified], None]
    lines: Callable[[Facts], Sequence[tuple[str, str]]] = lambda facts: ()
    names: Callable[[Facts], Mapping[str, str]] = lambda facts: {}


def kind_of(name: str) -> Kind:
    """Return the kind of that name. Raises KeyError if no game has it, ContributedTwice."""
    kind: Kind = contributed_by_name("draw_kinds", "KINDS")[name]
    return kind
