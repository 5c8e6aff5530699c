"""Read the tampering matrix from the table of docs/proofs.md. The tests do every line of it."""

import re
from dataclasses import dataclass

from core.tools.embedded.server import ROOT

PAGE = ROOT / "docs" / "proofs.md"
HEAD = "| fact | touched by | `journal_verify` says | refused by |"


@dataclass(frozen=True, slots=True)
class Tampering:
    """A line of the matrix. `sql` breaks `fact`; `journal_verify` gives `journal`; `others` refuse
    it too.
    """

    fact: str
    sql: str
    journal: list[str]
    others: list[str]

    @property
    def statements(self) -> list[str]:
        return self.sql.split("; ")

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


def _tampering(line: str) -> Tampering:
    fact, sql, journal, others = (
        cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]
    )
    return Tampering(fact, sql.strip("`"), _listed(journal), _listed(others))


def _listed(cell: str) -> list[str]:
    return [each.replace("`", "") for each in cell.split(", ") if each]


def read() -> list[Tampering]:
    """Return every line of the page's table."""
    table = PAGE.read_text("utf-8").partition(HEAD)[2].lstrip("\n").partition("\n\n")[0]
    return [_tampering(line) for line in table.splitlines()[1:]]


MATRIX = read()
