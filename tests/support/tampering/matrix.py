"""Read the tampering matrix: who refuses what, from the tables of docs/proofs/tampering.md, and the
SQL that does it, from touches.sql. The tests do every line of it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from core.tools.embedded.server import ROOT

PAGE = ROOT / "docs" / "proofs" / "tampering.md"
TOUCHES = Path(__file__).with_name("touches.sql")
_LINE = re.compile(r"^\| (.+) \| (`.+`) \| (.*?) ?\|$", re.MULTILINE)
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


def read() -> list[Tampering]:
    """Return every fact of the page's tables. Raises KeyError for one without SQL."""
    sql = touches()
    return [
        Tampering(fact, sql[fact], _listed(journal), _listed(others))
        for facts, journal, others in _LINE.findall(PAGE.read_text("utf-8"))
        if facts != "what is touched"
        for fact in facts.split("; ")
    ]


MATRIX = read()
