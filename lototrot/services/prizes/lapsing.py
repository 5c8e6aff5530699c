"""Lapse prizes that were not claimed in time, and sum claims. All of it works on sets of rows."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.database.reading.asking import fetch_all, fetch_row
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from core.ledger import services as ledger
from core.payoffice.models import Claim
from core.payoffice.sources import Claimed, Lapsed, Outs
from core.premises.models import Game
from lototrot import accounts, postings
from lototrot.models.settlement import Lapse, PaymentOrder
from lototrot.selectors.retired import stays
from lototrot.selectors.settlement.unclaimed import REFUSED_AFTER_THE_END


class NotYetOver(Conflict):
    code = "not_yet_over"
    message = "The prizes of this contest have not lapsed yet."


# A payment that runs at midnight holds its claim, and the INSERT waits until it ends.
_LAPSE = """
WITH gone AS (
    INSERT INTO payoffice_claim (game, document_id, state, amount_cents, opened_at, day)
    SELECT %(game)s, p.ticket_id, 'lapsed', p.prize_cents, %(now)s, %(day)s
      FROM lototrot_prize p
     WHERE p.settlement_id = %(settlement)s AND p.prize_cents > 0
    ON CONFLICT DO NOTHING RETURNING amount_cents)
SELECT count(*), coalesce(sum(amount_cents), 0)::bigint FROM gone
"""
_OUTS = """
SELECT o.last_claim_day, count(*), sum(p.prize_cents)::bigint
  FROM lototrot_paymentorder o JOIN lototrot_prize p ON p.settlement_id = o.settlement_id
 WHERE p.prize_cents > 0
   AND NOT EXISTS (SELECT FROM lototrot_lapse l WHERE l.contest_id = o.contest_id)
   AND NOT EXISTS (SELECT FROM payoffice_claim c
                    WHERE c.game = %(game)s AND c.document_id = p.ticket_id)
 GROUP BY 1
 UNION ALL
SELECT NULL, count(*), sum(t.amount_cents)::bigint
  FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id
 WHERE v.reason <> 'error'
   AND NOT EXISTS (SELECT FROM payoffice_claim c
                    WHERE c.game = %(game)s AND c.document_id = v.ticket_id)
HAVING count(*) > 0
 ORDER BY 1
"""
_CLAIMED = f"""
SELECT t.contest_id, k.bet_type_code, v.id IS NOT NULL, c.state, c.day,
       CASE WHEN {REFUSED_AFTER_THE_END} THEN 'due'
            WHEN a.code = %(late_claims)s THEN 'organiser' ELSE '' END,
       sum(CASE WHEN v.id IS NULL THEN coalesce(p.prize_cents, 0) ELSE t.amount_cents END)::bigint
  FROM payoffice_claim c JOIN lototrot_ticket t ON t.id = c.document_id
  JOIN lototrot_contest k ON k.id = t.contest_id
  LEFT JOIN lototrot_void v ON v.ticket_id = t.id
  LEFT JOIN lototrot_settlement s ON s.contest_id = k.id AND s.in_force
  LEFT JOIN lototrot_prize p ON p.settlement_id = s.id AND p.ticket_id = t.id
  LEFT JOIN payoffice_restoration r ON r.claim_id = c.id
  LEFT JOIN ledger_account a ON a.id = r.taken_from_id
 WHERE c.game = %(game)s AND c.state NOT IN ('early', 'no_prize') AND {stays()}
 GROUP BY 1, 2, 3, 4, 5, 6
 UNION ALL
SELECT l.contest_id, k.bet_type_code, false, l.state, l.day, '', l.prize_cents
  FROM lototrot_retiredprizes l JOIN lototrot_contest k ON k.id = l.contest_id
 WHERE l.state <> ''
 ORDER BY 1, 2, 3, 4, 5, 6
"""
_GAME = {"game": Game.LOTOTROT.value}


def lapses_due(today: date) -> list[str]:
    """Return the contests whose last claim day is before `today` and which have not lapsed."""
    over = PaymentOrder.objects.filter(last_claim_day__lt=today, contest__lapse=None)
    return [str(pk) for pk in over.order_by("last_claim_day").values_list("contest_id", flat=True)]


def first_lapse(since: date) -> date | None:
    """Return the first last claim day, not before `since`, of a contest that has not lapsed."""
    running = PaymentOrder.objects.filter(last_claim_day__gte=since, contest__lapse=None)
    days = running.order_by("last_claim_day").values_list("last_claim_day", flat=True)
    return days.first()


@transaction.atomic
def lapse(contest_id: int, today: date) -> Lapsed:
    """Lapse every prize of a contest that has no claim. A second call changes nothing.

    The money goes to `accounts.carry_over` of the last claim day. Raise NotYetOver.
    """
    hold((Lock.CONTEST, contest_id))
    order = PaymentOrder.objects.select_related("contest").get(contest_id=contest_id)
    if order.last_claim_day >= min(today, natural_day(clock.now())):
        raise NotYetOver(contest=contest_id, last_claim_day=order.last_claim_day.isoformat())
    if Lapse.objects.filter(contest_id=contest_id).exists():
        return Lapsed(0, 0)
    now = clock.now()
    values: dict[str, Any] = {
        "settlement": order.settlement_id,
        "day": order.last_claim_day,
        "now": now,
        **_GAME,
    }
    prizes, cents = fetch_row(_LAPSE, values)
    lapsed = Lapse.objects.create(
        uuid=row_uuid(now),
        contest_id=contest_id,
        last_claim_day=order.last_claim_day,
        prizes=prizes,
        cents=cents,
        lapsed_at=now,
    )
    payable = accounts.prizes_payable(contest_id)
    line = postings.lapse(
        contest_id=contest_id,
        bet_type_code=order.contest.bet_type_code,
        day=order.last_claim_day,
        cents=cents,
    )
    ledger.post(reference=lapsed.uuid, lines=[line])
    ledger.need_balance(payable, 0)
    return Lapsed(prizes, cents)


def outs() -> list[Outs]:
    """Return prizes and refunds due without a claim, by last claim day. Refunds never lapse."""
    return [Outs(*row) for row in fetch_all(_OUTS, _GAME)]


def claimed() -> Iterable[Claimed]:
    """Return all claims by contest, nature, state and day, with amounts summed from the tickets.

    Of tickets that left with a retired month the sums are added.
    Early claims hold no money, and neither do those that came to nothing. A refused claim whose
    money was the organiser's gives it back to the organiser [C8]. A price that was refused after
    the end of its bet type stays due [A21].
    """
    rows = fetch_all(_CLAIMED, _GAME | {"late_claims": accounts.late_claims().code})
    for contest_id, bet_type_code, is_refund, state, day, elsewhere, cents in rows:
        owed, held = accounts.owed_and_held(contest_id, is_refund=is_refund)
        has_ended = state in Claim.FORFEITED
        sent_to = accounts.carry_over(bet_type_code, day) if has_ended else None
        if has_ended and elsewhere:
            sent_to = accounts.late_claims() if elsewhere == "organiser" else owed
        yield Claimed(state, owed, held, cents, sent_to)
