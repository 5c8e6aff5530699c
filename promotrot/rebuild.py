"""Rebuild Promotrot's money from tickets, plays and vouchers for `ledger_rebuild`.

The prize office rebuilds what happened to vouchers afterwards.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.database.reading.asking import fetch_all, fetch_row
from core.kernel.days import natural_day
from core.ledger.books import Books, Rebuilder
from core.ledger.services import Line
from promotrot import accounts, postings
from promotrot.engine import shortfall
from promotrot.engine.shortfall import Closing
from promotrot.models.debt import DebtDecision, DebtStanding
from promotrot.models.emission import Emission
from promotrot.selectors.closing import stated_closing
from promotrot.selectors.left import STAYS

_SALES = f"""
SELECT s.premises_id, sum(s.price_cents)::bigint FROM (
    SELECT t.premises_id, t.price_cents FROM promotrot_playticket t
     WHERE t.emission_id = %(emission)s AND {STAYS}
     UNION ALL
    SELECT l.premises_id, m.price_cents
      FROM promotrot_left_plays l JOIN promotrot_emission m ON m.id = l.emission_id
     WHERE l.emission_id = %(emission)s) s
 GROUP BY 1 ORDER BY 1
"""
# A voucher is found by its play, or, where that left, by its draw.
_VOUCHERS = """
SELECT coalesce(sum(v.amount_cents) FILTER (WHERE v.nature IN ('cash', 'in_kind')), 0)::bigint,
       coalesce(sum(v.amount_cents) FILTER (WHERE v.nature = 'refund'), 0)::bigint,
       coalesce(sum(v.amount_cents) FILTER (WHERE v.nature = 'drawn'), 0)::bigint
  FROM (SELECT w.nature, w.amount_cents
          FROM promotrot_voucher w JOIN promotrot_playticket t ON t.id = w.ticket_id
         WHERE t.emission_id = %(emission)s
         UNION ALL
        SELECT w.nature, w.amount_cents
          FROM promotrot_voucher w JOIN promotrot_debtdraw d ON d.id = w.debt_draw_id
         WHERE d.game_id = %(game)s AND w.emission_id = %(emission)s
           AND w.left_play IS NOT NULL) v
"""

# Drawn prizes that the organiser paid after they had been drawn again: their lapse has no claim any
# more that tells of it [C8, P17].
_RESTORED = """
SELECT m.code, sum(r.cents)::bigint FROM payoffice_restoration r
  JOIN ledger_account a ON a.id = r.taken_from_id JOIN payoffice_claim c ON c.id = r.claim_id
  JOIN promotrot_voucher v ON v.id = c.document_id
  JOIN promotrot_debtdraw d ON d.id = v.debt_draw_id JOIN promotrot_game m ON m.id = d.game_id
 WHERE c.game = 'promotrot' AND c.state <> 'refused' AND a.code = %s GROUP BY m.code
"""


@dataclass(frozen=True, slots=True)
class _Moved:
    """The worth of an emission's vouchers. `stated` is the part that its closing counted."""

    awards_cents: int
    refunds_cents: int
    drawn_cents: int
    stated_awards_cents: int
    stated_refunds_cents: int


def rebuild_promotrot(books: Books) -> None:
    """Repeat every sale, award, refund, closing and drawn prize, emission by emission."""
    for emission in Emission.objects.select_related("game", "closing").order_by("pk"):
        closing = stated_closing(emission)
        books.move(_sales(emission))
        books.move(_awards(emission, _moved(emission, closing)))
        if closing is not None:
            books.move(
                postings.closing_lines(
                    game_code=emission.game.code,
                    reference=emission.reference,
                    statement=shortfall.state(closing),
                    day=natural_day(emission.planned_at),
                )
            )


def rebuild_debts(books: Books) -> None:
    """Repeat what stands before the authority, and what it decided [P17]."""
    for code, cents in _sums(DebtStanding):
        books.move([postings.debt_stands(game_code=code, cents=cents)])
    for code, cents in _sums(DebtDecision):
        books.move([postings.debt_decided(game_code=code, cents=cents)])
    for code, cents in fetch_all(_RESTORED, [accounts.late_awards().code]):
        books.move([postings.restored(game_code=code, cents=cents)])


def _sums(model: type[DebtStanding | DebtDecision]) -> list[tuple[str, int]]:
    return list(model.objects.values_list("game__code").annotate(Sum("cents")).order_by())


def _sales(emission: Emission) -> list[Line]:
    sold = accounts.takings(emission.reference)
    return [
        postings.sale(premises_id=premises, takings=sold, cents=cents)
        for premises, cents in fetch_all(_SALES, {"emission": emission.pk})
    ]


def _moved(emission: Emission, closing: Closing | None) -> _Moved:
    awards, refunds, drawn = fetch_row(
        _VOUCHERS, {"emission": emission.pk, "game": emission.game_id}
    )
    if closing is None:
        return _Moved(awards, refunds, drawn, awards, refunds)
    return _Moved(
        awards,
        refunds,
        drawn,
        closing.awarded_cents + closing.extra_awarded_cents,
        closing.refunded * emission.price_cents,
    )


def _awards(emission: Emission, moved: _Moved) -> list[Line]:
    """Post the awards: those counted in the closing from the game, later ones from the
    organiser.
    """
    game, reference = emission.game.code, emission.reference
    awards, refunds = moved.stated_awards_cents, moved.stated_refunds_cents
    late_awards, late_refunds = moved.awards_cents - awards, moved.refunds_cents - refunds
    return [
        postings.award(game_code=game, reference=reference, cents=awards, late=False),
        postings.award(game_code=game, reference=reference, cents=late_awards, late=True),
        postings.refund_due(reference=reference, cents=refunds, late=False),
        postings.refund_due(reference=reference, cents=late_refunds, late=True),
        postings.draw(game_code=game, reference=reference, cents=moved.drawn_cents),
    ]


REBUILDERS: tuple[Rebuilder, ...] = (rebuild_promotrot, rebuild_debts)

TRANSFERS: Mapping[str, Promise] = {
    "promotrot.sale": _("instant ticket sold"),
    "promotrot.award": _("prize awarded"),
    "promotrot.refund_due": _("price to be given back"),
    "promotrot.draw": _("prize of a drawn debt"),
    "promotrot.lapse": _("voucher lapsed"),
    "promotrot.lapse_drawn": _("voucher of a drawn debt lapsed"),
    "promotrot.restored": _("lapsed voucher restored"),
    "promotrot.debt_stands": _("debt left to the authority"),
    "promotrot.debt_decided": _("debt paid as the authority decided"),
    "promotrot.minimum": _("takings to prizes"),
    "promotrot.organiser": _("takings to the organiser"),
    "promotrot.beyond": _("prizes beyond the minimum"),
}
"""The words for each kind of transfer."""
