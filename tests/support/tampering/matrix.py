"""Read the tampering matrix: what is done, from touches.sql, and who refuses it, from the tables of
docs/proofs/tampering.md. The journal alone refuses what has no line there. The tests do all of it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from core.tools.embedded.server import ROOT

PAGE = ROOT / "docs" / "proofs" / "tampering.md"
TOUCHES = Path(__file__).with_name("touches.sql")
_LINE = re.compile(r"^\| (.+) \| (`.+`) \| (.*?) ?\|$", re.MULTILINE)
_BY_VERB = {"UPDATE": "row_changed", "DELETE": "row_removed", "INSERT": "row_added"}
_TOUCH = re.compile(r"^-- (.+)\n((?:[A-Z].*;\n)+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tampering:
    """A line of the matrix. `statements` break `fact`; `journal_verify` gives `journal`; `others`
    refuse it too.
    """

    fact: str
    statements: list[str]
    journal: list[str]
    others: list[str]

    @property
    def tables(self) -> set[str]:
        """Return the tables to which the SQL writes."""
        verbs = r"(?:UPDATE|DELETE FROM|INSERT INTO) (\w+)"
        return {match[1] for each in self.statements if (match := re.match(verbs, each))}

    @property
    def looked_at(self) -> set[str]:
        """Return the tables to verify. None means all, which is so if the journal is changed."""
        of_journal = any(table.startswith("journal_") for table in self.tables)
        return set() if of_journal else self.tables


def _listed(cell: str) -> list[str]:
    return [each.replace("`", "") for each in cell.split(", ") if each]


def touches() -> dict[str, list[str]]:
    """Return the SQL of each fact, statement by statement."""
    texts = _TOUCH.findall(TOUCHES.read_text("utf-8"))
    return {fact: [each.removesuffix(";") for each in sql.splitlines()] for fact, sql in texts}


def refusals() -> dict[str, tuple[list[str], list[str]]]:
    """Return what `journal_verify` says of each fact that has a line on the page, and who refuses
    it too.
    """
    return {
        fact: (_listed(journal), _listed(others))
        for facts, journal, others in _LINE.findall(PAGE.read_text("utf-8"))
        if facts != "what is touched"
        for fact in facts.split("; ")
    }


def read() -> list[Tampering]:
    """Return every fact, with who refuses it."""
    lines = refusals()
    return [
        Tampering(fact, sql, *lines.get(fact, ([_BY_VERB[sql[0].split()[0]]], [])))
        for fact, sql in touches().items()
    ]


MATRIX = read()
