"""Decide which horses of a race count: 14.III.5.4.1 to 5.4.3 and 9.9, with readings B1 to B11.

A race has the numbers of its `programme` and, among them, those `withdrawn` before the start and
`left` (neither withdrawn nor started). Used by draw.py and settlement.py.

And find the instant from which bets are in breach, and check what follows on a settlement: that a
reversal is of it, and the days of its payment order, which count from the results.
"""

from datetime import date, timedelta
from typing import Any

from entry import same
from forms import need
from public_log import Log

KIND, ORDER = "lototrot.settlement", "lototrot.payment_order"
REVERSAL = "lototrot.settlement_reversal"
LEAST_CLAIM_DAYS = 30  # 10.2
NIGHT_ENDS = "T11:00:00"  # noon in Madrid, in UTC: a meeting ends by then on the next day [B15]

Race = dict[str, Any]


def check_numbers(race: Race, place: str) -> None:
    """Refuse numbers that repeat, are not ascending, or are not of the race's programme."""
    for name in ("programme", "withdrawn", "left"):
        numbers = race[name]
        good = numbers == sorted({*numbers} & {*race["programme"]})
        need(good, f"{place}.{name}", "not numbers of the programme, each once")


def starters(race: Race, outcome: str) -> list[int]:
    """Return the numbers in a race's draw (14.III.5.4.2, 5.4.3).

    Not run: the horses not withdrawn, or all if all were withdrawn [B7]. Suspended or all
    disqualified: the horses that took the start [B8].
    """
    out = {*race["withdrawn"], *(race["left"] if outcome != "not_run" else ())}
    return [n for n in race["programme"] if n not in out] or race["programme"]


def deemed(number: int, race: Race) -> int:
    """Return the number on which a bet on `number` counts (5.4.1) [B1, B2].

    A bet on a withdrawn horse passes to the next higher number that took the start, and after the
    last number to the lowest.
    """
    field = starters(race, race["outcome"])
    if number not in race["withdrawn"] or number in field:
        return number
    return min((n for n in field if n > number), default=min(field))


def right_numbers(race: Race) -> list[int]:
    """Return the numbers whose bets are right: those that count on a winner (9.9)."""
    return [n for n in race["programme"] if deemed(n, race) in race["winners"]]


def sales_limit(log: Log, certificate: dict[str, Any]) -> str:
    """Return the instant from which a bet is in breach: the first start, or the first declaration
    that a race is not run (14.III.4) [C6, E1]."""
    return min(
        race["started_at"] or log.document("draws.minutes", race["draw"]["draw"])["declared_at"]
        for race in certificate["races"]
    )


def known_at(log: Log, race: Race) -> str:
    """Return when a result was known: when it was announced or drawn. Balls that were drawn while
    the system was down are certified later."""
    at: str = race["official_at"]
    if race["draw"]:
        at = log.document("draws.minutes", race["draw"]["draw"])["drawn_at"]
    return at


def is_corrected(log: Log, race: Race) -> bool:
    """Return whether the actual start of a race is another than in the minutes of its draw: it was
    corrected after the draw had begun, and the draw stands [C6, C9]."""
    if not race["draw"]:
        return False
    minutes = log.document("draws.minutes", race["draw"]["draw"])
    return bool(minutes["facts"]["started_at"] != race["started_at"])


def following(log: Log, kind: str, at: str, certificate: dict[str, Any]) -> dict[str, Any]:
    """Return what was published of a settlement later, which names it and its own time."""
    settlement = certificate["settlement"]
    document = log.document(kind, settlement)
    of_it = {name: certificate[name] for name in ("contest", "settlement")}
    same(document, of_it | {"certificate": log.digest(KIND, settlement)}, kind)
    log.dated(kind, settlement, at)
    return document


def check_reversal(log: Log, certificate: dict[str, Any]) -> None:
    """Check that the reversal of a settlement, if there is one, is of it."""
    if log.has(REVERSAL, certificate["settlement"]):
        following(log, REVERSAL, "reversed_at", certificate)


def check_order(log: Log, certificate: dict[str, Any]) -> str:
    """Check the days of the payment order (8.1, 10.2) [D7]; return its last day in words.

    A day of the order may be one later than that of its instant in UTC. A result of the night after
    the meeting is of the meeting's day [B15].
    """
    if not log.has(ORDER, certificate["settlement"]):
        return ""
    order = following(log, ORDER, "ordered_at", certificate)
    enough = order["claim_days"] >= LEAST_CLAIM_DAYS
    need(enough, f"{ORDER}.claim_days", f"less than {LEAST_CLAIM_DAYS}")
    established = max(race["official_at"] for race in certificate["races"])
    for name, at in (("results_day", established), ("ordered_on", order["ordered_at"])):
        late = date.fromisoformat(order[name]) - date.fromisoformat(at[:10])
        night = name == "results_day" and order[name] == certificate["day"] and late.days == -1
        is_day = late.days in (0, 1) or (night and at[10:] < NIGHT_ENDS)
        need(is_day, f"{ORDER}.{name}", "not the day of its instant")
    counted_from = max(
        date.fromisoformat(each) for each in (order["results_day"], certificate["day"])
    )
    first = counted_from + timedelta(days=1)
    counted_from = max(counted_from, date.fromisoformat(order["ordered_on"]) - timedelta(days=1))
    last = (counted_from + timedelta(days=order["claim_days"])).isoformat()
    same(order, {"first_pay_day": first.isoformat(), "last_claim_day": last}, ORDER)
    return f"; payable until {last}"
