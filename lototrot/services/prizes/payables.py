"""Offer tickets to the prize office: prizes once payment is ordered, and refunds [C6, E11].

Once their results are established they can be presented and deposited [D7].
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from core.database.locks import Lock, hold
from core.database.statements import fetch_prepared
from core.kernel import codes
from core.kernel.regulation import Bearer
from core.ledger.services import AccountCode
from core.payoffice.sources import (
    Claimed,
    CodeQuery,
    DocumentUnknown,
    Lapsed,
    Nature,
    Outs,
    Payable,
    Reasons,
    Standing,
)
from core.premises.models import Game
from core.receipts.document import Block
from lototrot import accounts
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.selectors.retired import need_none_left
from lototrot.services.prizes import explaining, lapsing, restoring
from lototrot.services.settlement.early import results_established
from lototrot.services.tickets import presented

# The prize is looked up for the one ticket. As a join, a plan made before the prizes were counted
# reads all prizes of the contest for each ticket that is presented.
_COLUMNS = (
    "t.id",
    "t.uuid",
    "t.premises_id",
    "t.sold_at",
    "t.amount_cents",
    "t.contest_id",
    "v.reason",
    """CASE WHEN c.state IN ('open', 'stopped') AND core_now() < c.scheduled_close_at THEN 'on_sale'
            WHEN c.state = 'settled' THEN 'awaiting_order'
            WHEN c.state <> 'ordered' THEN 'awaiting_results' END""",
    """coalesce((SELECT p.prize_cents FROM lototrot_prize p
                  WHERE p.settlement_id = o.settlement_id AND p.ticket_id = t.id), 0)""",
    "o.first_pay_day",
    "o.last_claim_day",
)
_FROM = """
  FROM lototrot_ticket t JOIN lototrot_contest c ON c.id = t.contest_id
  LEFT JOIN lototrot_void v ON v.ticket_id = t.id
  LEFT JOIN lototrot_paymentorder o ON o.contest_id = c.id
"""
_TICKET = f"SELECT {', '.join(_COLUMNS)} {_FROM}"
_BY_CODE = _TICKET + "WHERE t.code_digest = %s"
_BY_ID = _TICKET + "WHERE t.id = %s"
_BY_UUID = _TICKET + "WHERE t.uuid = %s"
_SHOWN_BY_CODE = f"""SELECT {", ".join(_COLUMNS)}, {presented.COLUMNS} {_FROM}
  JOIN premises_premises m ON m.id = t.premises_id WHERE t.code_digest = %s"""


class Tickets:
    """Lototrot's tickets as payables.

    A prize is visible only after the payment order (14.III.8.2).
    """

    game = Game.LOTOTROT.value
    kind = codes.TICKET
    bearer = Bearer.TICKET

    @property
    def code_query(self) -> CodeQuery:
        return _CODE_QUERY

    def by_code(self, code_digest: bytes) -> Payable | None:
        payable = _payable_by(_BY_CODE, code_digest)
        if payable is None:
            need_none_left()
        return payable

    def by_id(self, document_id: int) -> Payable:
        return _need_payable(_BY_ID, document_id)

    def by_uuid(self, document: UUID) -> Payable:
        return _need_payable(_BY_UUID, document)

    def details(self, document_id: int) -> Mapping[str, Any]:
        return presented.card(document_id)

    def reasons(self, document_id: int) -> Reasons | None:
        return explaining.reasons(document_id)

    def blocks(self, document_id: int) -> Sequence[Block]:
        return presented.blocks(document_id)

    def takes_early(self, payable: Payable) -> bool:
        return results_established(_contest(payable))

    def handed_over_by(self, document_id: int) -> frozenset[int]:
        return frozenset()

    def is_blocked(self, document_id: int) -> bool:
        return Ticket.objects.filter(pk=document_id, block__isnull=False).exists()

    def hold_pending(self, payable: Payable) -> Payable:
        hold((Lock.CONTEST, _contest(payable).pk), shared=True)
        return self.by_id(payable.document_id)

    def forfeits_to(self, payable: Payable, day: date) -> AccountCode:
        if restoring.borne_by_organiser(payable.document_id):
            return accounts.late_claims()
        contest = _contest(payable)
        ended = GameEnd.objects.filter(bet_type_code=contest.bet_type_code).exists()
        if ended and payable.nature is Nature.REFUND:  # no meeting comes any more
            return accounts.refunds_due(contest.pk)
        return accounts.carry_over(contest.bet_type_code, day)

    def gives_back(self, payable: Payable, lapsed_day: date) -> AccountCode:
        code = _contest(payable).bet_type_code
        return restoring.lapsed_source(code, lapsed_day, payable.amount_cents)

    def first_lapse(self, since: date) -> date | None:
        return lapsing.first_lapse(since)

    def lapses_due(self, today: date, since: date = date.min) -> Sequence[str]:
        return lapsing.lapses_due(today)

    def lapse(self, group: str, today: date) -> Lapsed:
        return lapsing.lapse(int(group), today)

    def outs(self) -> Sequence[Outs]:
        return lapsing.outs()

    def claimed(self) -> Sequence[Claimed]:
        return list(lapsing.claimed())


def _contest(payable: Payable) -> Contest:
    return Ticket.objects.select_related("contest").get(pk=payable.document_id).contest


def _need_payable(query: str, key: int | UUID) -> Payable:
    payable = _payable_by(query, key)
    if payable is None:
        need_none_left()
        raise DocumentUnknown
    return payable


def _payable_by(query: str, key: bytes | int | UUID) -> Payable | None:
    row = fetch_prepared(query, [key])
    return _payable(*row) if row else None


def _payable(
    ident: int,
    uuid: Any,
    premises: int,
    sold_at: Any,
    price_cents: int,
    contest_id: int,
    void: str | None,
    stage: str | None,
    prize_cents: int,
    first_pay_day: date | None,
    last_claim_day: date | None,
) -> Payable:
    base = {
        "game": Tickets.game,
        "document_id": ident,
        "uuid": uuid,
        "bearer": Tickets.bearer,
        "issuer_id": premises,
        "issued_at": sold_at,
    }
    if void == "error":
        return Payable(**base, standing=Standing.VOID)
    if void is not None:
        owed, held = accounts.owed_and_held(contest_id, is_refund=True)
        return Payable(
            **base,
            standing=Standing.OWED,
            nature=Nature.REFUND,
            amount_cents=price_cents,
            owed=owed,
            held=held,
        )
    if stage is not None:
        return Payable(**base, standing=Standing.PENDING, stage=stage)
    if not prize_cents:
        return Payable(**base, standing=Standing.NO_PRIZE)
    owed, held = accounts.owed_and_held(contest_id, is_refund=False)
    return Payable(
        **base,
        standing=Standing.OWED,
        amount_cents=prize_cents,
        owed=owed,
        held=held,
        first_pay_day=first_pay_day,
        last_claim_day=last_claim_day,
    )


def _details(row: Sequence[Any]) -> Mapping[str, Any]:
    return presented.card_of(presented.shown_of(row[len(_COLUMNS) :]))


_CODE_QUERY = CodeQuery(
    _BY_CODE, _SHOWN_BY_CODE, lambda row: _payable(*row[: len(_COLUMNS)]), _details
)
TICKETS = Tickets()
