"""What a meeting prints: its programme, its settlement, a ticket with its trace."""

from typing import Any

from core.tools.raceday.show import euros, heading, table


def programme(meeting: dict[str, Any]) -> None:
    heading(f"Programme: {meeting['name']}, {meeting['day']}")
    table(
        ("race", "start", "runners"),
        [
            (
                f"{race['racecourse']} {race['number']}",
                race["scheduled_start_at"][11:16] + " UTC",
                ", ".join(f"{r['number']} {r['name']}" for r in race["runners"][:4]) + ", …",
            )
            for race in meeting["races"]
        ],
    )


def settlement(found: dict[str, Any]) -> None:
    """Every intermediate figure of the settlement."""
    figures = found["figures"]
    heading(f"Settlement {found['settlement']}")
    table(
        ("figure", "amount"),
        [
            ("takings (T)", euros(figures["takings"])),
            ("prize pool (6.1, 9.1)", euros(figures["prize_pool"])),
            ("organiser's share", euros(figures["organiser_share"])),
            ("jackpot carried in (J)", euros(figures["jackpot_in"])),
            ("unclaimed placed (E)", euros(figures["lapsed_in"])),
            ("figure tested (9.2, 9.3)", euros(figures["tested_jackpot"])),
            ("reserve carried in (R)", euros(figures["reserve_in"])),
            ("reserve paid out (9.8)", euros(figures["reserve_paid_out"])),
            ("unwon to the reserve (9.5)", euros(figures["unwon_to_reserve"])),
            ("prizes", euros(figures["prizes_total"])),
            ("cents left to the reserve", euros(figures["rounding_remainder"])),
            ("jackpot carried out", euros(figures["jackpot_out"])),
            ("reserve carried out", euros(figures["reserve_out"])),
        ],
    )
    print(f"    regime {figures['regime']}; correction of 9.7: {figures['correction']}")
    names = ("shares", "after_cascade", "before_correction", "after_correction")
    table(
        ("category", "winning bets", *names, "prize each"),
        [
            (
                f"{hits}/{len(found['races'])}",
                figures["winners"][hits],
                *[str(figures[name].get(hits, "")) for name in names],
                euros(figures["prize_each"][hits]) if hits in figures["prize_each"] else "—",
            )
            for hits in figures["winners"]
        ],
    )


def traced_ticket(state: dict[str, Any]) -> None:
    """A presented ticket: its state and the way of each number (4 → 5 → 6)."""
    prize = f" of {euros(state['amount_cents'])}" if state["amount_cents"] else ""
    shown = state["details"]
    won = "".join(
        f", {each['bets']} bets with {each['hits']} right" for each in shown["winning_bets"]
    )
    print(f"    {shown['premises']}, {shown['bets']} bets: {state['state']}{prize}{won}")
    for race in shown["races"]:
        ways = [" → ".join(map(str, mark["trace"])) for mark in race["marks"]]
        right = ", ".join(map(str, race["right"])) or "none"
        print(f"      race {race['position']}: {'; '.join(ways)}   (right: {right})")
