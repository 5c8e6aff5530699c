"""Collect and evaluate the rules that hold between rows and the acts that wrote them.

A rule is a query for the rows that break it. Each app lists its rules as `RULES` in its
`journal_rules.py`. They are evaluated when the journal is verified, never during a request.
"""

import dataclasses
import re
from collections.abc import Iterator

from django.db import connection

from core.contributions import contributed_by_name
from core.database.reading.numbers import NO_END

FIRST = "coalesce(nullif(current_setting('journal.first', true), '')::bigint, 0)"
"""SQL of the first transaction of the part of the journal that is verified."""
END = f"coalesce(nullif(current_setting('journal.end', true), '')::bigint, {NO_END})"
"""SQL of the first transaction after that part."""


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """A rule; `query` returns (table, row, transaction) for each row that breaks it.

    `name` is stable, `says` tells what is wrong with such a row, `table` is the table that the rule
    is about. Only the rows of a part's transactions are needed: a query that cannot be limited
    from outside (it sums or numbers rows) must limit itself by `FIRST` and `END`. A rule about what
    `stands` now is evaluated whole in any case, and must not read the past for it.
    """

    name: str
    says: str
    table: str
    query: str
    stands: bool = False

    @property
    def is_of_each_row(self) -> bool:
        """Return whether only rows of `table`, by their own transactions, can break it."""
        each_row = rf"SELECT '{self.table}', t\.\w+, t\.journal_xid FROM {self.table} t "
        return not self.stands and bool(re.match(each_row, " ".join(self.query.split())))


def rules() -> list[Rule]:
    """Return the rules of all apps, sorted by name. Raises ContributedTwice."""
    return [rule for _, rule in sorted(contributed_by_name("journal_rules", "RULES").items())]


def broken(rule: Rule, *, first: int = 0, end: int = NO_END) -> Iterator[tuple[str, int, int]]:
    """Yield the rows that break the rule: table, row, transaction.

    Of transactions from `first` up to, but not including, `end`, unless the rule is about what
    stands now.
    """
    query = rule.query
    if (first, end) != (0, NO_END) and not rule.stands:
        query = (
            f"SELECT * FROM ({query}) AS broken (relation, row_id, xid)"
            f" WHERE xid >= {first} AND xid < {end}"
        )
    with connection.cursor() as cursor:
        if FIRST in query or END in query:
            cursor.execute(
                "SELECT set_config('journal.first', %s, true), set_config('journal.end', %s, true)",
                [str(first), str(end)],
            )
        cursor.execute(query)
        yield from cursor
