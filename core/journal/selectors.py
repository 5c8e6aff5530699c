"""Read the journal: who did what, and which rows each act wrote."""

import dataclasses
import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from core.journal import powers, verifying
from core.journal.install import COLUMN, journaled
from core.journal.models import Act, Batch, Change
from core.kernel.errors import Conflict, NotFound
from core.staff.actor import StaffActor

ROWS_NAMED = 100


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
    terminal: str = "",
    request_id: str = "",
    since: datetime.datetime | None = None,
    until: datetime.datetime | None = None,
) -> QuerySet[Act]:
    """Return the acts that match every filter given; all acts without a filter. Raises
    PowerMissing.
    """
    by.need(powers.READ)
    filters: dict[str, Any] = {
        "name": name,
        "user_id": staff,
        "terminal__code": terminal,
        "request_id": request_id,
        "at__gte": since,
        "at__lt": until,
    }
    matching = Act.objects.filter(**{key: value for key, value in filters.items() if value})
    return matching.select_related("user", "terminal", "operator")


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
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts) + " ORDER BY 1", {"xid": act.pk})
        return [Written(*row) for row in cursor.fetchall()]


def batches(*, by: StaffActor) -> QuerySet[Batch]:
    """Return the sealed batches. Raises PowerMissing."""
    by.need(powers.READ)
    return Batch.objects.select_related("key")


def verification(*, by: StaffActor, most: int = 100) -> verifying.Verification:
    """Verify the journal; this takes as long as reading every row once. Raises PowerMissing."""
    by.need(powers.READ)
    return verifying.verify(most=most)
