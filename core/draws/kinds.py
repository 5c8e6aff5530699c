"""The kinds of public draw. Each game lists its own as `KINDS` in its `draw_kinds.py`.

    Kind(
        name="lototrot.race",          # published; subjects are the game's own, such as "race:12"
        hold=...,                      # take the game's locks on the subject, before any row
        matter=...,                    # why it is drawn, until when, and the facts of the minutes
        field=...,                     # the entries and how many places; raises what is missing
        certified=...,                 # what a certified draw does to the game
    )

All four are called inside the draw's own transaction; `hold` always first. A field may have
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
    """`data` has how many entries and places there are."""

    code = "draw_field_unfit"
    message = "There is nothing to draw, an entry twice, or more places than entries."


@dataclasses.dataclass(frozen=True, slots=True)
class Matter:
    """Why something is drawn. `title` is by language (ca, es, en); `declared_at` is from when the
    draw is owed, `due_at` when it is late, if ever. `facts` go into the minutes as they are."""

    title: Mapping[str, str]
    reason: str
    declared_at: datetime
    due_at: datetime | None
    facts: Mapping[str, Json]


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """The entries in the draw, in the game's order, and how many places of it are drawn.

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
    """A draw that an inspector certified: its order, the winner first."""

    draw_id: int
    subject: str
    order: tuple[str, ...]
    certified_at: datetime


@dataclasses.dataclass(frozen=True, slots=True)
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
