"""A history made in bulk has the rows of one that was really played, and the audits agree."""

import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.db import connection

from core.database import clock
from core.journal.acting import acting
from core.kernel.days import natural_day
from core.ledger.selectors import trial
from core.nights.models import JobRun
from core.nights.services import night_run
from core.payoffice.services.paying import PayRequest, payment_make
from core.premises.access import BareTerminal
from core.premises.models import Operator
from core.premises.operators import operator_sign_on
from core.premises.requests import new_uuid
from core.staff.powers import Role
from core.statements.models import Statement
from core.statements.services import statement_settle
from lototrot.engine.races import numbers_of
from lototrot.models.contest import Contest, DisplayAcknowledgement
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from lototrot.services.contest.contests import display_acknowledge
from lototrot.services.tickets.annulment import ticket_annul
from lototrot.services.tickets.printing import print_confirm
from lototrot.services.tickets.selling import SaleRequest, Sold, ticket_sell
from tests.support import factories
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.history import weeks
from tests.support.history.acts import Done, Line

NAMES = {
    *(
        "act_name",
        "kind",
        "state",
        "reason",
        "means",
        "place",
        "game",
        "line",
        "rows_of_act",
        "job",
    ),
}
"""Columns whose values are part of the shape of a row; of the others, whether they are filled."""
OF_CONTEST = {
    "lototrot_ticket": "contest_id = %(contest)s",
    "lototrot_displayacknowledgement": "contest_id = %(contest)s",
    "lototrot_printconfirmation": "ticket_id IN {tickets}",
    "lototrot_void": "ticket_id IN {tickets}",
    "ledger_transfer": "reference IN (SELECT uuid FROM lototrot_ticket"
    " WHERE contest_id = %(contest)s UNION SELECT p.uuid FROM payoffice_payment p"
    " JOIN payoffice_claim c ON c.id = p.claim_id WHERE c.document_id IN {tickets})"
    " OR kind = 'lototrot.annulment' AND debit_id = (SELECT takings_account_id"
    " FROM lototrot_contest WHERE id = %(contest)s)",
    "payoffice_claim": "game = 'lototrot' AND document_id IN {tickets}",
    "payoffice_payment": "claim_id IN (SELECT id FROM payoffice_claim"
    " WHERE game = 'lototrot' AND document_id IN {tickets})",
}
_TICKETS = "(SELECT id FROM lototrot_ticket WHERE contest_id = %(contest)s)"
# Every row with its act: as JSON without what is empty, whose names alone count.
_ROWS = """
SELECT jsonb_strip_nulls(to_jsonb(t)) || jsonb_build_object('act_name', s.name,
       'act_filled', jsonb_strip_nulls(to_jsonb(a) - 'journal_xid' - 'at'),
       'rows_of_act', (SELECT count(*) FROM ledger_transfer o WHERE o.journal_xid = t.journal_xid))
  FROM {table} t JOIN journal_act a ON a.journal_xid = t.journal_xid
  JOIN journal_source s ON s.id = a.source_id WHERE {where}
"""


# Written together, in one act of the history's own: only the rows are those of the services.
_ROWS_ALONE = "SELECT jsonb_strip_nulls(to_jsonb(t)) FROM {table} t WHERE {where}"
_SESSIONS = {"premises_operatorsession": "started_at > %(since)s"}
_REMITTED = {
    "statements_remittance": "recorded_at > %(since)s",
    "ledger_transfer": "reference IN (SELECT uuid FROM statements_remittance"
    " WHERE recorded_at > %(since)s)",
}
_RUNS = {"nights_jobrun": "day = %(day)s"}
_PIN = "271828"


class Served:
    """Acts of terminals by the services, one by one in one session, in place of `acts`."""

    def __init__(self) -> None:
        self.sold: dict[uuid.UUID, tuple[Point, Sold]] = {}

    def acknowledge(self, of: Contest, points: Sequence[Point], *, sessions: int = 1) -> None:
        for point in points:
            with acting(
                "lototrot_contests_contest_display_acknowledgement_post",
                terminal=point.terminal.pk,
                operator=point.operator.pk,
                request_id=str(new_uuid()),
            ):
                display_acknowledge(by=point.actor, contest=of)

    def sell(
        self,
        of: Contest,
        points: Sequence[Point],
        lines: Sequence[Line],
        count: int,
        *,
        sessions: int = 1,
    ) -> Done:
        for number in range(count):
            point, line = points[number % len(points)], lines[number % len(lines)]
            request = SaleRequest(
                new_uuid(),
                of.pk,
                tuple(numbers_of(mask) for mask in line.masks),
                of.price_cents,
                line.bets * of.price_cents,
            )
            sold = ticket_sell(credentials=point.credentials, request=request)
            self.sold[request.uuid] = point, sold
        return Done(count, 1)

    def print_all(self, of: Contest, count: int, *, sessions: int = 1) -> Done:
        for ident, (point, _) in self.sold.items():
            with acting(
                "lototrot_tickets_ident_print_confirmation_post",
                terminal=point.terminal.pk,
                request_id=str(ident),
            ):
                print_confirm(by=_bare(point), ident=ident)
        return Done(count, 1)

    def annul_last(self, of: Contest, count: int) -> None:
        for ident, (point, sold) in list(self.sold.items())[-count:]:
            assert sold.code is not None
            with acting(
                "lototrot_tickets_ident_annulment_post",
                terminal=point.terminal.pk,
                operator=point.operator.pk,
            ):
                ticket_annul(
                    by=point.actor,
                    ident=ident,
                    presented_code=sold.code.grouped,
                    reason="Number mistyped",
                )

    def pay_most(self, of: Contest, today: date, *, sessions: int = 1) -> Done:
        prizes = Prize.objects.filter(settlement__contest=of, prize_cents__range=(1, 119_99))
        for prize in prizes.select_related("ticket"):
            point, sold = self.sold[prize.ticket.uuid]
            if prize.ticket_id % 10 < 8 and sold.code:
                request = PayRequest(
                    new_uuid(), prize.prize_cents, intact=True, code=sold.code.grouped
                )
                payment_make(at=point.actor, request=request)
        return Done(1, 1)


def _bare(point: Point) -> BareTerminal:
    return BareTerminal(point.terminal.pk, point.premises.pk, point.premises.kind)


_ACTS = ("acknowledge", "sell", "print_all", "annul_last", "pay_most")


Shapes = dict[str, Counter[str]]
"""The numbers of rows of each shape, by table."""


def shapes(contest: Contest) -> Shapes:
    """Return the shapes of the rows that hang on a contest's tickets, with their acts."""
    wheres = {table: where.format(tickets=_TICKETS) for table, where in OF_CONTEST.items()}
    return _shapes(_ROWS, wheres, contest=contest.pk)


def _shapes(rows: str, wheres: Mapping[str, str], **words: object) -> Shapes:
    shapes_by_table: Shapes = {}
    with connection.cursor() as cursor:
        for table, where in wheres.items():
            cursor.execute(rows.format(table=table, where=where), words)
            shapes_by_table[table] = Counter(_shape(row) for (row,) in cursor.fetchall())
    assert all(shapes_by_table.values())
    return shapes_by_table


def _kinds(shapes_by_table: Shapes) -> dict[str, set[str]]:
    """Return which shapes there are, by table."""
    return {table: set(counts) for table, counts in shapes_by_table.items()}


def _shape(text: str) -> str:
    row: dict[str, Any] = json.loads(text)
    act = sorted(name for name, value in row.pop("act_filled", {}).items() if value != "")
    named = sorted((name, str(value)) for name, value in row.items() if name in NAMES)
    filled = sorted(name for name, value in row.items() if value != "")
    return f"{named} {filled} {act}"


def _remitted_by_staff(sunday: date) -> None:
    """Record one by one what the premises paid, as staff do."""
    by = factories.staff(Role.SUPERVISOR)
    for statement in Statement.objects.filter(week_to=sunday, closing_cents__gt=0):
        statement_settle(
            by=by,
            statement=statement.uuid,
            amount_cents=statement.closing_cents,
            paid_on=natural_day(clock.now()),
            reference=f"TRF {statement.pk}",
        )


def test_a_history_in_bulk_is_as_one_really_played(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = weeks.begin(premises=3, tickets=60, plays=4)
    served = Served()
    with monkeypatch.context() as patch:
        patch.setattr(weeks, "acts", SimpleNamespace(**{n: getattr(served, n) for n in _ACTS}))
        history.grow(1)
    since = clock.now()
    with monkeypatch.context() as patch:
        patch.setattr(weeks, "remit", _remitted_by_staff)
        history.grow(1)
    played, in_bulk = Contest.objects.order_by("day")
    # The same lines win, so that all counts are determined.
    assert shapes(in_bulk) == shapes(played)
    remitted = _shapes(_ROWS_ALONE, _REMITTED, since=since)
    factories.time_pass(days=1)
    sunday = history.saturday - timedelta(days=6)
    night = {run.job: run.error for run in night_run() if run.state != JobRun.State.DONE}
    assert night == {}
    runs = _shapes(_ROWS_ALONE, _RUNS, day=sunday)
    assert trial().difference_cents == 0

    since = clock.now()
    history.on_sale()  # after the nights of a week, whose remittances are written together
    assert _shapes(_ROWS_ALONE, _REMITTED, since=since) == remitted
    weeks.record_nights(sunday + timedelta(days=7), sunday + timedelta(days=7))
    assert _shapes(_ROWS_ALONE, _RUNS, day=sunday + timedelta(days=7)) == runs


def test_acts_shared_out_to_two_sessions_write_the_same_shapes(own_database: Database) -> None:
    history = weeks.begin(premises=3, tickets=60, plays=4)
    history.grow(1)
    history.sessions = 2
    history.grow(1)
    alone, together = Contest.objects.order_by("day")
    # Of the tickets, others are the last ones, and so others are annulled or paid.
    assert _kinds(shapes(together)) == _kinds(shapes(alone))
    for model in (DisplayAcknowledgement, Ticket):
        counts = [model.objects.filter(contest=contest).count() for contest in (alone, together)]
        assert counts[0] == counts[1]
    assert trial().difference_cents == 0


def test_sessions_in_bulk_are_as_those_of_operators_who_sign_on(own_database: Database) -> None:
    points = [factories.point() for _ in range(3)]
    factories.time_pass(days=1)
    since = clock.now()
    for point in points:
        Operator.objects.filter(pk=point.operator.pk).update(pin=make_password(_PIN))
        operator_sign_on(terminal=_bare(point), number=point.operator.number, pin=_PIN)
    signed_on = _shapes(_ROWS_ALONE, _SESSIONS, since=since)
    factories.time_pass(days=weeks._SESSION_DAYS)
    since = clock.now()
    factories.time_pass(days=1)
    weeks.signed_on(points)
    assert _shapes(_ROWS_ALONE, _SESSIONS, since=since) == signed_on
