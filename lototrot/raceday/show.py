"""Print a meeting: its programme, its settlement, a ticket with its numbers."""

from collections.abc import Mapping
from typing import Any

from core.tools.raceday.show import counted, euros, heading, listed, note, table

_REGIMES = {
    "9.2": "The accumulated 7/7 is not above the threshold: the division of article 9.2",
    "9.3": "The accumulated 7/7 is above the threshold: the division of article 9.3",
}


def programme(meeting: Mapping[str, Any]) -> None:
    """Print the races of a meeting, with the first runners of each."""
    heading(f"Programme: {meeting['name']}, {meeting['day']}")
    table(
        ("race", "start (UTC)", "runners"),
        [
            (
                f"{race['racecourse']} {race['number']}",
                race["scheduled_start_at"][11:16],
                ", ".join(f"{r['number']} {r['name']}" for r in race["runners"][:3]) + ", …",
            )
            for race in meeting["races"]
        ],
    )


def settlement(settled: Mapping[str, Any], day: str) -> None:
    """Print every figure of the settlement, from the takings to the prizes."""
    figures = settled["figures"]
    heading(f"Settlement of the contest of {day}")
    table(
        ("figure", "amount", "rule"),
        [
            (name, euros(figures[key]), rule)
            for name, key, rule in (
                ("takings of all tickets", "takings", ""),
                ("of which for prizes", "prize_pool", "6.1, 9.1"),
                ("of which the organiser's share", "organiser_share", ""),
                ("jackpot from earlier meetings", "jackpot_in", "9.5"),
                ("unclaimed prizes from earlier meetings", "lapsed_in", "10.7"),
                ("accumulated 7/7, held against the threshold", "tested_jackpot", "9.2, 9.3"),
                ("reserve fund before", "reserve_in", "9.3"),
                ("reserve fund paid out", "reserve_paid_out", "9.8"),
                ("4/7 without winners, to the reserve fund", "unwon_to_reserve", "9.5"),
                ("prizes", "prizes_total", ""),
                ("cents left over, to the reserve fund", "rounding_remainder", ""),
                ("jackpot for the next meeting", "jackpot_out", "9.5"),
                ("reserve fund after", "reserve_out", "9.8"),
            )
        ],
    )
    for sentence in (_REGIMES[figures["regime"]], *correction(figures)):
        note(f"{sentence}.")
    _categories(figures, len(settled["races"]))


def _categories(figures: Mapping[str, Any], races: int) -> None:
    """Print how the prize pool becomes the prizes of each category."""
    steps = ("shares", "after_cascade", "before_correction", "after_correction")
    table(
        ("right", "winning bets", "share", "+ unwon", "+ jackpot", "corrected", "each bet wins"),
        [
            (
                f"{hits}/{races}",
                figures["winners"][hits],
                *[_euros_or_dash(figures[step].get(hits)) for step in steps],
                _euros_or_dash(figures["prize_each"].get(hits)),
            )
            for hits in reversed(figures["winners"])
        ],
    )


def correction(figures: Mapping[str, Any]) -> list[str]:
    """Return in words what the correction of 14.III.9.7 did."""
    done = figures["correction"]
    if not done["halved"] and not done["joined"]:
        return ["No lower category would win more than a higher one: nothing is corrected (9.7)"]
    halved = [
        f"{lower} right would win more than {higher}: both get half of their sum (9.7)"
        for higher, lower in done["halved"]
    ]
    joined = [
        f"{listed(group)} right share one prize, as a lower one would still win more (9.7)"
        for group in done["joined"]
    ]
    return halved + joined


def _euros_or_dash(cents: Any) -> str:
    """Return an amount in cents as text; a fraction of cents as it stands; nothing as a dash."""
    if cents is None:
        return "—"
    try:
        return euros(int(cents))
    except ValueError:
        return f"{cents} cents"


def traced_ticket(state: Mapping[str, Any]) -> None:
    """Print a presented ticket, with each number and the ones that replaced it."""
    details = state["details"]
    won = listed(
        f"{counted(hit['bets'], 'bet')} with {hit['hits']} right" for hit in details["winning_bets"]
    )
    prize = (
        f"wins {euros(state['amount_cents'])}: {won}" if state["amount_cents"] else "has no prize"
    )
    note(f"A ticket of {counted(details['bets'], 'bet')}, sold at {details['premises']}, {prize}.")
    table(
        ("race", "marked", "right marks"),
        [
            (
                race["position"],
                ", ".join(" → ".join(map(str, mark["trace"])) for mark in race["marks"]),
                ", ".join(map(str, race["right"])) or "—",
            )
            for race in details["races"]
        ],
    )
