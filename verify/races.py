"""Which horses of a race count: 14.III.5.4.1 to 5.4.3 and 9.9, with readings B1 to B11.

A race has the numbers of its `programme` and, among them, those `withdrawn` before the start and
`left` (neither withdrawn nor started). Used by draw.py and settlement.py.
"""

from typing import Any

from forms import need

Race = dict[str, Any]


def check_numbers(race: Race, place: str) -> None:
    """Each number of a race once, ascending, and whoever did not run is of its programme."""
    for name in ("programme", "withdrawn", "left"):
        numbers = race[name]
        good = numbers == sorted({*numbers} & {*race["programme"]})
        need(good, f"{place}.{name}", "not numbers of the programme, each once")


def starters(race: Race, outcome: str) -> list[int]:
    """The numbers in a race's draw. Not run: whoever was not withdrawn, or all if all were [B7];
    suspended or all disqualified: whoever took the start (14.III.5.4.2, 5.4.3) [B8]."""
    out = {*race["withdrawn"], *(race["left"] if outcome != "not_run" else ())}
    return [n for n in race["programme"] if n not in out] or race["programme"]


def deemed(number: int, race: Race) -> int:
    """The number a bet counts as made on: of a withdrawn horse, the next higher one that took the
    start, after the last the first (5.4.1) [B1, B2]."""
    field = starters(race, race["outcome"])
    if number not in race["withdrawn"] or number in field:
        return number
    return min((n for n in field if n > number), default=min(field))


def right_numbers(race: Race) -> list[int]:
    """The numbers whose bets are right: those that count as a winner, any of a dead heat (9.9)."""
    return [n for n in race["programme"] if deemed(n, race) in race["winners"]]
