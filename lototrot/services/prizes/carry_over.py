"""Unclaimed prizes into the 7/7 of the right meeting (14.III.10.7) [D3, C5].

What lapsed with a last day, or was refused on one, stands on `chart.unplaced` of that day until
there is a meeting dated after it; then it passes to that meeting's `chart.lapsed`, whether or not
it is on sale already. Settlement refuses a meeting while anything from before its day is unplaced.
"""

import uuid
import zlib
from collections.abc import Iterable
from datetime import date

from django.db import connection, transaction
from django.db.models import Q

from core.database import clock
from core.database.locks import Lock, hold
from core.ledger import services as ledger
from core.ledger.services import Line
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import Placement

_UNPLACED = """
SELECT a.code, coalesce((SELECT sum(amount_cents) FROM ledger_transfer WHERE credit_id = a.id), 0)
             - coalesce((SELECT sum(amount_cents) FROM ledger_transfer WHERE debit_id = a.id), 0)
  FROM ledger_account a WHERE starts_with(a.code, %s) ORDER BY a.code
"""


def unplaced(bet_type_code: str) -> list[tuple[date, int]]:
    """What of a chain waits for a meeting: days with cents, oldest first."""
    prefix = accounts.unplaced(bet_type_code, date.min).code.removesuffix(date.min.isoformat())
    with connection.cursor() as cursor:
        cursor.execute(_UNPLACED, [prefix])
        rows = cursor.fetchall()
    return [
        (date.fromisoformat(code.removeprefix(prefix)), int(cents)) for code, cents in rows if cents
    ]


def meeting_after(bet_type_code: str, day: date) -> Contest | None:
    """The first meeting dated after a day that is not settled yet; None while it is not known.

    A contest still being prepared may become that meeting: nothing passes over it while it can.
    """
    coming = Contest.objects.filter(bet_type_code=bet_type_code, day__gt=day).filter(
        Q(state__in=[Contest.State.OPEN, Contest.State.CLOSED])
        | Q(state=Contest.State.DRAFT, scheduled_close_at__gt=clock.now())
    )
    first = coming.order_by("day", "pk").first()
    return None if first is None or first.state == Contest.State.DRAFT else first


def placings_due() -> list[int]:
    """The contests that unplaced money of their chains can pass to now."""
    found = set()
    for code in Contest.objects.order_by().values_list("bet_type_code", flat=True).distinct():
        for day, _cents in unplaced(code):
            contest = meeting_after(code, day)
            if contest is not None:
                found.add(contest.pk)
    return sorted(found)


@transaction.atomic
def lapsed_place(*, contest_id: int) -> int:
    """Pass to a contest all unplaced money of its chain that belongs to it; how many cents.

    Once it is there, nothing more. It waits for a settlement of the chain under way.
    """
    contest = Contest.objects.get(pk=contest_id)
    hold((Lock.CHAIN, zlib.crc32(contest.bet_type_code.encode())))
    placed = 0
    for day, cents in unplaced(contest.bet_type_code):
        meeting = meeting_after(contest.bet_type_code, day)
        if meeting is None or meeting.pk != contest_id:
            continue
        made = Placement.objects.create(
            uuid=uuid.uuid4(),
            bet_type_code=contest.bet_type_code,
            day=day,
            contest=contest,
            cents=cents,
            placed_at=clock.now(),
        )
        ledger.post(reference=made.uuid, lines=[_line(made)])
        ledger.need_balance(accounts.unplaced(contest.bet_type_code, day), 0)
        placed += cents
    return placed


def placed_lines(contest_id: int) -> Iterable[Line]:
    """What was placed in a contest, for `ledger_rebuild`."""
    return [_line(each) for each in Placement.objects.filter(contest_id=contest_id)]


def _line(of: Placement) -> Line:
    waiting = accounts.unplaced(of.bet_type_code, of.day)
    return Line("lototrot.placed", waiting, accounts.lapsed(of.contest_id), of.cents)
