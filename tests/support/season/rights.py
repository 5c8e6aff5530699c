"""List the players who did what the rules ask and got nothing for it.

It imports nothing of the project. A right is met when the document is paid, or its money is held
for its bearer, or two persons refused it. What is told later prevails, so that money that was held
and then went elsewhere is a right lost.
"""

from dataclasses import dataclass, field
from datetime import date

MET = ("paid", "held", "refused by two persons")


@dataclass
class Right:
    """A document that its bearer brought as the rules say, and its later state."""

    document: str
    brought: date
    became: str = "nothing"

    def __str__(self) -> str:
        return f"{self.document}, brought on {self.brought}: {self.became}"


@dataclass
class Rights:
    by_document: dict[str, Right] = field(default_factory=dict)

    def claimed(self, document: str, day: date) -> None:
        """Record that a bearer came in time, with a document that is owed something."""
        self.by_document.setdefault(document, Right(document, day))

    def became(self, document: str, what: str) -> None:
        if document in self.by_document:
            self.by_document[document].became = what

    def lost(self) -> list[Right]:
        return [right for right in self.by_document.values() if right.became not in MET]
