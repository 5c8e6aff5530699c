"""Read the journal: who did what, which rows each act wrote, and the story of a row.

For a story one statement finds the newest rows of every table asked, each by an index on its
column, so that a page costs the same with a million rows.
"""

import dataclasses
import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Model, Q, QuerySet

from core.database.reading.asking import fetch_all, fetch_row
from core.database.reading.numbers import NO_END, OUT_OF_ORDER, first_from, first_number
from core.journal import powers, verifying
from core.journal.install import COLUMN, journaled
from core.journal.models import Act, Batch, Change, Source
from core.kernel.errors import Conflict, NotFound
from core.staff.accounts import UserUnknown
from core.staff.actor import StaffActor
from core.staff.models import User

ROWS_NAMED = 100
MOST_OF_A_TABLE = 20
MOST_CHANGES = 200
MOST_COUNTED = 10_000


class ActUnknown(NotFound):
    code = "act_unknown"
    message = "No act of the journal has that number."


class JournalTouched(Conflict):
    code = "journal_touched"
    message = "The journal, or a row that it covers, was changed."


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """The rows that an act wrote to a table: their number, and the first of them by their keys."""

    table: str
    rows: int
    first: list[int]


def acts(
    *,
    by: StaffActor,
    name: str = "",
    staff: int | None = None,
    person: str = "",
    terminal: str = "",
    request_id: str = "",
    since: datetime.datetime | None = None,
    until: datetime.datetime | None = None,
) -> QuerySet[Act]:
    """Return the acts that match every filter given; all acts without a filter. `person` is a user
    name. Raises PowerMissing, UserUnknown.
    """
    by.need(powers.READ)
    if person and not User.objects.filter(username=person).exists():
        raise UserUnknown(username=person)
    filters: dict[str, Any] = {
        "source__name": name,
        "user_id": staff,
        "user__username": person,
        "terminal__code": terminal,
        "request_id": request_id,
    }
    matching = Act.objects.filter(**{key: value for key, value in filters.items() if value})
    if since is not None:
        matching = matching.filter(pk__gte=first_from(Act, "at", since), at__gte=since)
    if until is not None:
        end = first_number(Act, "at", until + OUT_OF_ORDER)
        matching = matching.filter(pk__lt=NO_END if end is None else end, at__lt=until)
    return matching.select_related("source", "user", "terminal", "operator")


def act_names() -> set[str]:
    """Return the names of all acts that were done."""
    return set(Source.objects.values_list("name", flat=True))


def act(*, by: StaffActor, xid: int) -> Act:
    """Return one act. Raises PowerMissing, ActUnknown."""
    row = acts(by=by).filter(pk=xid).first()
    if row is None:
        raise ActUnknown(act=xid)
    return row


def changes(*, act: Act) -> list[Change]:
    """Return the changes that the act made, in order."""
    return list(Change.objects.filter(xid=act.pk).order_by("pk"))


def written(*, act: Act) -> list[Written]:
    """Return the rows that the act wrote, table by table."""
    parts = [
        f'SELECT \'{table.name}\', count(*), (array_agg("{table.key}" ORDER BY "{table.key}"))'
        f'[1:{ROWS_NAMED}] FROM "{table.name}" WHERE {COLUMN} = %(xid)s HAVING count(*) > 0'
        for table in journaled()
        if table.has_triggers
    ]
    rows = fetch_all(" UNION ALL ".join(parts) + " ORDER BY 1", {"xid": act.pk})
    return [Written(*row) for row in rows]


def batches(*, by: StaffActor) -> QuerySet[Batch]:
    """Return the sealed batches. Raises PowerMissing."""
    by.need(powers.READ)
    return Batch.objects.select_related("key")


def verification(*, by: StaffActor, most: int = 100) -> verifying.Verification:
    """Verify the journal; this takes as long as reading every row once. Raises PowerMissing."""
    by.need(powers.READ)
    return verifying.verify(most=most)


@dataclasses.dataclass(slots=True)
class Step:
    """An act of the story: the rows that it wrote, and the changes that it made in others."""

    act: Act
    rows: list[Model] = dataclasses.field(default_factory=list)
    changes: list[tuple[Model, Change]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Story:
    """The acts about a row, the oldest first.

    Some tables have only their newest rows in it. `left_out` has the foreign key of each such table
    and the number of rows left out, MOST_COUNTED at most. `older_changes` says that changes are
    left out.
    """

    steps: list[Step]
    left_out: list[tuple[Any, int]]
    older_changes: bool


def story(row: Model, related: Sequence[Any], further: Iterable[Model] = ()) -> Story:
    """Return the story of a row.

    `related` are foreign keys that point to the row: the newest rows of each table are told.
    `further` are rows that belong to the story without such a key.
    """
    selected = [(type(one), str(one._meta.pk.column), one.pk) for one in (row, *further)]
    selected += [(key.model, key.column, row.pk) for key in related]
    rows = _written(selected)
    steps: dict[int, Step] = {}
    changes = _changes([row_told for row_told, _ in rows])
    older_changes = len(changes) > MOST_CHANGES
    changes = changes[-MOST_CHANGES:]
    xids = {xid for _, xid in rows} | {change.xid for _, change in changes}
    acts = Act.objects.select_related("source", "user", "terminal", "operator").in_bulk(xids)
    for row_told, xid in rows:
        if xid in acts:
            steps.setdefault(xid, Step(acts[xid])).rows.append(row_told)
    for row_told, change in changes:
        if change.xid in acts:
            steps.setdefault(change.xid, Step(acts[change.xid])).changes.append((row_told, change))
    ordered = [steps[xid] for xid in sorted(steps, key=lambda xid: (acts[xid].at, xid))]
    return Story(
        ordered, _left_out(row, related, [row_told for row_told, _ in rows]), older_changes
    )


def _left_out(
    row: Model, related: Sequence[Any], shown_rows: Sequence[Model]
) -> list[tuple[Any, int]]:
    """Return the keys of which some rows are not told, with the number of these rows.

    Only the tables of which the largest number of rows is told are counted, all by one statement.
    """
    of_table = Counter(type(one) for one in shown_rows)
    full = [key for key in related if of_table[key.model] >= MOST_OF_A_TABLE]
    parts = [
        f'(SELECT count(*) FROM (SELECT 1 FROM "{key.model._meta.db_table}"'
        f' WHERE "{key.column}" = %s LIMIT {MOST_COUNTED + MOST_OF_A_TABLE}) counted)'
        for key in full
    ]
    if not parts:
        return []
    counted = fetch_row(f"SELECT {', '.join(parts)}", [row.pk] * len(parts))
    left = [(key, rows - MOST_OF_A_TABLE) for key, rows in zip(full, counted, strict=True)]
    return [(key, rows) for key, rows in left if rows > 0]


def _written(
    selected: Sequence[tuple[type[Model], str, Any]],
) -> list[tuple[Model, int]]:
    """Return the newest rows whose column has the value, each once, with the number of its act."""
    parts = [
        f'(SELECT {number}, "{model._meta.pk.column}"::bigint, {COLUMN}'
        f' FROM "{model._meta.db_table}" WHERE "{column}" = %s'
        f' ORDER BY "{model._meta.pk.column}" DESC LIMIT {MOST_OF_A_TABLE})'
        for number, (model, column, _) in enumerate(selected)
    ]
    keys: dict[type[Model], dict[int, int]] = {}
    query, values = " UNION ALL ".join(parts), [value for *_, value in selected]
    for number, key, xid in fetch_all(query, values):
        if xid is not None:
            keys.setdefault(selected[number][0], {})[key] = xid
    return [
        (row, xids[row.pk]) for model, xids in keys.items() for row in _loaded(model, xids).values()
    ]


def _loaded(model: type[Model], keys: Iterable[int]) -> dict[Any, Model]:
    """Return rows with the rows that they refer to, because their names do."""
    to_one = [field.name for field in model._meta.concrete_fields if field.is_relation]
    return model._default_manager.select_related(*to_one).in_bulk(list(keys))


def _changes(rows: Sequence[Model]) -> list[tuple[Model, Change]]:
    by_table: dict[str, dict[Any, Model]] = {}
    for row in rows:
        by_table.setdefault(row._meta.db_table, {})[row.pk] = row
    condition = Q()
    for table, rows_told in by_table.items():
        condition |= Q(relation=table, row_id__in=list(rows_told))
    newest = Change.objects.filter(condition).order_by("-pk")[: MOST_CHANGES + 1] if rows else ()
    return [(by_table[change.relation][change.row_id], change) for change in reversed(list(newest))]
