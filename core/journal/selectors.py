"""Reading the journal: who did what, and what it wrote."""

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
    message = "The journal, or rows it stands for, have been touched."


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """What an act wrote to a table: how many rows, and the first of them by their keys."""

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
    """Acts by what they are called, whose they are, and when; all of them unless narrowed."""
    by.need(powers.READ)
    wanted: dict[str, Any] = {
        "name": name,
        "user_id": staff,
        "terminal__code": terminal,
        "request_id": request_id,
        "at__gte": since,
        "at__lt": until,
    }
    found = Act.objects.filter(**{key: value for key, value in wanted.items() if value})
    return found.select_related("user", "terminal", "operator")


def act(*, by: StaffActor, xid: int) -> Act:
    """One act. Raises ActUnknown."""
    found = acts(by=by).filter(pk=xid).first()
    if found is None:
        raise ActUnknown(act=xid)
    return found


def changes(*, act: Act) -> list[Change]:
    """What the act changed, in order."""
    return list(Change.objects.filter(xid=act.pk).order_by("pk"))


def written(*, act: Act) -> list[Written]:
    """The rows that the act wrote, table by table."""
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
    by.need(powers.READ)
    return Batch.objects.select_related("key")


def verification(*, by: StaffActor, most: int = 100) -> verifying.Verification:
    """Verify the journal, whole: it takes as long as reading every row once."""
    by.need(powers.READ)
    return verifying.verify(most=most)
