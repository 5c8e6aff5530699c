"""Do the acts of terminals in bulk: sales, prints, corrections and payments, each a transaction.

The database loops over the same SQL functions that the services call, so rows, transfers, tills and
acts of the journal are those of real sales; only HTTP and Python are left out. A loop commits after
each act: it runs outside any transaction. Acts may be shared out to several sessions, which do them
at the same time, as terminals do.
"""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from django.db import connection, transaction

from core.database import clock
from core.database.tokens import token_digest
from core.journal.acting import acting
from core.kernel import codes
from core.kernel.days import day_bounds
from core.ledger import services as ledger
from core.payoffice import postings
from lototrot import accounts
from lototrot import postings as lototrot_postings
from lototrot.models.contest import Contest
from lototrot.models.tickets import Void
from lototrot.services.tickets.annulment import void_reference
from tests.support.factories import Point
from tests.support.factories.request_uuids import V7

# `history.plan` holds what a block needs: a DO block takes no parameters.
_PLAN = "SELECT set_config('history.plan', %s, false)"
_SELL = """
DO $$
DECLARE
    v jsonb := current_setting('history.plan')::jsonb;
    v_points jsonb := v -> 'points';
    v_lines jsonb := v -> 'lines';
    v_point jsonb;
    v_line jsonb;
    v_uuid uuid;
    r record;
BEGIN
    FOR i IN 0 .. (v ->> 'count')::integer - 1 LOOP
        v_point := v_points -> (i % jsonb_array_length(v_points));
        v_line := v_lines -> (i % jsonb_array_length(v_lines));
        v_uuid := {V7};
        r := lototrot_sell((v_point ->> 'token')::bytea, (v_point ->> 'session')::bytea,
            (v ->> 'contest')::bigint, v_uuid,
            substr(sha256(convert_to(v_line::text, 'UTF8')), 1, 16),
            ARRAY(SELECT m::integer FROM jsonb_array_elements_text(v_line -> 'masks') m),
            0, (v_line ->> 'bets')::integer,
            (v_line ->> 'bets')::bigint * (v ->> 'price')::bigint,
            (v ->> 'day')::bytea || substring(sha256(uuid_send(v_uuid)) FOR 13),
            sha256(uuid_send(v_uuid)));
        IF r.outcome <> 'sold' THEN
            RAISE EXCEPTION 'not sold: %', r.outcome;
        END IF;
        COMMIT;
    END LOOP;
END $$
""".replace("{V7}", V7)
_ACKNOWLEDGE = """
DO $$
DECLARE
    v jsonb := current_setting('history.plan')::jsonb;
    v_at record;
BEGIN
    FOR v_at IN SELECT * FROM jsonb_to_recordset(v -> 'at') AS a (terminal bigint, operator bigint)
    LOOP
        PERFORM set_config('core.act', concat_ws('|', v ->> 'act', '', '', v_at.terminal,
            v_at.operator, {V7}), true);
        INSERT INTO lototrot_displayacknowledgement
               (contest_id, terminal_id, operator_id, acknowledged_at)
        VALUES ((v ->> 'contest')::bigint, v_at.terminal, v_at.operator, core_now());
        COMMIT;
    END LOOP;
END $$
""".replace("{V7}", V7)
_PRINT = """
DO $$
DECLARE
    v jsonb := current_setting('history.plan')::jsonb;
    v_ticket record;
BEGIN
    FOR v_ticket IN SELECT t.id, t.terminal_id FROM lototrot_ticket t
         WHERE t.contest_id = (v ->> 'contest')::bigint
           AND t.id % (v ->> 'sessions')::integer = (v ->> 'session')::integer
         ORDER BY t.id LOOP
        PERFORM set_config('core.act', concat_ws('|', v ->> 'act', '', '', v_ticket.terminal_id, '',
            {V7}), true);
        INSERT INTO lototrot_printconfirmation (ticket_id, confirmed_at)
        VALUES (v_ticket.id, core_now());
        COMMIT;
    END LOOP;
END $$
""".replace("{V7}", V7)
_PAY = """
DO $$
DECLARE
    v jsonb := current_setting('history.plan')::jsonb;
    v_prize record;
    v_uuid uuid;
    r record;
BEGIN
    FOR v_prize IN SELECT * FROM jsonb_to_recordset(v -> 'prizes') AS p (ticket_id bigint,
            prize_cents bigint, premises_id bigint, terminal_id bigint, operator_id bigint,
            session_id bigint) LOOP
        v_uuid := {V7};
        r := payoffice_pay(jsonb_build_object('uuid', v_uuid,
                'request_digest', sha256(uuid_send(v_uuid)), 'amount_cents', v_prize.prize_cents,
                'means', 'cash', 'place', 'establishment', 'premises_id', v_prize.premises_id,
                'terminal_id', v_prize.terminal_id, 'operator_id', v_prize.operator_id,
                'session_id', v_prize.session_id),
            'lototrot', v_prize.ticket_id, NULL, v ->> 'debit', 'premises:' || v_prize.premises_id,
            v ->> 'kind', (v ->> 'from')::timestamptz, (v ->> 'until')::timestamptz);
        IF r.outcome <> 'paid' THEN
            RAISE EXCEPTION 'not paid: %', r.outcome;
        END IF;
        COMMIT;
    END LOOP;
END $$
""".replace("{V7}", V7)
_UNPAID = """
SELECT p.ticket_id, p.prize_cents, t.premises_id, t.terminal_id, t.operator_id,
       (SELECT max(s.id) FROM premises_operatorsession s
         WHERE s.terminal_id = t.terminal_id) AS session_id
  FROM lototrot_prize p JOIN lototrot_settlement s ON s.id = p.settlement_id
  JOIN lototrot_ticket t ON t.id = p.ticket_id
 WHERE s.contest_id = %(contest)s AND s.in_force
   AND p.prize_cents BETWEEN 1 AND %(cents)s AND p.ticket_id %% 10 < 8
   AND NOT EXISTS (SELECT FROM payoffice_claim c
                    WHERE c.game = 'lototrot' AND c.document_id = t.id)
 ORDER BY t.id
"""
_MOST_CASH_CENTS = 119_99
"""Every establishment must pay prizes up to this (14.III.10.3)."""


_Item = TypeVar("_Item")
Unpaid = dict[str, int]
"""A ticket's prize, with where it was sold, by column."""


@dataclass(frozen=True, slots=True)
class Done:
    """Acts of a kind and the seconds that they took."""

    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Line:
    """The marks of a ticket: the mask of each race, and the number of bets that they make."""

    masks: Sequence[int]
    bets: int


def acknowledge(of: Contest, points: Sequence[Point], *, sessions: int = 1) -> None:
    """Declare at each terminal that the programme of a contest is on display."""
    at = [{"terminal": point.terminal.pk, "operator": point.operator.pk} for point in points]
    act = "lototrot_contests_contest_display_acknowledgement_post"
    plan = {"contest": of.pk, "act": act}
    _do(_ACKNOWLEDGE, [plan | {"at": share} for share in _shares(at, sessions)])


def sell(
    of: Contest, points: Sequence[Point], lines: Sequence[Line], count: int, *, sessions: int = 1
) -> Done:
    """Sell `count` tickets of a contest, each marking the next line at the next terminal."""
    sellers = [
        {
            "token": f"\\x{token_digest(point.token).hex()}",
            "session": f"\\x{token_digest(point.session_token).hex()}",
        }
        for point in points
    ]
    marks = [{"masks": list(line.masks), "bets": line.bets} for line in lines[:count]]
    day = f"\\x{codes.day_bytes(of.day).hex()}"
    plan = {"contest": of.pk, "price": of.price_cents, "day": day}
    plans = [
        plan | {"count": len(numbers), "points": at, "lines": marked}
        for numbers, at, marked in zip(
            _shares(range(count), sessions),
            _shares(sellers, sessions),
            _shares(marks, sessions),
            strict=True,
        )
    ]
    return Done(count, _do(_SELL, plans))


def print_all(of: Contest, count: int, *, sessions: int = 1) -> Done:
    """Confirm the print of every ticket of a contest, `count` of them."""
    act = "lototrot_tickets_ident_print_confirmation_post"
    plan = {"contest": of.pk, "act": act, "sessions": sessions}
    return Done(count, _do(_PRINT, [plan | {"session": number} for number in range(sessions)]))


def annul_last(of: Contest, count: int) -> None:
    """Annul the last tickets of a contest, as sold in error."""
    takings = ledger.liability(of.takings_account.code)
    for ticket in of.tickets.order_by("-pk")[:count]:
        act = acting(
            "lototrot_tickets_ident_annulment_post",
            terminal=ticket.terminal_id,
            operator=ticket.operator_id,
        )
        with act, transaction.atomic():
            Void.objects.create(
                ticket=ticket,
                reason=Void.Reason.ERROR,
                note="Number mistyped",
                voided_at=clock.now(),
                operator_id=ticket.operator_id,
            )
            line = lototrot_postings.annulment(
                premises_id=ticket.premises_id, takings=takings, cents=ticket.amount_cents
            )
            ledger.post(reference=void_reference(ticket.uuid), lines=[line])


def pay_most(of: Contest, today: date, *, sessions: int = 1) -> Done:
    """Pay four in five of the prizes that an establishment must pay, where each was sold."""
    return pay(of, today, unpaid(of), sessions=sessions)


def unpaid(of: Contest) -> list[Unpaid]:
    """Return those of the four in five that nobody has claimed yet, in the order of their sale."""
    with connection.cursor() as cursor:
        cursor.execute(_UNPAID, {"contest": of.pk, "cents": _MOST_CASH_CENTS})
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def pay(of: Contest, today: date, prizes: Sequence[Unpaid], *, sessions: int = 1) -> Done:
    """Pay prizes of a contest, each where its ticket was sold."""
    line = postings.payment(
        refund=False,
        stood=accounts.prizes_payable(of.pk),
        paid_from=postings.payer(premises_id=1, cash_session_id=None, means="cash"),
        cents=1,
    )
    start, end = day_bounds(today)
    plan = {
        "debit": accounts.prizes_payable(of.pk).code,
        "kind": line.kind,
        "from": start.isoformat(),
        "until": end.isoformat(),
    }
    plans = [plan | {"prizes": share} for share in _shares(prizes, sessions)]
    return Done(len(prizes), _do(_PAY, plans))


def _shares(whole: Sequence[_Item], sessions: int) -> list[Sequence[_Item]]:
    """Share items out to so many sessions in turn. Each has some, if there are enough."""
    return [whole[number::sessions] for number in range(sessions)]


def _do(block: str, plans: Sequence[dict[str, Any]]) -> float:
    """Do plans at the same time: the first in our session, each other in one of its own.

    Return the seconds until all are done.
    """
    began = time.perf_counter()
    if len(plans) == 1:
        _execute(block, plans[0])
    else:
        with ThreadPoolExecutor(len(plans) - 1) as threads:
            others = [threads.submit(_execute_apart, block, plan) for plan in plans[1:]]
            _execute(block, plans[0])
        for other in others:
            other.result()
    return time.perf_counter() - began


def _execute(block: str, plan: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_PLAN, [json.dumps(plan)])
        cursor.execute(block)


def _execute_apart(block: str, plan: dict[str, Any]) -> None:
    try:
        _execute(block, plan)
    finally:
        connection.close()
