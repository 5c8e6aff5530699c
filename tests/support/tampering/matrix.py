"""The tampering matrix: the table of docs/proofs.md is its source, and the tests do every line."""

import re
from dataclasses import dataclass

from core.tools.embedded.server import ROOT

PAGE = ROOT / "docs" / "proofs.md"
HEAD = "| fact | touched by | `journal_verify` says | refused by |"


@dataclass(frozen=True, slots=True)
class Touch:
    """`sql` breaks `fact`; `journal` are the codes of `journal_verify`, `others` refuse it, too."""

    fact: str
    sql: str
    journal: list[str]
    others: list[str]

    @property
    def statements(self) -> list[str]:
        return self.sql.split("; ")

    @property
    def tables(self) -> set[str]:
        """What is written to."""
        verbs = r"(?:UPDATE|DELETE FROM|INSERT INTO) (\w+)"
        return {found[1] for each in self.statements if (found := re.match(verbs, each))}

    @property
    def looked_at(self) -> set[str]:
        """The tables to verify: all (none named) once the journal is touched, which is of any."""
        of_journal = any(table.startswith("journal_") for table in self.tables)
        return set() if of_journal else self.tables


def _touch(line: str) -> Touch:
    fact, sql, journal, others = (
        cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]
    )
    return Touch(fact, sql.strip("`"), _listed(journal), _listed(others))


def _listed(cell: str) -> list[str]:
    return [each.replace("`", "") for each in cell.split(", ") if each]


def read() -> list[Touch]:
    """Every line of the page's table."""
    table = PAGE.read_text("utf-8").partition(HEAD)[2].lstrip("\n").partition("\n\n")[0]
    return [_touch(line) for line in table.splitlines()[1:]]


MATRIX = read()
