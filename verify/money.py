"""Divide the money of a meeting as the regulation says: 14.III.6 to 9, with readings A1 to A14.

Written from the law and docs/regulation.md. Amounts are cents, as exact fractions until prizes are
rounded. A category is the number of right races; the highest comes first. Used by settlement.py.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from entry import same
from forms import need

LEAST_PERCENT = 60  # 6.1
Amounts = dict[int, Any]
Groups = list[list[int]]


def amounts_json(amounts: Amounts) -> dict[str, Any]:
    """Return amounts by category: whole cents as a number, others as a text n/d."""
    exact = {str(category): Fraction(cents) for category, cents in amounts.items()}
    return {c: a.numerator if a.denominator == 1 else str(a) for c, a in exact.items()}


def divided(pool: int, percents: dict[str, Any], categories: list[int]) -> Amounts:
    """Return the shares of 9.2 and 9.3, rounded down to the cent; 0 is the reserve.

    The highest category takes the cents that are left [A13].
    """
    names = {category: str(category) for category in categories} | {0: "reserve"}
    shares = {c: floor(pool * Fraction(percents[name]) / 100) for c, name in names.items()}
    shares[categories[0]] += pool - sum(shares.values())
    return shares


def cascaded(shares: Amounts, winners: Amounts) -> tuple[Amounts, int]:
    """Apply 9.5. Return the amounts by category and the cents that go to the reserve.

    A category without winners passes its money to the one below, the lowest to the reserve. The
    highest keeps its own [A6].
    """
    top, *lower = winners
    amounts, falling = {top: shares[top]}, 0
    for category in lower:
        falling += shares[category]
        amounts[category] = falling if winners[category] else 0
        falling -= amounts[category]
    return amounts, falling


def corrected(amounts: Amounts, winners: Amounts) -> tuple[Groups, Amounts, Groups]:
    """Apply 9.7 to the categories that have winners [A9, A10].

    Return the halved pairs, the amounts after halving, and the categories in groups that share one
    prize, highest first.
    """
    amounts = dict(amounts)
    halved = []
    for above, below in pairwise(amounts):  # first paragraph, from the top down [A11]
        if Fraction(amounts[below], winners[below]) > Fraction(amounts[above], winners[above]):
            amounts[above] = amounts[below] = Fraction(amounts[above] + amounts[below], 2)
            halved.append([above, below])
    groups = [[category] for category in amounts]
    at = 0
    while at + 1 < len(groups):  # second: neighbours still inverted become one, again from the top
        if prize(groups[at + 1], amounts, winners) > prize(groups[at], amounts, winners):
            groups[at : at + 2] = [groups[at] + groups[at + 1]]
            at = 0
        else:
            at += 1
    return halved, amounts, groups


def prize(group: list[int], amounts: Amounts, winners: Amounts) -> Fraction:
    """Return the equal part of each winner (9.6)."""
    return Fraction(sum(amounts[c] for c in group), sum(winners[c] for c in group))


def figures(rules: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """Return every figure of a settlement, from takings, winners, jackpot, reserve and lapsed."""
    categories = sorted((int(c) for c in rules["shares_below"] if c != "reserve"), reverse=True)
    for name in ("shares_below", "shares_above"):
        whole = sum(Fraction(each) for each in rules[name].values())
        need(whole == 100, f"lototrot.settlement.rules.{name}", "does not add up to 100")
        need(
            rules[name].keys() == {*map(str, categories), "reserve"},
            f"lototrot.settlement.rules.{name}",
            "other categories",
        )
    need(
        inputs["winners"].keys() == set(map(str, categories)),
        "lototrot.settlement.figures.winners",
        "of other categories",
    )
    lawful = LEAST_PERCENT <= Fraction(rules["prize_percent"]) <= 100
    need(lawful, "lototrot.settlement.rules.prize_percent", f"not {LEAST_PERCENT} to 100")
    winners = {category: inputs["winners"][str(category)] for category in categories}
    top, won = categories[0], [category for category in categories if winners[category]]
    takings, jackpot, reserve = inputs["takings"], inputs["jackpot_in"], inputs["reserve_in"]
    pool = ceil(takings * Fraction(rules["prize_percent"]) / 100)  # 6.1, 9.1 [A13]
    tested = jackpot + inputs["lapsed_in"]  # 9.4, 10.7 [A2, A3]
    above = tested > rules["jackpot_threshold_cents"]  # not from exactly there on [A1]
    shares = divided(pool, rules["shares_above" if above else "shares_below"], categories)
    to_reserve = shares.pop(0)
    after_cascade, unwon = cascaded(shares, winners)
    paid_out = reserve if winners[top] else 0  # 9.8: to the next winners [A5], before 9.7 [A7]
    before = after_cascade | {top: after_cascade[top] + tested + paid_out}
    halved, after_halving, groups = corrected({c: before[c] for c in won}, winners)
    exact = {c: prize(group, after_halving, winners) for group in groups for c in group}
    step = rules["payout_step_cents"]
    need(step > 0, "lototrot.settlement.rules.payout_step_cents", "not a step")
    each = {c: floor(exact[c] / step) * step for c in won}  # down, the rest to the reserve [A14]
    total = sum(each[c] * winners[c] for c in won)
    left = sum(before[c] for c in won) - total
    return {
        "winners": amounts_json(winners),
        "prize_pool": pool,
        "organiser_share": takings - pool,
        "tested_jackpot": tested,
        "regime": "9.3" if above else "9.2",
        "shares": amounts_json(shares) | {"reserve": to_reserve},
        "after_cascade": amounts_json(after_cascade),
        "unwon_to_reserve": unwon,
        "reserve_paid_out": paid_out,
        "before_correction": amounts_json(before),
        "correction": {
            "halved": halved,
            "after_halving": amounts_json(after_halving),
            "joined": [group for group in groups if len(group) > 1],
        },
        "after_correction": amounts_json(before | {c: exact[c] * winners[c] for c in won}),
        "prize_each": amounts_json(each),
        "prizes_total": total,
        "rounding_remainder": left,
        "jackpot_out": 0 if winners[top] else before[top],
        "reserve_out": reserve - paid_out + to_reserve + unwon + left,
    }


def check_organiser(organiser: dict[str, Any], share: int, place: str) -> None:
    """Check the parts of the organiser's share, rounded down; the last gets the rest (6.1)."""
    percents = {name: Fraction(each) for name, each in organiser["percents"].items()}
    need(sum(percents.values()) == 100, f"{place}.percents", "does not add up to 100")
    parts = {name: floor(share * each / 100) for name, each in percents.items()}
    parts["remainder"] = parts.get("remainder", 0) + share - sum(parts.values())
    same(organiser, {"parts": parts}, place)
