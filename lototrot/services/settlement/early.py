"""Value the claims that were opened between the results and the payment order (14.III.10.2) [D7].

A ticket that was presented or deposited then has an early claim of no amount. The payment order
values it with its prize. A ticket that proves to be in breach before the order is valued with its
price, which is a refund due. Its money is held from then on.
"""

import uuid
from typing import Any

from core.database import clock
from core.database.reading.asking import fetch_value
from core.kernel.errors import Conflict
from core.ledger import services as ledger
from core.ledger.services import AccountCode
from core.payoffice import postings
from core.premises.models import Game
from core.staff.models import Proposal
from lototrot.accounts import owed_and_held
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.selectors.settlement.results import contest_results

# What each early claim is worth: the prize of its ticket in a settlement, or nothing.
_PRIZES = """
SELECT t.id, coalesce(p.prize_cents, 0) AS cents
  FROM payoffice_claim e JOIN lototrot_ticket t ON t.id = e.document_id
  LEFT JOIN lototrot_prize p ON p.settlement_id = %(of)s AND p.ticket_id = t.id
 WHERE e.game = %(game)s AND e.state = 'early' AND t.contest_id = %(contest)s
"""
# The price of each ticket that a proposal voided.
_PRICES = """
SELECT t.id, t.amount_cents AS cents
  FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id
 WHERE v.proposal_id = %(of)s AND t.contest_id = %(contest)s
"""
_VALUE = """
WITH worth AS ({worth}), valued AS (
    UPDATE payoffice_claim c
       SET state = CASE WHEN w.cents = 0 THEN 'no_prize'
                        WHEN EXISTS (SELECT FROM payoffice_depositmatch m WHERE m.claim_id = c.id)
                        THEN 'held' ELSE 'presented' END,
           amount_cents = w.cents, changed_at = %(now)s, valued_at = %(now)s
      FROM worth w WHERE c.game = %(game)s AND c.document_id = w.id AND c.state = 'early'
    RETURNING c.amount_cents)
SELECT coalesce(sum(amount_cents), 0)::bigint FROM valued
"""


def results_established(contest: Contest) -> bool:
    """Return whether every result of a contest is established [D2]."""
    if contest.state != Contest.State.CLOSED:
        return contest.state in Contest.WITH_SETTLEMENT
    try:
        contest_results(contest)
    except Conflict:
        return False
    return True


def early_claims_value(order: PaymentOrder, reference: uuid.UUID) -> None:
    """Value the early claims of a contest with the prizes that are ordered."""
    owed, held = owed_and_held(order.contest_id, is_refund=False)
    _value(_PRIZES, order.settlement_id, order.contest_id, owed, held, reference)


def early_claims_refund(contest_id: int, proposal: Proposal, reference: uuid.UUID) -> None:
    """Value the early claims of the tickets that a proposal voided with their prices [C6]."""
    owed, held = owed_and_held(contest_id, is_refund=True)
    _value(_PRICES, proposal.pk, contest_id, owed, held, reference)


def _value(
    worth: str,
    of: int,
    contest_id: int,
    owed: AccountCode,
    held: AccountCode,
    reference: uuid.UUID,
) -> None:
    values: dict[str, Any] = {
        "of": of,
        "contest": contest_id,
        "game": Game.LOTOTROT.value,
        "now": clock.now(),
    }
    cents = int(fetch_value(_VALUE.format(worth=worth), values))
    ledger.post(reference=reference, lines=[postings.hold(owed=owed, held=held, cents=cents)])
