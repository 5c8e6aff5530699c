"""Define a kind of draw for tests: an urn of texts that can be sealed and that remembers its
acts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core.database import clock
from core.draws import conducting, services
from core.draws.kinds import Certified, Field, Kind, Matter
from core.draws.models import Draw
from core.kernel.errors import Conflict
from core.staff.actor import StaffActor
from core.staff.powers import Role
from tests.support import factories
from tests.support.contributing import contribute

PHRASE = "Ha plogut tota la nit a Manacor"


class Unsealed(Conflict):
    code = "urn_unsealed"
    message = "The urn is not sealed."


@dataclass
class Urn:
    """The answers of the kind, and what happened to it."""

    entries: Sequence[str] = ("1", "2", "3", "5", "8")
    places: int = 5
    sealed: bool = True
    due_in: timedelta | None = timedelta(hours=2)
    declared_at: datetime | None = None
    held: list[str] = field(default_factory=list)
    certified: list[Certified] = field(default_factory=list)

    def kind(self) -> Kind:
        return Kind(
            name="test.urn",
            hold=self.held.append,
            matter=self._matter,
            field=self._field,
            certified=self.certified.append,
        )

    def _matter(self, subject: str) -> Matter:
        now = self.declared_at or clock.now()
        title = {"ca": "Urna", "es": "Urna", "en": "Urn"}
        due_at = now + self.due_in if self.due_in else None
        return Matter(title, "Storm", now, due_at, {"urn": subject})

    def _field(self, subject: str) -> Field:
        if not self.sealed:
            raise Unsealed
        return Field(self.entries, self.places)


@dataclass
class Hall:
    """An announced urn and the people of its draw."""

    urn: Urn
    kind: Kind
    draw: Draw
    organiser: StaffActor
    other: StaffActor
    inspector: StaffActor

    def committed(self, **means: Any) -> Any:
        """Commit at the announced time, by default to a phrase."""
        factories.announced_time(self.draw)
        services.draw_attend(by=self.inspector, draw=self.draw.uuid)
        own_means = means or {"source": "phrase"}
        return conducting.draw_commit(by=self.organiser, draw=self.draw.uuid, **own_means)

    def enter(self, text: str = PHRASE, **changes: Any) -> Any:
        arguments = {"source": "phrase", "witness": "A player", "by": self.inspector} | changes
        return conducting.draw_enter(draw=self.draw.uuid, text=text, **arguments)

    def certify(self, **arguments: Any) -> Any:
        by = arguments.pop("by", self.inspector)
        return conducting.draw_certify(by=by, draw=self.draw.uuid, **arguments)

    def state(self) -> str:
        return str(Draw.objects.get(pk=self.draw.pk).state)


def hall(monkeypatch: Any, urn: Urn | None = None) -> Hall:
    urn = urn or Urn()
    kind = urn.kind()
    contribute(monkeypatch, "draw_kinds", "KINDS", [kind])
    organiser, other = factories.two_organisers()
    factories.central_office()
    draw = services.draw_announce(by=organiser, kind=kind, subject="urn:1")
    return Hall(urn, kind, draw, organiser, other, factories.staff(Role.INSPECTOR))
