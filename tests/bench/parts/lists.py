"""Milliseconds and statements of the list of tickets in the administration, at a million rows.

An auditor reads it as in a browser: the first page, one far behind, what one day, an amount and
one place of sale have, and the same as CSV; then all of it is written to a file, as long work. Each
is measured in seconds of processor, ours and the database's, so that other load on the machine does
not count.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import connection, connections
from django.db.models import Min

from core.admin_support.lists import files
from core.database import clock
from core.journal.acting import name_process
from core.kernel.days import natural_day
from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.bench.pairs import middle
from tests.bench.processor import ours_s
from tests.bench.store import Figures, Store, owner_execute
from tests.bench.tickets import EXTRAS
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url

TICKETS, POINTS, DAYS = 1_000_000, 200, 200
"""Tickets of a run of full size, the places that sold them in turn, and the days of their sale."""
LEGS = 7
_TURNS = 5
# Number n is sold at place n of them all in turn, later than n - 1; one in 1,009 costs 20 euros.
_TICKETS = """
INSERT INTO lototrot_ticket (uuid, contest_id, premises_id, terminal_id, operator_id, sold_at, bets,
    quick_legs, {legs}, amount_cents, code_digest, request_digest, code_commitment)
SELECT md5(n::text)::uuid, %(contest)s, (%(premises)s::bigint[])[1 + n %% %(points)s],
       (%(terminals)s::bigint[])[1 + n %% %(points)s],
       (%(operators)s::bigint[])[1 + n %% %(points)s],
       %(began)s + n * %(step)s, bets, 0, {masks}, bets * %(price)s,
       substr(decode(md5('c' || n), 'hex'), 1, 15),
       substr(sha256(int8send(n)), 1, 16), sha256(int8send(-n))
  FROM (SELECT n, CASE WHEN n %% 1009 = 0 THEN 40 ELSE 1 + n %% 12 END AS bets
          FROM generate_series(1, %(count)s) n) numbered
 ORDER BY n
"""


def measure(store: Store) -> Figures:
    """Return the figures `lists.*`. A page that is refused, or a file with other rows than were
    asked for, is an error.
    """
    name_process("command:bench")
    points = _load(store.size.of(TICKETS))
    desk = Desk(Role.AUDITOR)
    desk.client.defaults["SERVER_NAME"] = "127.0.0.1"
    day = natural_day(clock.now() - timedelta(days=DAYS // 2)).isoformat()
    first = Ticket.objects.aggregate(first=Min("pk"))["first"]
    asked = {
        "first_page": {},
        "far_page": {"after": str(first + store.size.of(TICKETS) // 100)},
        "day": {"sold_at.from": day, "sold_at.to": day},
        "amount": {"amount_cents.from": "20.00", "amount_cents.to": "20.00"},
        "premises": {"premises.is": points[0].premises.code},
        "day_and_premises": {
            "sold_at.from": day,
            "sold_at.to": day,
            "premises.is": points[0].premises.code,
        },
    }
    figures: Figures = {"lists.tickets": float(Ticket.objects.count())}
    for name, query in asked.items():
        figures |= _measured(name, partial(desk.get, list_url(Ticket), **query))
    figures |= _measured("day_csv", lambda: _csv(desk, asked["day"]))
    return figures | _whole_file(desk)


def _measured(name: str, read: Callable[[], object]) -> Figures:
    """Return the milliseconds of the middle one of some turns, and its statements."""
    taken, statements = [], 0

    def counted(execute: Any, *words: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*words)

    read()  # what the process reads once is not of the list
    for _ in range(_TURNS):
        began = ours_s()
        with connection.execute_wrapper(counted):
            read()
        taken.append(ours_s() - began)
    return {
        f"lists.{name}_ms": middle(taken) * 1000,
        f"lists.{name}_statements": statements / _TURNS,
    }


def _csv(desk: Desk, query: dict[str, str]) -> int:
    """Read the file of what is asked to its end; return its lines."""
    response: Any = desk.client.get(f"{list_url(Ticket)}csv/", query)
    if response.status_code != 200:
        raise RuntimeError(f"the file was refused: {response.status_code}")
    return sum(part.count(b"\n") for part in response.streaming_content)


def _whole_file(desk: Desk) -> Figures:
    """Write the whole list in a worker's job, as it is too long for a request."""
    if Ticket.objects.count() <= files.KINDS["csv"]:
        return {}
    desk.client.post(f"{list_url(Ticket)}csv/")
    work = LongWork.objects.latest("pk")
    began = ours_s()
    work_do(work.pk)
    seconds = ours_s() - began
    work.refresh_from_db()
    if work.result != {"rows": Ticket.objects.count()}:
        raise RuntimeError(f"the file of the list is not whole: {work.state}, {work.result}")
    return {"lists.whole_csv_s": seconds}


def _load(count: int) -> list[factories.Point]:
    """Insert tickets as that many sales on `DAYS` days would have left them, and nothing else."""
    contest = rounds.contest(rounds.rules(), [range(1, 16)] * LEGS, price_cents=50)
    points = [factories.point() for _ in range(POINTS)]
    legs = [f"leg_{leg}" for leg in range(1, LEGS + 1)]
    masks = [f"1 << (n %% {leg})::integer" for leg in range(5, 5 + LEGS)]
    step = timedelta(days=DAYS) / count
    with connections["owner"].cursor() as cursor:
        cursor.execute(EXTRAS, {"table": "lototrot_ticket"})
        taken_off = cursor.fetchall()
        for take_off, _ in taken_off:
            cursor.execute(take_off)
        cursor.execute(
            _TICKETS.format(legs=", ".join(legs), masks=", ".join(masks)),
            {
                "contest": contest.pk,
                "premises": [point.premises.pk for point in points],
                "terminals": [point.terminal.pk for point in points],
                "operators": [point.operator.pk for point in points],
                "points": POINTS,
                "began": clock.now() - timedelta(days=DAYS),
                "step": step,
                "price": contest.price_cents,
                "count": count,
            },
        )
        for _, put_back in taken_off:
            cursor.execute(put_back)
    owner_execute("VACUUM (ANALYZE) lototrot_ticket")
    connection.close()  # its query plans were made without the indexes
    return points
