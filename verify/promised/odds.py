"""Compute what a game of players' acts gives back, by the odds that its opening states [P3].

Used by emissions.py; docs/emission-algorithm.md, "Odds".
"""

from fractions import Fraction
from typing import Any

from entry import same
from forms import need, shaped, whole, words

OPENING, MECHANIC = "promotrot.opening", "promotrot.opening.mechanic"
LEAST_PERCENT = Fraction(70)  # 15.III.5.1, 15.III.6.2
MOST_OPENINGS, MOST_PLACES, MOST_DEALS = 3, 16, 64
DEALS = [{"weight": whole, "contents": [whole]}]
HIDDEN = {"kind": "hidden", "openings": whole, "changeable": [whole], "deals": DEALS}
WAY = {"name": words, "up": whole, "of": whole, "rise": whole, "fall": whole}
LADDER = {"kind": "ladder", "rungs": [{"stop": (None, whole), "ways": [WAY]}]}
Document = dict[str, Any]


def check_acts(opening: Document, tiers: list[Document]) -> None:
    """Check that an emission with these tiers in its plan says whether acts decide, and that they
    give the minimum of the law whatever a player chooses (15.III.6.2) [P3].
    """
    if not all(tier["extra"] for tier in tiers):
        same(opening, {"mode": "predrawn", "table": [], "mechanic": None}, OPENING)
        return
    same(opening, {"mode": "probabilistic"}, OPENING)
    minimum_percent = max(LEAST_PERCENT, Fraction(opening["minimum_percent"]))
    percent = least_percent(opening)
    need(percent >= minimum_percent, MECHANIC, f"it gives {float(percent):.2f} %")


def described(opening: Document) -> str:
    """Return the mode of an emission, and what the odds of one that acts decide give at least."""
    if opening["mode"] == "predrawn":
        return "predrawn"
    hundredths = 100 * least_percent(opening) // 1
    return f"probabilistic, {hundredths // 100}.{hundredths % 100:02} % by its odds"


def least_percent(opening: Document) -> Fraction:
    """Return what the worst way of playing gives in the mean, in percent of the price."""
    mechanic = opening["mechanic"]
    shaped(mechanic, tuple(form for form, _ in KINDS.values()), MECHANIC)
    need(opening["price_cents"], f"{OPENING}.price_cents", "nothing")
    cents = [0, *(prize["cents"] for prize in opening["table"])]
    _, least = KINDS[mechanic["kind"]]
    return 100 * least(mechanic, cents) / opening["price_cents"]


def ladder(mechanic: Document, cents: list[int]) -> Fraction:
    """Return the least mean of a ladder, from its last rung downwards.

    A player stops with the prize of a rung, or goes a way up that rises or falls by its odds.
    """
    rungs, place = mechanic["rungs"], f"{MECHANIC}.rungs"
    least: dict[int, Fraction] = {}
    for here in reversed(range(len(rungs))):
        stop, ways = rungs[here]["stop"], rungs[here]["ways"]
        tiers = [each["fall"] for each in ways] + ([] if stop is None else [stop])
        need(all(tier < len(cents) for tier in tiers), place, "there is no such prize")
        choices = [] if stop is None else [Fraction(cents[stop])]
        for way in ways:
            up, of, there = way["up"], way["of"], here + way["rise"]
            need(0 < up <= of and here < there < len(rungs), place, "no such way up")
            choices.append((up * least[there] + (of - up) * cents[way["fall"]]) / of)
        need(choices and (ways or here == len(rungs) - 1), place, "nothing to do there")
        least[here] = min(choices)
    need(least, place, "there is none")
    return least[0]


def hidden(mechanic: Document, cents: list[int]) -> Fraction:
    """Return the least mean of hidden places, whose contents lie in any order.

    A player opens a place. What may be changed may be kept, unless it is nothing, or another place
    is opened instead, as often as the game allows.
    """
    openings, deals, place = mechanic["openings"], mechanic["deals"], f"{MECHANIC}.deals"
    places = {len(deal["contents"]) for deal in deals}
    need(len(places) == 1 and len(deals) <= MOST_DEALS, place, "sets of other sizes, or too many")
    fits = 0 < openings <= min(MOST_OPENINGS, *places) and max(places) <= MOST_PLACES
    need(fits, f"{MECHANIC}.openings", "not so many places")
    are_prizes = all(tier < len(cents) for deal in deals for tier in deal["contents"])
    need(are_prizes and all(deal["weight"] for deal in deals), place, "no such prize, or no weight")

    def opened(before: tuple[int, ...]) -> Fraction:
        weights: dict[int, int] = {}
        for deal in deals:
            left, weight = list(deal["contents"]), deal["weight"]
            for tier in before:
                weight *= left.count(tier)
                left = left[: left.index(tier)] + left[left.index(tier) + 1 :] if weight else left
            for tier in left:
                weights[tier] = weights.get(tier, 0) + weight
        total = sum(weight * value_of(before, tier) for tier, weight in weights.items() if weight)
        return Fraction(total, sum(weights.values()))

    def value_of(before: tuple[int, ...], tier: int) -> Fraction:
        kept = Fraction(cents[tier])
        if len(before) + 1 == openings or tier not in mechanic["changeable"]:
            return kept
        changed = opened((*before, tier))
        return min(kept, changed) if tier else changed

    return opened(())


KINDS = {"hidden": (HIDDEN, hidden), "ladder": (LADDER, ladder)}
"""Each kind of mechanic: the form of its document, and what computes its least mean."""
