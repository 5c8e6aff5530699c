"""Terminals that sell plays and players that play them, many at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from core.tools.raceday.api import SERVER_CLOCK, ApiProblem
from core.tools.raceday.people import Seller

Emission = dict[str, Any]
Play = dict[str, Any]


def display_acknowledge(sellers: list[Seller], emission: Emission) -> None:
    """Declare at each terminal that the rules and the percentage of the game are on display."""
    path = f"promotrot/terminal/emissions/{emission['id']}/display-acknowledgement"
    with ThreadPoolExecutor(max(1, len(sellers))) as pool:
        list(pool.map(lambda seller: seller.api.post(path), sellers))


def buy(seller: Seller, emission: Emission) -> Play:
    """Buy a play; return it."""
    body = {
        "uuid": str(SERVER_CLOCK.request_uuid()),
        "emission": emission["id"],
        "price_cents": emission["price_cents"],
    }
    play: Play = seller.api.post("promotrot/plays", body)
    return play


def act(seller: Seller, play: Play, name: str) -> Play:
    """Do the player's next act; return the play after it."""
    body = {"number": len(play["acts"]) + 1, "act": name}
    after: Play = seller.api.post(f"promotrot/plays/{play['uuid']}/acts", body)
    return after


def play_out(seller: Seller, play: Play, random: Random) -> Play:
    """Play to the end with random acts among the legal ones; return the play."""
    while play["state"] == "playing":
        play = act(seller, play, random.choice(play["legal"]))
    return play


def sell_out(sellers: list[Seller], emission: Emission) -> list[Play]:
    """Sell and play at all terminals until no ticket is left; return the plays."""
    return _together(sellers, emission, emission["tickets"])


def sell_some(sellers: list[Seller], emission: Emission, plays: int) -> list[Play]:
    """Sell and play that many tickets at all terminals together; return the plays."""
    share, rest = divmod(plays, len(sellers))
    return _together(sellers, emission, share) + _together(sellers[:rest], emission, 1)


def _together(sellers: list[Seller], emission: Emission, plays: int) -> list[Play]:
    def one(numbered: tuple[int, Seller]) -> list[Play]:
        number, seller = numbered
        random = Random(f"{emission['reference']} {number} {plays}")  # noqa: S311
        return list(_terminal(seller, emission, random, plays))

    with ThreadPoolExecutor(max(1, len(sellers))) as pool:
        return [play for part in pool.map(one, enumerate(sellers)) for play in part]


def _terminal(seller: Seller, emission: Emission, random: Random, plays: int) -> Iterator[Play]:
    for _ in range(plays):
        try:
            play = buy(seller, emission)
        except ApiProblem as problem:
            if problem.code != "emission_sold_out":
                raise
            return
        yield play_out(seller, play, random)
