"""Check that an emission's prizes reach what it declares, planned and sold (15.III.6.2) [P1-P4].
Follow what a game owes to prizes from closing to closing and to the draw at its end [P17].

Used by emission.py, emissions.py and draw.py; docs/emission-algorithm.md, docs/promotrot.md.
"""

from collections import Counter
from fractions import Fraction
from typing import Any

from documents import DEBT_FACTS
from entry import same
from forms import need, shaped
from public_log import Log

LEAST_BLOCK, MOST_BLOCK, MOST_TICKETS = 10_000, 4_000_000, 1_000_000_000
LEAST_PERCENT, MOST_DRAWS = 70, 3  # 15.III.5.1, 6.2; of what one game owes [P17]
PLAN, CLOSING = "promotrot.commitment.plan", "promotrot.closing"
OPENING, DEBT = "promotrot.opening", "promotrot.debt"
MINUTES, OUTCOME = "draws.minutes", "draws.outcome"
Document = dict[str, Any]


def value(tier: Document) -> int:
    """Return the cents of a prize, or of its equivalent if it is in kind [P4]."""
    cents: int = tier["in_kind"]["equivalent_cents"] if "in_kind" in tier else tier["cash_cents"]
    return cents


def worth(numbers: Any, tiers: list[Document], *, extra: bool) -> int:
    """Return the cents of so many prizes of each tier, of either the table or the extra ones."""
    pairs = zip(numbers, tiers, strict=True)
    return sum(number * value(tier) for number, tier in pairs if tier["extra"] is extra)


def percent_up(cents: int, percent: Any) -> int:
    """Return a percentage, rounded up to the cent [P13]."""
    return -int(-cents * Fraction(percent) // 100)


def declared_percent(plan: Document) -> Fraction:
    """Return the percentage that the type of a plan declares: two decimals, rounded down.

    A plan with only extra prizes declares none; their game is a probabilistic one.
    """
    tiers = plan["tiers"]
    cents = 100 * 100 * worth([tier["count"] for tier in tiers], tiers, extra=False)
    return Fraction(cents // (plan["tickets"] * plan["price_cents"]), 100)


def check_plan(plan: Document, minimum_percent: Any) -> None:
    """Check that the plan deals its prize table so that each block reaches the minimum [P2].

    The minimum is the declared percentage, and never less than the law's [P18].
    """
    least_percent = max(Fraction(LEAST_PERCENT), declared_percent(plan))
    is_kept = Fraction(minimum_percent) >= least_percent
    need(is_kept, f"{CLOSING}.minimum_percent", f"less than {least_percent}")
    tiers, classes = plan["tiers"], plan["classes"]
    blocks = sum(each["blocks"] for each in classes)
    tickets = sum(each["blocks"] * each["tickets"] for each in classes)
    same(plan, {"tickets": min(tickets, MOST_TICKETS)}, PLAN)
    for number, each in enumerate(classes):
        place = f"{PLAN}.classes[{number}]"
        fits = len(each["prizes"]) == len(tiers) and sum(each["prizes"]) <= each["tickets"]
        need(fits, f"{place}.prizes", "other tiers, or more prizes than tickets")
        size = range(LEAST_BLOCK if blocks > 1 else 1, MOST_BLOCK + 1)
        need(each["tickets"] in size, f"{place}.tickets", "a block too small or too large")
        least = percent_up(each["tickets"] * plan["price_cents"], minimum_percent)
        is_worth = worth(each["prizes"], tiers, extra=False) >= least
        good = is_worth or all(tier["extra"] for tier in tiers)
        need(good, f"{place}.prizes", "worth less than the minimum")
    for at, tier in enumerate(tiers):
        dealt = sum(each["blocks"] * each["prizes"][at] for each in classes)
        same(tier, {"count": dealt}, f"{PLAN}.tiers[{at}]")


def check_closing(
    closing: Document, plan: Document, held: Counter[int], silent: Counter[int]
) -> None:
    """Check a statement's sums, and its counts against the tickets sold by tier. The plays of the
    `silent` ones never ended, or were refunded; others may have ended since [P9, P11]."""
    tiers = plan["tiers"]
    sold = {"tickets": plan["tickets"], "price_cents": plan["price_cents"], "sold": held.total()}
    same(closing, sold, CLOSING)
    since = closing["refunded"] + closing["unfinished"] - silent.total()
    need(since >= 0, "TICKETS", f"{-since} tickets too many name no tier")
    predrawn, named = not all(tier["extra"] for tier in tiers), held - silent
    for name, extra in (("awarded_cents", False), ("extra_awarded_cents", True)):
        cents = {at: value(tier) for at, tier in enumerate(tiers, 1) if tier["extra"] is extra}
        won = sorted((cents[n] for n in named.elements() if n in cents), reverse=True)
        fits = sum(won[since:]) <= closing[name] <= sum(won)
        fits |= not (extra or predrawn)  # the players decide (15.II.3)
        need(fits, f"{CLOSING}.{name}", f"the tickets sold held {sum(won)}")
    need(not predrawn or not closing["refunded"], f"{CLOSING}.refunded", "the results stand")
    check_sums(closing)


def check_sums(closing: Document) -> None:
    """Check what follows in a statement from its own counts, for games of both kinds."""
    sold, least = closing["sold"], Fraction(closing["minimum_percent"])
    need(least >= LEAST_PERCENT, f"{CLOSING}.minimum_percent", f"less than {LEAST_PERCENT}")
    same(closing, {"unsold": closing["tickets"] - sold}, CLOSING)
    out = closing["refunded"] + closing["unfinished"]
    need(out <= sold, f"{CLOSING}.unfinished", "more than were sold")
    takings = (sold - closing["refunded"]) * closing["price_cents"]
    awarded, extra_awarded = closing["awarded_cents"], closing["extra_awarded_cents"]
    short = max(0, percent_up(takings, least) - awarded)
    owed = max(0, closing["owed_before_cents"] - extra_awarded) + short
    percent = Fraction(100 * awarded, takings) if takings else None
    stated = None if closing["percent"] is None else Fraction(closing["percent"])
    need(stated == percent, f"{CLOSING}.percent", f"should be {percent}")
    same(closing, {"takings_cents": takings, "shortfall_cents": short, "owed_cents": owed}, CLOSING)
    is_of_awards = closing["unclaimed_cents"] <= awarded + extra_awarded
    need(is_of_awards, f"{CLOSING}.unclaimed_cents", "more than was awarded")


def entries_of(log: Log, kind: str, game: str) -> list[tuple[str, Document]]:
    """Return the emissions of a game that have an entry of the kind, and its document, in order."""
    return [
        (subject, entry["document"])
        for (each, subject), entry in log.entries.items()
        if each == kind and subject.rpartition("/")[0] == game
    ]


def check_debt(log: Log, minutes: Document) -> None:
    """Check the draw of an ended game's debt: the first is of all that the game owes, and among all
    tickets that it sold and did not refund. What lapsed for a later one is not published.
    """
    facts, place = minutes["facts"], f"{MINUTES}.facts"
    shaped(facts, DEBT_FACTS, place)
    game, number = facts["game"], facts["draw"]
    need(1 <= number <= MOST_DRAWS, f"{place}.draw", f"not 1 to {MOST_DRAWS}")
    same(minutes, {"subject": f"{game}:{number}"}, MINUTES)
    same(minutes["field"], {"places": facts["winners"]}, f"{MINUTES}.field")
    closings = entries_of(log, CLOSING, game)
    same(facts, {"emissions": [emission for emission, _ in closings]}, place)
    need(closings, f"{place}.game", "no emission of it is closed")
    numbered = {f"{game}/{each}" for each in range(1, len(closings) + 1)}
    whole = dict(closings).keys() == numbered == {one for one, _ in entries_of(log, OPENING, game)}
    need(whole, f"{place}.emissions", "one was never closed")
    log.in_order((CLOSING, closings[-1][0]), (OUTCOME, minutes["draw"]))
    owed_cents = closings[-1][1]["owed_cents"]
    if number == 1:
        same(facts, {"owed_cents": owed_cents}, place)
    else:
        check_drawn_before(log, minutes, f"{game}:{number - 1}")
        need(facts["owed_cents"] <= owed_cents, f"{place}.owed_cents", f"more than {owed_cents}")
    sold = sum(closing["sold"] - closing["refunded"] for _, closing in closings)
    unfinished = sum(closing["unfinished"] for _, closing in closings)  # may be refunded since
    size = minutes["field"]["size"]
    need(sold - unfinished <= size <= sold, f"{MINUTES}.field.size", f"{sold} tickets were sold")


def check_drawn_before(log: Log, minutes: Document, subject: str) -> None:
    """Check that an earlier draw of the game was held before this one."""
    earlier = [e for e in log.all(MINUTES) if (e["kind"], e["subject"]) == (DEBT, subject)]
    need(earlier, f"{MINUTES}.facts.draw", f"{subject} was not drawn before")
    log.in_order((MINUTES, earlier[0]["draw"]), (MINUTES, minutes["draw"]))
