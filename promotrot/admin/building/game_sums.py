"""Compute the figures beside a game's form: its prize share against the law, and its prizes."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.building.words import amount, percent, table
from core.admin_support.columns import NOTHING, whole
from promotrot.admin.building.game_words import prize_text, texts_of
from promotrot.engine.game import Game, PredrawnGame, ProbabilisticGame
from promotrot.engine.plan import BlockSizeRefused, Plan, PlanImpossible, make_plan
from promotrot.engine.prize_table import declarable
from promotrot.engine.strategies import Spread, any_of, best_of, spread, worst_of
from promotrot.services import games

_WAYS = (
    (_("the least favourable"), worst_of),
    (_("at random"), any_of),
    (_("the most favourable"), best_of),
)


def here(texts: Mapping[str, str]) -> str:
    """Return the text in the language of the page, or in any other."""
    return texts.get(get_language() or "") or next(filter(None, texts.values()), "")


def one_in(chance: Fraction) -> str:
    """Return a chance as people say it: one in so many, to the tenth."""
    if not chance:
        return NOTHING
    tenths = round(10 / chance)
    text = whole(tenths // 10) if tenths >= 1000 or not tenths % 10 else _decimal(tenths)
    return gettext("1 in %(number)s") % {"number": text}


def _decimal(tenths: int) -> str:
    mark = "." if get_language() == "en" else ","
    return f"{tenths // 10}{mark}{tenths % 10}"


def _law(exact: Fraction) -> dict[str, Any]:
    """Return whether a percentage reaches the least one of the law, with both in a sentence.

    It is rounded down, as the declared one: 69.998 % does not read as 70 %.
    """
    least = games.figures_today().minimum_prize_percent
    text = gettext("%(share)s of the takings to prizes; the law asks for %(least)s (15.III.6.2).")
    return {
        "enough": exact >= least,
        "law": text % {"share": percent(declarable(exact)), "least": percent(least)},
    }


def _of_a_ticket(game: Game, exact: Fraction) -> str:
    text = gettext("Of a ticket of %(price)s, %(prizes)s to prizes, %(rest)s to the organiser.")
    return text % {
        "price": amount(game.kind.price_cents),
        "prizes": percent(declarable(exact)),
        "rest": percent(100 - declarable(exact)),
    }


# --- Pre-drawn ------------------------------------------------------------------------------------


def predrawn(game: PredrawnGame) -> dict[str, Any]:
    """Return the table of prizes with its sums, and the blocks."""
    kind, texts = game.kind, texts_of(game)
    exact = Fraction(100 * kind.prizes_cents, kind.takings_cents)
    rows = [
        (
            prize_text(tier.prize, texts),
            whole(tier.count),
            amount(tier.total_cents),
            percent(Fraction(100 * tier.total_cents, kind.takings_cents)),
            one_in(Fraction(tier.count, kind.tickets)),
        )
        for tier in kind.tiers
    ]
    any_prize = one_in(Fraction(kind.prize_count, kind.tickets))
    total = (
        _("sum"),
        whole(kind.prize_count),
        amount(kind.prizes_cents),
        percent(declarable(exact)),
        any_prize,
    )
    headers = (_("prize"), _("number"), _("together"), _("of the takings"), _("of the tickets"))
    plan = _plan(game)
    return {
        **_law(exact),
        "of_a_ticket": _of_a_ticket(game, exact),
        "table": table(headers, rows, total),
        "blocks": _blocks(game, plan) if plan else "",
    }


def _plan(game: PredrawnGame) -> Plan | None:
    kept_percent = game.kind.kept_percent(games.figures_today().minimum_prize_percent)
    try:
        return make_plan(game.kind, kept_percent, block_tickets=game.block_tickets)
    except (BlockSizeRefused, PlanImpossible):
        return None


def _blocks(game: PredrawnGame, plan: Plan) -> SafeString:
    texts = texts_of(game)
    headers = (
        _("blocks"),
        _("tickets of each"),
        *(prize_text(tier.prize, texts) for tier in plan.tiers),
        _("of the takings"),
    )
    rows = []
    for one in plan.classes:
        pairs = zip(one.prizes, plan.tiers, strict=True)
        cents = sum(count * tier.prize.value_cents for count, tier in pairs)
        share = percent(declarable(Fraction(100 * cents, one.tickets * plan.price_cents)))
        rows.append((whole(one.blocks), whole(one.tickets), *map(whole, one.prizes), share))
    return table(headers, rows)


# --- Probabilistic --------------------------------------------------------------------------------


def probabilistic(game: ProbabilisticGame) -> dict[str, Any]:
    """Return the mean prize of each way of playing, its spread, and the chances of prizes."""
    kind = game.kind
    spreads = [spread(kind.mechanic, kind.prizes, choose) for _name, choose in _WAYS]
    worst = spreads[0]
    exact = Fraction(100 * worst.mean_cents, kind.price_cents)
    return {
        **_law(exact),
        "of_a_ticket": _of_a_ticket(game, exact),
        "ways": _ways(game, spreads),
        "expected": _expected(game, worst),
        "chances": _chances(game, spreads),
    }


def _expected(game: ProbabilisticGame, worst: Spread) -> str:
    tickets = game.kind.tickets
    mean, deviation = floor(worst.mean_cents * tickets), worst.deviation_cents(tickets)
    text = gettext(
        "If all %(tickets)s tickets are sold and played the least favourable way, %(mean)s is paid"
        " in the mean; in about two emissions of three it is between %(least)s and %(most)s."
    )
    return text % {
        "tickets": whole(tickets),
        "mean": amount(mean),
        "least": amount(max(0, mean - deviation)),
        "most": amount(mean + deviation),
    }


def _ways(game: ProbabilisticGame, spreads: Sequence[Spread]) -> SafeString:
    kind = game.kind
    headers = (
        _("way of playing"),
        _("of the takings"),
        _("paid by an emission"),
        _("spread of an emission"),
        _("tickets with a prize"),
    )
    rows = []
    for (name, _choose), one in zip(_WAYS, spreads, strict=True):
        deviation = one.deviation_cents(kind.tickets)
        points = percent(Fraction(100 * deviation, kind.takings_cents))
        rows.append(
            (
                name,
                percent(declarable(Fraction(100 * one.mean_cents, kind.price_cents))),
                amount(floor(one.mean_cents * kind.tickets)),
                format_html("± {} <small>(± {})</small>", amount(deviation), points),
                one_in(1 - one.chances.get(0, Fraction(0))),
            )
        )
    return table(headers, rows)


def _chances(game: ProbabilisticGame, spreads: Sequence[Spread]) -> SafeString:
    texts = texts_of(game)
    headers = (_("prize"), *(name for name, _choose in _WAYS))
    names = [gettext("nothing"), *(prize_text(prize, texts) for prize in game.kind.prizes)]
    rows = [
        (name, *(one_in(one.chances.get(tier, Fraction(0))) for one in spreads))
        for tier, name in enumerate(names)
    ]
    return table(headers, [*rows[1:], rows[0]])
