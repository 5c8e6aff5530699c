"""Decide which horses of a race count: 14.III.5.4.1 to 5.4.3 and 9.9, with readings B1 to B11.

A race has the numbers of its `programme` and, among them, those `withdrawn` before the start and
`left` (neither withdrawn nor started). Used by draw.py and settlement.py.
"""

from typing import Any

from forms import need

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
