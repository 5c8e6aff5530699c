"""Collect and evaluate the rules that hold between rows and the acts that wrote them.

A rule is a query for the rows that break it. Each app lists its rules as `RULES` in its
`journal_rules.py`. They are evaluated when the journal is verified, never during a request.
"""

import dataclasses
from collections.abc import Iterator

from django.db import connection

from core.contributions import contributed_by_name


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """A rule; `query` returns (table, row, transaction) for each row that breaks it.

    `name` is stable, `says` tells what is wrong with such a row, `table` is the table that the rule
    is about.
    """

    name: str
    says: str
    table: str
    query: str


def rules() -> list[Rule]:
    """Return the rules of all apps, sorted by name. Raises ContributedTwice."""
    return [rule for _, rule in sorted(contributed_by_name("journal_rules", "RULES").items())]


def broken(rule: Rule) -> Iterator[tuple[str, int, int]]:
    """Yield the rows that break the rule: table, row, transaction."""
    with connection.cursor() as cursor:
        cursor.execute(rule.query)
        yield from cursor
