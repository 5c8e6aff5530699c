"""A meeting from the programme to its payment order, through the public API."""

from datetime import datetime, timedelta
from typing import Any

from core.tools.raceday.people import Seller
from core.tools.raceday.show import euros, heading, step
from core.tools.raceday.stage import Stage, need
from lototrot.raceday import meeting as office
from lototrot.raceday import selling, show
from lototrot.raceday.meeting import Day
from lototrot.sample import facts
from lototrot.sample.facts import RaceDay, Withdrawal

FIRST_SALES = selling.Mix(singles=900, multiples=500, quick_picks=200)
LAST_SALES = selling.Mix(singles=900, multiples=400, quick_picks=300)
TICKETS_SHOWN = 3


def morning() -> datetime:
    races = facts.load(facts.SON_PARDO).races
    return min(race.started_at for race in races) - timedelta(hours=5)


def tell(stage: Stage) -> None:
    day = Day(facts.load(facts.SON_PARDO), stage.staff)
    office.rules_record(stage.staff["org1"])
    _meeting(stage, day, facts.SON_PARDO, seed=1)


def _meeting(stage: Stage, day: Day, name: str, seed: int) -> None:
    """Play a meeting; its tickets and its winning ones are kept for later chapters."""
    sellers = stage.sellers
    office.programme_enter(day, name)
    show.programme(day.meeting)
    contest = office.contest_put_on_sale(day)
    step(f"contest {day.contest} on sale until {contest['scheduled_close_at']}")
    selling.display_acknowledge(day, sellers)
    tickets = _sales(day, sellers, seed)
    late = _close(day, sellers[0])
    _seal(day)
    _results(day)
    settled = _settle(day, tickets, late)
    winners = _payout(day, sellers[0], tickets, settled)
    stage.kept["lototrot.day"] = day
    stage.kept["lototrot.tickets"] = {ticket["uuid"]: ticket for ticket in tickets}
    stage.kept["lototrot.late"] = late
    stage.kept["lototrot.winners"] = winners


def _sales(day: Day, sellers: list[Seller], seed: int) -> list[dict[str, Any]]:
    """Sell, withdraw, annul, sell on; the tickets that stand."""
    heading("Sales")
    sold = selling.sell_many(day, sellers, seed, FIRST_SALES)
    need(not sold.refusals, f"sales refused: {dict(sold.refusals)}")
    step(f"{len(sold.tickets)} tickets sold: {dict(sold.kinds())}")
    by_terminal = {seller.terminal: seller for seller in sellers}
    selling.print_confirm(by_terminal[sold.tickets[0]["terminal"]], sold.tickets[0])

    body = selling.sale(day, [[n] for n in _favourites(day.facts)], 1)
    error = sellers[0].api.post("lototrot/tickets", body)
    need(sellers[0].api.post("lototrot/tickets", body) == error, "a replay answered otherwise")
    selling.annul(sellers[0], error)
    step(f"ticket {error['uuid']} sent twice (one ticket), then annulled within the window")

    withdrawn = day.facts.withdrawals
    for each in withdrawn:
        office.withdraw(day, each.racecourse, each.race, each.number)
    step("withdrawn: " + ", ".join(f"{w.number} in race {w.race}" for w in withdrawn))
    code = selling.refused(sellers[0], _with_number(day, withdrawn[0]))
    need(code == "withdrawn_number", f"a withdrawn number was refused as {code}")

    more = selling.sell_many(day, sellers, seed + 1, LAST_SALES, withdrawn)
    need(not more.refusals, f"sales refused: {dict(more.refusals)}")
    step(f"{len(more.tickets)} more tickets sold: {dict(more.kinds())}")
    return sold.tickets + more.tickets


def _favourites(raceday: RaceDay) -> list[int]:
    return [max(shares, key=lambda n: shares[n]) for shares in raceday.bet_shares()]


def _with_number(day: Day, withdrawn: Withdrawal) -> dict[str, Any]:
    numbers = _favourites(day.facts)
    places = [(race.racecourse, race.race) for race in day.facts.races]
    numbers[places.index((withdrawn.racecourse, withdrawn.race))] = withdrawn.number
    return selling.sale(day, [[number] for number in numbers], 1)


def _close(day: Day, seller: Seller) -> dict[str, Any]:
    """A delayed start: the schedule moves, and the confirmed start closes the contest.

    One ticket is sold after the start and before its signal arrives: it is in breach [E3].
    """
    heading("Closing")
    race = day.facts.races[0]
    organiser = day.staff["org1"]
    office.clock_move(day.staff, day.first_start - timedelta(minutes=1), "a minute to the start")
    organiser.post(
        f"lototrot/contests/{day.contest}/schedule",
        {"scheduled_close_at": (day.first_start + timedelta(minutes=10)).isoformat()},
    )
    office.clock_move(day.staff, race.started_at + timedelta(seconds=5), "they are off")
    body = selling.sale(day, [[n] for n in _standing_favourites(day)], 1)
    late: dict[str, Any] = seller.api.post("lototrot/tickets", body)
    office.start(day, race)
    step(f"confirmed start {race.started_at.isoformat()} closes the contest")
    code = selling.refused(seller, selling.sale(day, body["races"], 1))
    need(code == "contest_closed", f"a late sale was refused as {code}")
    replay = seller.api.post("lototrot/tickets", body)
    need(replay["uuid"] == late["uuid"] and replay["code"] is None, "a replay gave a code away")
    step("late sales are refused; a replay still gets its answer, without its code")
    return late


def _standing_favourites(day: Day) -> list[int]:
    shares = day.facts.bet_shares(day.facts.withdrawals)
    return [max(race, key=lambda n: race[n]) for race in shares]


def _seal(day: Day) -> None:
    entry = office.seal_wait(day)
    sealed, at = entry["document"], entry["sequence"]
    step(f"{sealed['tickets']} tickets sealed: root {sealed['root'][:16]}…, log entry {at}")


def _results(day: Day) -> None:
    heading("Results")
    for number, race in enumerate(day.facts.races):
        if number:
            office.start(day, race)
        office.classify(day, race)
        heat = " (dead heat)" if len(race.winners) > 1 else ""
        step(f"race {race.race}: {' and '.join(map(str, race.winners))}{heat}")


def _settle(day: Day, tickets: list[dict[str, Any]], late: dict[str, Any]) -> dict[str, Any]:
    breaches = office.breach_void(day)
    need([b["ticket"] for b in breaches] == [late["uuid"]], f"found in breach: {breaches}")
    step("the ticket sold after the start was found and voided by two persons")
    settled = office.settlement_wait(day)
    show.settlement(settled)
    takings = sum(ticket["amount_cents"] for ticket in tickets)
    need(settled["figures"]["takings"] == takings, "the takings are not those of the tickets")
    need(settled["tickets"] == len(tickets), "tickets were lost or invented")
    office.payment_order(day)
    step("payment ordered by two persons")
    return settled


def _payout(
    day: Day, seller: Seller, tickets: list[dict[str, Any]], settled: dict[str, Any]
) -> list[dict[str, Any]]:
    """Look at the winning tickets; all of them, as the organiser lists them."""
    heading("Winning tickets")
    contest = f"lototrot/contests/{day.contest}"
    winners = list(day.staff["aud1"].pages(f"{contest}/winning-tickets", limit=200))
    prizes = sum(each["prize_cents"] for each in winners)
    need(prizes == settled["figures"]["prizes_total"], "the prizes do not sum to the settlement")
    step(f"{len(winners)} winning tickets, {euros(prizes)}")
    codes = {ticket["uuid"]: ticket["code"] for ticket in tickets}
    best = sorted(winners, key=lambda each: -each["prize_cents"])[:TICKETS_SHOWN]
    for each in best:
        state = seller.api.post("claims/check", {"code": codes[each["ticket"]]})
        need(state["amount_cents"] == each["prize_cents"], "a ticket shows another prize")
        show.traced_ticket(state)
    withdrawn = day.facts.withdrawals[0]
    position = 1 + [(r.racecourse, r.race) for r in day.facts.races].index(
        (withdrawn.racecourse, withdrawn.race)
    )
    moved = next(t for t in tickets if withdrawn.number in t["races"][position - 1]["numbers"])
    step(f"a ticket with number {withdrawn.number} of race {position}, withdrawn:")
    show.traced_ticket(seller.api.post("claims/check", {"code": moved["code"]}))
    return winners
