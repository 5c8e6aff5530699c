"""What must hold between rows and the acts that wrote them; what does not is named.

A rule is a query of what breaks it. Apps register theirs from `AppConfig.ready`; they are asked by
whoever verifies the journal, and never while anybody waits.
"""

import dataclasses
from collections.abc import Iterator

from django.db import connection


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """`query` gives (table, row, transaction) for each row that breaks the rule.

    `name` is stable, `says` what is wrong with such a row; `table` is whose rows it holds to acts.
    """

    name: str
    says: str
    table: str
    query: str


_rules: dict[str, Rule] = {}


def register(*made: Rule) -> None:
    for rule in made:
        if _rules.setdefault(rule.name, rule) != rule:
            raise ValueError(f"the rule {rule.name!r} is registered twice")


def rules() -> list[Rule]:
    """All of them, by name."""
    return [rule for _, rule in sorted(_rules.items())]


def broken(rule: Rule) -> Iterator[tuple[str, int, int]]:
    """The rows that break the rule: table, row, transaction."""
    with connection.cursor() as cursor:
        cursor.execute(rule.query)
        yield from cursor
