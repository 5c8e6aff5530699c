"""Find rows of a time by their numbers, without an index of the time.

Rows that are only added are numbered in the order of the instant at which they were written. So
the number of an instant is found by halving: some twenty reads by key, in one statement. A sale
needs no further index for it, and the order of the heap does not matter: rows of retired months
leave places there that new rows take. Sales stop while the clock is behind the newest act
(`core_clock_unsound`), so numbers and instants differ in order only by what runs at once. Acts of
staff go on: those of such an incident may not be found by time (docs/operations/incidents.md).
"""

import datetime
from typing import Any, Final, cast

from django.db import connection, models
from django.db.models import Q

from core.database.reading.asking import fetch_row

OUT_OF_ORDER: Final = datetime.timedelta(minutes=10)
"""Acts that run at the same time get their numbers and their instants in different orders."""
NO_END: Final = 2**63 - 1
# Each step reads the first row from the middle on.
_HALVED = """
WITH RECURSIVE newest AS (SELECT {id}, {at} AS at FROM {table} ORDER BY {id} DESC LIMIT 1),
search (low, high) AS (
    SELECT CASE WHEN n.at < %(instant)s THEN n.{id} + 1 ELSE (SELECT min({id}) FROM {table}) END,
           n.{id} + 1
      FROM newest n
     UNION ALL
    SELECT CASE WHEN m.at < %(instant)s THEN m.{id} + 1 ELSE s.low END,
           CASE WHEN m.at < %(instant)s THEN s.high ELSE (s.low + s.high) / 2 END
      FROM search s CROSS JOIN LATERAL (
           SELECT t.{id}, t.{at} AS at FROM {table} t WHERE t.{id} >= (s.low + s.high) / 2
            ORDER BY t.{id} LIMIT 1) m
     WHERE s.low < s.high)
SELECT s.low, s.low > n.{id} FROM search s, newest n WHERE s.low >= s.high
"""


def first_number(model: type[models.Model], name: str, instant: datetime.datetime) -> int | None:
    """Return a lower bound of the keys of rows of the instant or later; None if all rows
    are older.

    Rows are numbered in the order of the column `name`.
    """
    number, all_older = _search(model, name, instant)
    return None if all_older else number


def first_from(model: type[models.Model], name: str, since: datetime.datetime) -> int:
    """Return a key below which no row is of the instant `since` or later, however acts run at once.

    If all rows are older, it is the one after theirs.
    """
    return _search(model, name, since - OUT_OF_ORDER)[0]


def _search(model: type[models.Model], name: str, instant: datetime.datetime) -> tuple[int, bool]:
    """Return the key, and whether all rows are older."""
    quoted, meta = connection.ops.quote_name, cast("Any", model._meta)
    query = _HALVED.format(
        id=quoted(meta.pk.column),
        at=quoted(meta.get_field(name).column),
        table=quoted(meta.db_table),
    )
    return fetch_row(query, {"instant": instant}) or (0, True)


def numbers(
    model: type[models.Model], name: str, since: datetime.datetime, until: datetime.datetime
) -> tuple[int, int]:
    """Return the first key, and the one after the last, of the rows that may be from `since` to
    before `until`.

    There are rows of some minutes before and after among them: ask for the instant, too.
    """
    end = first_number(model, name, until + OUT_OF_ORDER)
    return first_from(model, name, since), NO_END if end is None else end


def within(
    model: type[models.Model], name: str, since: datetime.datetime, until: datetime.datetime
) -> Q:
    """Return the condition on rows of a model whose instant is from `since` to before `until`."""
    first, end = numbers(model, name, since, until)
    return Q(("pk__gte", first), ("pk__lt", end), (f"{name}__gte", since), (f"{name}__lt", until))
