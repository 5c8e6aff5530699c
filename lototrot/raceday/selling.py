"""Sell at many terminals at once, and let some sales go wrong on purpose."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.kernel.days import MADRID
from core.tools.raceday.api import SERVER_CLOCK, ApiProblem
from core.tools.raceday.people import Seller
from core.tools.raceday.show import euros, table
from lototrot.raceday.meeting import PRICE_CENTS, Day
from lototrot.sample import players
from lototrot.sample.facts import Withdrawal

MEAN_BETS = 20
MULTIPLES_MOST = 600
AT_ONCE = 6


@dataclass(frozen=True, slots=True)
class Mix:
    """The number of tickets of each kind to sell."""

    singles: int
    multiples: int
    quick_picks: int


@dataclass(slots=True)
class Sold:
    """The tickets sold, as the API answers, and the refusals by code."""

    tickets: list[dict[str, Any]] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)

    def kinds(self) -> Counter[str]:
        """Return how many tickets there are of each kind."""
        return Counter(map(kind_of, self.tickets))


def kind_of(ticket: dict[str, Any]) -> str:
    """Return the kind of a ticket as words: one bet, several bets, or numbers drawn centrally."""
    if all(race["quick_pick"] for race in ticket["races"]):
        return "quick pick"
    return "multiple" if ticket["bets"] > 1 else "single"


def sale(day: Day, races: list[Any], bets: int) -> dict[str, Any]:
    """Return the body of a sale."""
    return {
        "uuid": str(SERVER_CLOCK.request_uuid()),
        "contest": day.contest,
        "price_cents": PRICE_CENTS,
        "amount_cents": bets * PRICE_CENTS,
        "races": races,
    }


def display_acknowledge(day: Day, sellers: list[Seller]) -> None:
    """Declare at each terminal that the programme is on display."""
    path = f"lototrot/contests/{day.contest}/display-acknowledgement"
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda seller: seller.api.post(path), sellers))


def clock_time(instant: str) -> str:
    """Return the hours and minutes of an instant in ISO 8601."""
    return f"{datetime.fromisoformat(instant).astimezone(MADRID):%H:%M}"


def show_kinds(sold: "Sold") -> None:
    """Print how many tickets of each kind were sold, and for how much."""
    cents: Counter[str] = Counter()
    for ticket in sold.tickets:
        cents[kind_of(ticket)] += ticket["amount_cents"]
    table(
        ("kind", "tickets", "amount"),
        [(kind, f"{count:,}", euros(cents[kind])) for kind, count in sorted(sold.kinds().items())],
    )


def sell_many(
    day: Day, sellers: list[Seller], seed: int, mix: Mix, without: tuple[Withdrawal, ...] = ()
) -> Sold:
    """Sell at all terminals at once to players who bet like the real ones."""
    rng = random.Random(seed)  # noqa: S311  (simulated players)
    selections = players.selections(
        rng,
        day.facts.bet_shares(without),
        singles=mix.singles,
        multiples=mix.multiples,
        quick_picks=mix.quick_picks,
        mean_bets=MEAN_BETS,
        max_bets=MULTIPLES_MOST,
    )
    queues: list[list[players.Selection]] = [[] for _ in sellers]
    for place, selection in enumerate(selections):
        queues[place % len(sellers)].append(selection)
    sold = Sold()
    with ThreadPoolExecutor(len(sellers)) as pool:
        for part in pool.map(lambda pair: _sell(day, *pair), zip(sellers, queues, strict=True)):
            sold.tickets += part.tickets
            sold.refusals += part.refusals
    return sold


def _sell(day: Day, seller: Seller, queue: list[players.Selection]) -> Sold:
    sold = Sold()
    for selection in queue:
        races: list[Any] = [list(numbers) for numbers in selection.numbers]
        bets = 1
        for numbers in races:
            bets *= len(numbers)
        body = sale(day, races or [{"quick_pick": 1}] * len(day.facts.races), bets)
        try:
            sold.tickets.append(seller.api.post("lototrot/tickets", body))
        except ApiProblem as problem:
            sold.refusals[problem.code] += 1
    return sold


def print_confirm(seller: Seller, ticket: dict[str, Any]) -> bytes:
    """Fetch the paper of a ticket, confirm that it was printed, and return its bytes."""
    slip = seller.api.raw("GET", f"lototrot/tickets/{ticket['uuid']}/slip.escpos")
    seller.api.post(f"lototrot/tickets/{ticket['uuid']}/print-confirmation")
    return slip


def prints_confirm(sellers: list[Seller], tickets: list[dict[str, Any]]) -> None:
    """Confirm from every terminal that it printed its tickets among these [E11]."""

    def confirm(seller: Seller) -> None:
        for ticket in tickets:
            if ticket["terminal"] == seller.terminal:
                seller.api.post(f"lototrot/tickets/{ticket['uuid']}/print-confirmation")

    with ThreadPoolExecutor(len(sellers)) as pool:
        list(pool.map(confirm, sellers))


def annul(seller: Seller, ticket: dict[str, Any]) -> None:
    """Annul a ticket that the operator sold by mistake, inside the correction window."""
    seller.api.post(
        f"lototrot/tickets/{ticket['uuid']}/annulment",
        {"code": ticket["code"], "reason": "Cursa equivocada"},
    )


def refused(seller: Seller, body: dict[str, Any]) -> str:
    """Return the code with which a sale is refused. Raise RuntimeError if it is not."""
    try:
        ticket = seller.api.post("lototrot/tickets", body)
    except ApiProblem as problem:
        return problem.code
    raise RuntimeError(f"a sale that had to be refused was registered: {ticket['uuid']}")
