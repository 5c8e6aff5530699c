"""A meeting from the programme to its payment order, through the public API."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from core.tools.raceday.people import Seller
from core.tools.raceday.show import counted, doing, euros, heading, listed, step, table
from core.tools.raceday.stage import Stage, need
from lototrot.raceday import meeting as office
from lototrot.raceday import selling, show
from lototrot.raceday.meeting import Day
from lototrot.sample import facts
from lototrot.sample.facts import RaceFacts, Withdrawal

FIRST_SALES = selling.Mix(singles=300, multiples=500, quick_picks=100)
LAST_SALES = selling.Mix(singles=300, multiples=400, quick_picks=100)
TICKETS_SHOWN = 2


def morning() -> datetime:
    """Return the time at which the first meeting's day begins, five hours before its races."""
    races = facts.load(facts.SON_PARDO).races
    return min(race.started_at for race in races) - timedelta(hours=5)


def tell(stage: Stage) -> None:
    """Play the first meeting; keep its tickets and the winning ones for later chapters."""
    day, sellers = Day(facts.load(facts.SON_PARDO), stage.staff), stage.sellers
    office.rules_record(stage.staff["org1"])
    office.programme_enter(day, facts.SON_PARDO)
    show.programme(day.meeting)
    contest = office.contest_put_on_sale(day)
    (opening,) = office.entries_of(day, "lototrot.opening")
    step(
        f"The contest is on sale until {selling.clock_time(contest['scheduled_close_at'])}: entry"
        f" {opening['sequence']} of the public log has its terms"
    )
    selling.display_acknowledge(day, sellers)
    tickets = _sales(day, sellers)
    late = _close(stage, day)
    _seal(day)
    _prints(stage, day, late)
    _results(day)
    settled = _settle(day, tickets, late)
    winners = _payout(day, sellers[0], tickets, settled)
    stage.kept["lototrot.day"] = day
    stage.kept["lototrot.tickets"] = {ticket["uuid"]: ticket for ticket in tickets}
    stage.kept["lototrot.late"] = late
    stage.kept["lototrot.winners"] = winners


def _sales(day: Day, sellers: list[Seller]) -> list[dict[str, Any]]:
    """Sell, annul, withdraw, sell on; return the tickets that stand."""
    heading("Sales")
    doing("selling at all terminals")
    sold = selling.sell_many(day, sellers, 1, FIRST_SALES)
    need(not sold.refusals, f"sales refused: {dict(sold.refusals)}")
    step(f"{counted(len(sold.tickets), 'ticket')} sold at {len(sellers)} terminals at once:")
    selling.show_kinds(sold)
    by_terminal = {seller.terminal: seller for seller in sellers}
    selling.print_confirm(by_terminal[sold.tickets[0]["terminal"]], sold.tickets[0])

    body = selling.sale(day, [[n] for n in _favourites(day)], 1)
    error = sellers[0].api.post("lototrot/tickets", body)
    again = sellers[0].api.post("lototrot/tickets", body)
    need(again == {**error, "given_again": 1}, "a replay answered otherwise")
    selling.annul(sellers[0], error)
    step("A sale is sent twice by mistake and stays one ticket; the operator annuls it in time")

    withdrawn = day.facts.withdrawals
    for scratched in withdrawn:
        office.withdraw(day, scratched.racecourse, scratched.race, scratched.number)
    step(f"Withdrawn: {listed(f'number {w.number} of race {w.race}' for w in withdrawn)}")
    code = selling.refused(sellers[0], _with_number(day, withdrawn[0]))
    need(code == "withdrawn_number", f"a withdrawn number was refused as {code}")

    more = selling.sell_many(day, sellers, 2, LAST_SALES, withdrawn)
    need(not more.refusals, f"sales refused: {dict(more.refusals)}")
    step(f"A withdrawn number is refused; {counted(len(more.tickets), 'more ticket')} sold:")
    selling.show_kinds(more)
    return sold.tickets + more.tickets


def _favourites(day: Day, withdrawn: Sequence[Withdrawal] = ()) -> list[int]:
    """Return the number of each race that most bets are on, of those not withdrawn."""
    return [max(race, key=lambda n: race[n]) for race in day.facts.bet_shares(withdrawn)]


def _place(day: Day, withdrawn: Withdrawal) -> int:
    """Return the place, from 0, of the race of a withdrawal among the races of the contest."""
    races = [(race.racecourse, race.race) for race in day.facts.races]
    return races.index((withdrawn.racecourse, withdrawn.race))


def _with_number(day: Day, withdrawn: Withdrawal) -> dict[str, Any]:
    numbers = _favourites(day)
    numbers[_place(day, withdrawn)] = withdrawn.number
    return selling.sale(day, [[number] for number in numbers], 1)


def _close(stage: Stage, day: Day) -> dict[str, Any]:
    """Delay the start, move the schedule, and close the contest by the confirmed start.

    Return the ticket that is sold after the start and before its signal: it is in breach [E3].
    """
    heading("Closing")
    race, seller = day.facts.races[0], stage.sellers[0]
    stage.move_to(day.first_start - timedelta(minutes=1), "a minute to the start")
    office.closing_postpone(day, race, day.first_start + timedelta(minutes=10))
    step("The start is delayed: announced, and two persons move the closing, which is published")
    _false_start(day, race, seller)
    stage.move_to(race.started_at + timedelta(seconds=5), "they are off")
    body = selling.sale(day, [[n] for n in _favourites(day, day.facts.withdrawals)], 1)
    late: dict[str, Any] = seller.api.post("lototrot/tickets", body)
    reported = office.start_report(day, race)
    code = selling.refused(seller, selling.sale(day, body["races"], 1))
    need(code == "sales_stopped", f"a sale during the stop was refused as {code}")
    office.confirm(day.staff["com2"], reported)
    step(
        f"The first race starts late, at {selling.clock_time(race.started_at.isoformat())}: one"
        " steward reports it, which stops sales; another confirms it, which closes the contest"
    )
    code = selling.refused(seller, selling.sale(day, body["races"], 1))
    need(code == "contest_closed", f"a late sale was refused as {code}")
    replay = seller.api.post("lototrot/tickets", body)
    need(replay["code"] == late["code"], "a replay did not get its ticket again")
    step(
        "A later sale is refused; a terminal whose answer was lost gets its ticket for five minutes"
    )
    return late | {"body": body}


def _prints(stage: Stage, day: Day, late: dict[str, Any]) -> None:
    """Let the time to print again pass; two persons let stand what was not confirmed [E11]."""
    seller, closed_at = stage.sellers[0], day.facts.races[0].started_at
    stage.move_to(closed_at + timedelta(minutes=6), "five minutes after the closing")
    again = seller.api.post("lototrot/tickets", late["body"])
    need(again["code"] is None, "a replay gave a code away")
    count = office.unprinted_stand(day, "These terminals print, and do not confirm it.")
    rest = counted(count, "other ticket")
    step(f"The terminals confirmed one print; two persons let the {rest} stand")


def _false_start(day: Day, race: RaceFacts, seller: Seller) -> None:
    """Stop sales for a false start, and lift the stop: no sale is lost [E12]."""
    stopped = office.stop(day, race)
    body = selling.sale(day, [[n] for n in _favourites(day, day.facts.withdrawals)], 1)
    code = selling.refused(seller, body)
    need(code == "sales_stopped", f"a sale during a stop was refused as {code}")
    office.stop_lift(day, stopped)
    body = selling.sale(day, body["races"], 1)
    selling.annul(seller, seller.api.post("lototrot/tickets", body))
    step("A false start: one steward stops all sales at once, two let them go on")


def _seal(day: Day) -> None:
    entry = office.seal_wait(day)
    sealed, at = entry["document"], entry["sequence"]
    step(
        f"{counted(sealed['tickets'], 'ticket')} sealed before any result: entry {at} of the public"
        f" log, root {sealed['root'][:16]}…"
    )


def _results(day: Day) -> None:
    heading("Results")
    rows = []
    for number, race in enumerate(day.facts.races):
        doing(f"entering the result of race {race.race}")
        if number:
            office.start(day, race)
        office.classify(day, race)
        heat = "dead heat" if len(race.winners) > 1 else ""
        rows.append((race.race, listed(race.winners), heat))
    step("One steward enters each result and another confirms it:")
    table(("race", "winner", ""), rows)


def _settle(day: Day, tickets: list[dict[str, Any]], late: dict[str, Any]) -> dict[str, Any]:
    breaches = office.breach_void(day)
    need([b["ticket"] for b in breaches] == [late["uuid"]], f"found in breach: {breaches}")
    step("The ticket sold after the start is found, and two persons void it")
    doing("settling")
    settled = office.settlement_wait(day)
    show.settlement(settled, day.meeting["day"])
    takings = sum(ticket["amount_cents"] for ticket in tickets)
    need(settled["figures"]["takings"] == takings, "the takings are not those of the tickets")
    need(settled["tickets"] == len(tickets), "tickets were lost or invented")
    office.payment_order(day)
    step("Two persons order the payment of the prizes")
    return settled


def _payout(
    day: Day, seller: Seller, tickets: list[dict[str, Any]], settled: dict[str, Any]
) -> list[dict[str, Any]]:
    """Look at some winning tickets; return all of them, as the organiser lists them."""
    heading("Winning tickets")
    contest = f"lototrot/contests/{day.contest}"
    winners = list(day.staff["aud1"].pages(f"{contest}/winning-tickets", limit=200))
    prizes = sum(winner["prize_cents"] for winner in winners)
    need(prizes == settled["figures"]["prizes_total"], "the prizes do not sum to the settlement")
    step(f"{counted(len(winners), 'winning ticket')}, {euros(prizes)} in prizes; the best are:")
    codes = {ticket["uuid"]: ticket["code"] for ticket in tickets}
    best = sorted(winners, key=lambda winner: -winner["prize_cents"])[:TICKETS_SHOWN]
    for winner in best:
        state = seller.api.post("claims/check", {"code": codes[winner["ticket"]]})
        need(state["amount_cents"] == winner["prize_cents"], "a ticket shows another prize")
        show.traced_ticket(state)
    withdrawn = day.facts.withdrawals[0]
    place = _place(day, withdrawn)
    moved = next(t for t in tickets if withdrawn.number in t["races"][place]["numbers"])
    step(
        f"Number {withdrawn.number} of race {place + 1} was withdrawn; the next one that runs"
        " replaces it:"
    )
    show.traced_ticket(seller.api.post("claims/check", {"code": moved["code"]}))
    return winners
