"""Tell why a ticket has its prize: by category, from the settlement on record (14.III.9).

Nothing is settled anew. What the ticket won is multiplied out and compared with its prize on
record; every step of a price is a figure as the settlement has it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.payoffice.sources import Reasons, Won
from core.receipts.document import present_language
from core.receipts.formats import format_cents
from lototrot.models.settlement import PaymentOrder, Prize
from lototrot.services.settlement.certificate_paper import exact_amount
from lototrot.services.tickets import presented

_Figures = Mapping[str, Any]
# Where the figures of a category stand in a settlement, in the order in which they were reached.
_REACHED = ("shares", "after_cascade", "before_correction", "after_correction")


def reasons(ticket_id: int) -> Reasons | None:
    """Return why the ticket has its prize, in the language in force.

    Return None before payment is ordered (14.III.8.2), for a ticket that won nothing, and where
    the settlement has no categories on record.
    """
    ticket = presented.presented_ticket(ticket_id)
    if not ticket.won:
        return None
    order = PaymentOrder.objects.select_related("settlement").get(contest_id=ticket.contest_id)
    settlement = order.settlement
    price_cents = dict(settlement.categories.values_list("hits", "prize_cents"))
    if not price_cents:
        return None
    won = tuple(
        Won(
            title=_("%(hits)s right") % {"hits": hits},
            units=ngettext("%(n)s bet", "%(n)s bets", bets) % {"n": bets},
            unit_cents=price_cents.get(hits, 0),
            cents=bets * price_cents.get(hits, 0),
            steps=tuple(_steps(settlement.figures, settlement.rules, str(hits))),
        )
        for hits, bets in ticket.won
    )
    prize = Prize.objects.get(settlement=settlement, ticket=ticket_id)
    return Reasons(
        won=won,
        sentences=tuple(
            _correction_sentences(settlement.figures, {hits for hits, _bets in ticket.won})
        ),
        figures=settlement,
        figures_title=_("The settlement with all its figures"),
        heads=(_("Bets"), _("Prize of a bet")),
        agrees=sum(part.cents for part in won) == prize.prize_cents,
    )


def _steps(figures: _Figures, rules: _Figures, category: str) -> Iterator[tuple[str, str]]:
    """Yield the amounts by which the price of a bet of a category was reached, with their names.

    An amount that a step left as it was is not repeated.
    """
    language = present_language()
    names = {
        "shares": _("Share of this meeting"),
        "after_cascade": _("With what nobody won in the category above (14.III.9.5)"),
        "before_correction": _("With what was accumulated, unclaimed or in reserve"),
        "after_correction": _("After a lower prize was kept from exceeding it (14.III.9.7)"),
    }
    before = None
    for name in _REACHED:
        amount = figures[name][category]
        if amount != before:
            yield names[name], exact_amount(amount, language)
        before = amount
    yield _("Winning bets among which it is shared"), str(figures["winners"][category])
    step = format_cents(rules["payout_step_cents"], language)
    price = format_cents(figures["prize_each"][category], language)
    yield _("Prize of a bet, rounded down to a multiple of %(step)s") % {"step": step}, price


def _correction_sentences(figures: _Figures, hits_won: set[int]) -> Iterator[str]:
    """Yield what the correction of 14.III.9.7 did to the categories that the ticket won in."""
    named = _("%(hits)s right")
    correction = figures["correction"]
    for above, below in correction["halved"]:
        if {above, below} & hits_won:
            sentence = _(
                "A bet in {below} would win more than one in {above}: the two amounts are added "
                "and each gets half."
            )
            yield sentence.format(above=named % {"hits": above}, below=named % {"hits": below})
    for group in correction["joined"]:
        if {*group} & hits_won:
            sentence = _(
                "A lower prize would still exceed a higher one: {categories} are added and shared "
                "equally among all their bets."
            )
            yield sentence.format(categories=", ".join(named % {"hits": hits} for hits in group))
