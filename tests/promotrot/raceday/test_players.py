"""Sell and play the tickets of the race day at several terminals at once."""

import threading
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.tools.raceday.api import ApiProblem
from core.tools.raceday.people import Seller
from promotrot.raceday import players

EMISSION = {"id": 3, "reference": "small/1", "price_cents": 100, "tickets": 7}


class Shop:
    """A server that sells the tickets of one emission and ends each play with its second act."""

    def __init__(self, tickets: int) -> None:
        self.left, self._lock = tickets, threading.Lock()

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "promotrot/plays":
            with self._lock:
                if not self.left:
                    raise ApiProblem(409, {"code": "emission_sold_out"})
                self.left -= 1
            return {"uuid": body["uuid"], "acts": [], "state": "playing", "legal": ["on", "stop"]}
        state = "ended" if body["number"] == 2 else "playing"
        acts = [{"number": number} for number in range(1, body["number"] + 1)]
        ident = path.split("/")[2]
        return {"uuid": ident, "acts": acts, "state": state, "legal": ["on", "stop"]}


def sellers(shop: Shop, terminals: int) -> list[Seller]:
    return [cast(Seller, SimpleNamespace(api=shop)) for _ in range(terminals)]


def test_a_play_goes_on_until_it_has_ended() -> None:
    (seller,) = sellers(Shop(1), 1)
    play = players.play_out(seller, players.buy(seller, EMISSION), Random(1))
    assert (play["state"], len(play["acts"])) == ("ended", 2)


def test_terminals_sell_an_emission_out_together() -> None:
    plays = players.sell_out(sellers(Shop(7), 3), EMISSION)
    assert len({play["uuid"] for play in plays}) == 7


def test_terminals_share_the_number_of_plays() -> None:
    shop = Shop(100)
    plays = players.sell_some(sellers(shop, 3), EMISSION, 8)
    assert len(plays) == 8
    assert shop.left == 92


def test_another_refusal_is_raised() -> None:
    class Closed(Shop):
        def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
            raise ApiProblem(403, {"code": "sales_suspended"})

    with pytest.raises(ApiProblem, match="sales_suspended"):
        players.sell_out(sellers(Closed(1), 2), EMISSION)
