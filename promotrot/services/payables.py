"""Give the prize office the vouchers: prizes, things, and prices to pay back (15.III.6.3 to
6.7).
"""

import dataclasses
import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.database.reading.asking import fetch_all
from core.database.statements import fetch_prepared
from core.kernel import codes
from core.kernel.regulation import Bearer
from core.ledger import services as ledger
from core.ledger.services import AccountCode
from core.payoffice.models import Claim, Restoration
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
    Thing,
)
from core.premises.models import Game
from core.receipts.document import Block, Pair, present_language
from core.receipts.document import Line as Text
from core.receipts.formats import format_cents, format_date
from promotrot import accounts, postings
from promotrot.models.voucher import Voucher, VoucherHandover
from promotrot.selectors.debts import debt_left
from promotrot.selectors.facts import emission_facts
from promotrot.services import explaining
from promotrot.services.voucher_paper import thing_of
from promotrot.services.vouchers import VoucherHandedOver

_NATURES = {
    Voucher.Nature.CASH: Nature.PRIZE,
    Voucher.Nature.DRAWN: Nature.PRIZE,
    Voucher.Nature.IN_KIND: Nature.IN_KIND,
    Voucher.Nature.REFUND: Nature.REFUND,
}

_VOUCHER = """
SELECT v.id, v.uuid, v.nature, v.amount_cents, v.thing, v.prizes::text, v.premises_id, v.issued_at,
       v.issue_day, v.last_day, coalesce(t.uuid, v.left_play), v.emission_id
  FROM promotrot_voucher v LEFT JOIN promotrot_playticket t ON t.id = v.ticket_id
"""
_BY_CODE = _VOUCHER + "WHERE v.code_digest = %s"
_BY_ID = _VOUCHER + "WHERE v.id = %s"
_BY_UUID = _VOUCHER + "WHERE v.uuid = %s"

# A price due back is the buyer's and never lapses; a prize does, after its last day (15.III.6.6).
_DUE = """
SELECT DISTINCT v.last_day FROM promotrot_voucher v
 WHERE v.last_day >= %(since)s AND v.last_day < %(today)s AND v.nature <> 'refund'
   AND NOT EXISTS (SELECT FROM payoffice_claim c
                    WHERE c.game = 'promotrot' AND c.document_id = v.id)
 ORDER BY 1
"""
_LAPSE = """
WITH lapsing AS (
    SELECT v.id, v.amount_cents, v.emission_id, v.nature = 'drawn' AS drawn
      FROM promotrot_voucher v
     WHERE v.last_day = %(day)s AND v.last_day < %(today)s AND v.nature <> 'refund'
), lapsed AS (
    INSERT INTO payoffice_claim (game, document_id, state, amount_cents, opened_at, day)
    SELECT 'promotrot', id, 'lapsed', amount_cents, core_now(), %(day)s FROM lapsing ORDER BY id
    ON CONFLICT (game, document_id) DO NOTHING
    RETURNING document_id, amount_cents
)
SELECT e.reference, count(*), sum(l.amount_cents)::bigint, CASE WHEN g.drawn THEN m.code END
  FROM lapsed l JOIN lapsing g ON g.id = l.document_id
  JOIN promotrot_emission e ON e.id = g.emission_id JOIN promotrot_game m ON m.id = e.game_id
 GROUP BY e.id, m.code, g.drawn ORDER BY e.id, g.drawn
"""
_OUTS = """
SELECT CASE WHEN v.nature <> 'refund' THEN v.last_day END AS day, count(*),
       sum(v.amount_cents)::bigint
  FROM promotrot_voucher v
 WHERE NOT EXISTS (SELECT FROM payoffice_claim c
                    WHERE c.game = 'promotrot' AND c.document_id = v.id)
 GROUP BY 1 ORDER BY 1
"""
_CLAIMED = """
SELECT c.state, e.reference, v.nature = 'refund', sum(c.amount_cents)::bigint,
       CASE WHEN v.nature = 'drawn' THEN m.code END
  FROM payoffice_claim c JOIN promotrot_voucher v ON v.id = c.document_id
  JOIN promotrot_emission e ON e.id = v.emission_id JOIN promotrot_game m ON m.id = e.game_id
 WHERE c.game = 'promotrot'
 GROUP BY 1, 2, 3, 5 ORDER BY 1, 2, 3, 5
"""


class Vouchers:
    """Promotrot's source of documents. The id of a document is the id of its voucher."""

    game: str = Game.PROMOTROT.value
    kind = codes.VOUCHER
    bearer = Bearer.VOUCHER

    @property
    def code_query(self) -> CodeQuery:
        return _CODE_QUERY

    def by_code(self, code_digest: bytes) -> Payable | None:
        row = fetch_prepared(_BY_CODE, [code_digest])
        if row is not None:
            return _payable(row)
        if VoucherHandover.objects.filter(replaced_digest=code_digest).exists():
            raise VoucherHandedOver
        return None

    def by_id(self, document_id: int) -> Payable:
        return _payable(_need_row(_BY_ID, document_id))

    def by_uuid(self, document: UUID) -> Payable:
        return _payable(_need_row(_BY_UUID, document))

    def details(self, document_id: int) -> Mapping[str, Any]:
        return _details(_need_row(_BY_ID, document_id))

    def reasons(self, document_id: int) -> Reasons | None:
        return explaining.reasons(document_id)

    def blocks(self, document_id: int) -> Sequence[Block]:
        voucher = _get(document_id)
        language = present_language()
        facts = emission_facts(voucher.emission_id)
        thing = thing_of(voucher.thing, facts, language)
        return [
            Text(f"{facts.texts(language).name} · {facts.reference}"),
            *([Text(thing["name"])] if thing else []),
            Pair(_("Amount"), format_cents(voucher.amount_cents, language)),
            Pair(_("Issued"), format_date(voucher.issue_day, language)),
        ]

    def takes_early(self, payable: Payable) -> bool:
        return False

    def hold_pending(self, payable: Payable) -> Payable:
        return payable

    def is_blocked(self, document_id: int) -> bool:
        return False

    def handed_over_by(self, document_id: int) -> frozenset[int]:
        handovers = VoucherHandover.objects.filter(voucher=document_id)
        pairs = handovers.values_list("handed_by", "proposal__decision__decided_by")
        return frozenset(person for pair in pairs for person in pair)

    def forfeits_to(self, payable: Payable, day: datetime.date) -> AccountCode:
        voucher = _get(payable.document_id)
        if voucher.nature == Voucher.Nature.REFUND:
            return accounts.refunds(voucher.emission.reference)
        if voucher.nature != Voucher.Nature.DRAWN:
            return _forfeited_to(None)
        if _borne_by_organiser(voucher):
            return accounts.late_awards()
        return _forfeited_to(voucher.emission.game.code)

    def gives_back(self, payable: Payable, lapsed_day: datetime.date) -> AccountCode:
        voucher = _get(payable.document_id)
        if voucher.nature != Voucher.Nature.DRAWN:
            return _forfeited_to(None)
        game = voucher.emission.game
        hold((Lock.GAME, game.pk))
        still_owed = debt_left(game)[0] >= 0  # its claim is held now, and counts no more
        return _forfeited_to(game.code) if still_owed else accounts.late_awards()

    def first_lapse(self, since: datetime.date) -> datetime.date | None:
        lapsing = Voucher.objects.filter(last_day__gte=since).exclude(nature=Voucher.Nature.REFUND)
        return lapsing.order_by("last_day").values_list("last_day", flat=True).first()

    def lapses_due(
        self, today: datetime.date, since: datetime.date = datetime.date.min
    ) -> Sequence[str]:
        return [day.isoformat() for (day,) in fetch_all(_DUE, {"today": today, "since": since})]

    @transaction.atomic
    def lapse(self, group: str, today: datetime.date) -> Lapsed:
        day = datetime.date.fromisoformat(group)
        rows = fetch_all(_LAPSE, {"day": day, "today": today})
        lines = [
            postings.lapse(reference=reference, cents=cents)
            if drawn_by is None
            else postings.lapse_drawn(game_code=drawn_by, reference=reference, cents=cents)
            for reference, _documents, cents, drawn_by in rows
        ]
        if lines:
            ledger.post(reference=row_uuid(clock.now()), lines=lines)
        return Lapsed(sum(row[1] for row in rows), sum(row[2] for row in rows))

    def outs(self) -> Iterable[Outs]:
        return [Outs(*row) for row in fetch_all(_OUTS)]

    def claimed(self) -> Iterable[Claimed]:
        for state, reference, refund, cents, drawn_by in fetch_all(_CLAIMED):
            owed = accounts.refunds(reference) if refund else accounts.vouchers(reference)
            to = None
            if state in Claim.FORFEITED:
                to = owed if refund else _forfeited_to(drawn_by)
            yield Claimed(state, owed, accounts.held(reference), cents, to)


def _forfeited_to(drawn_by: str | None) -> AccountCode:
    """Return where the money of a lapsed or refused voucher goes; `drawn_by` is the code of the
    ended game whose draw gave it, or None [P17].
    """
    return accounts.unclaimed() if drawn_by is None else accounts.prizes(drawn_by)


def _borne_by_organiser(voucher: Voucher) -> bool:
    """Return whether the organiser pays a drawn prize, as its money was drawn again [C8, P17]."""
    restored = Restoration.objects.filter(claim__game=Game.PROMOTROT, claim__document_id=voucher.pk)
    return restored.filter(taken_from__code=accounts.late_awards().code).exists()


@dataclasses.dataclass(frozen=True, slots=True)
class _Row:
    """A voucher as `_VOUCHER` reads it, with the UUID and the emission of its play."""

    id: int
    uuid: UUID
    nature: str
    amount_cents: int
    thing: str
    prizes: str
    premises_id: int
    issued_at: datetime.datetime
    issue_day: datetime.date
    last_day: datetime.date
    play: UUID
    emission_id: int


def _need_row(query: str, key: int | UUID) -> Sequence[Any]:
    row = fetch_prepared(query, [key])
    if row is None:
        raise DocumentUnknown
    return row


def _get(document_id: int) -> Voucher:
    rows = Voucher.objects.select_related("emission__game")
    voucher: Voucher | None = rows.filter(pk=document_id).first()
    if voucher is None:
        raise DocumentUnknown
    return voucher


def _details(columns: Sequence[Any]) -> Mapping[str, Any]:
    row = _Row(*columns)
    facts = emission_facts(row.emission_id)
    language = present_language()
    return {
        "play": str(row.play),
        "emission": facts.reference,
        "game": facts.texts(language).name,
        "prizes": json.loads(row.prizes),
        "thing": thing_of(row.thing, facts, language),
        "issue_day": row.issue_day.isoformat(),
    }


def _payable(columns: Sequence[Any]) -> Payable:
    row = _Row(*columns)
    facts = emission_facts(row.emission_id)
    refund = row.nature == Voucher.Nature.REFUND
    owed = accounts.refunds(facts.reference) if refund else accounts.vouchers(facts.reference)
    thing = thing_of(row.thing, facts, present_language())
    return Payable(
        game=Game.PROMOTROT.value,
        document_id=row.id,
        uuid=row.uuid,
        bearer=Bearer.VOUCHER,
        standing=Standing.OWED,
        issuer_id=row.premises_id,
        issued_at=row.issued_at,
        nature=_NATURES[Voucher.Nature(row.nature)],
        amount_cents=row.amount_cents,
        last_claim_day=None if refund else row.last_day,
        owed=owed,
        held=accounts.held(facts.reference),
        thing=Thing(thing["key"], thing["name"]) if thing else None,
    )


_CODE_QUERY = CodeQuery(_BY_CODE, _BY_CODE, _payable, _details)
VOUCHERS = Vouchers()
