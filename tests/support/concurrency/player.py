"""Buy and play at several terminals in a process that a test kills, until all is sold.

`main` plays a plan, each terminal of it in one thread. `prepare` opens an emission and returns such
a plan. What a terminal is about to do and what it was answered goes to the standard output, a line
at a time and past every buffer:
`asked UUID TERMINAL`, `sold UUID`, `played UUID TIER`, `refused UUID`. A connection lost is made
again and the same request sent again, as a terminal would. `doubtful` plays of a process that was
killed come first.
"""

import os
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import django

django.setup()

from django.db import InterfaceError, OperationalError, connection  # noqa: E402

from core.premises.access import TerminalCredentials  # noqa: E402
from promotrot.selectors.facts import REVEAL  # noqa: E402
from promotrot.services.playing import play_act  # noqa: E402
from promotrot.services.selling import EmissionSoldOut, PlayRequest, play_sell  # noqa: E402
from tests.support.factories.request_uuids import SystemClock  # noqa: E402

T = TypeVar("T")


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def insist(act: Callable[[], T]) -> T:
    while True:
        try:
            return act()
        except (OperationalError, InterfaceError):
            connection.close()
            time.sleep(0.1)


def prepare(tickets: int, terminals: int) -> dict[str, Any]:
    """Make an emission of which every second ticket wins, and terminals that sell it."""
    from tests.support import emitting, factories

    tenth = tickets // 10
    tiers = [{"cash_cents": 300, "count": tenth}, {"cash_cents": 100, "count": tenth * 4}]
    definition = emitting.small(tickets=tickets, block_tickets=tickets, tiers=tiers)
    emission = emitting.opened(definition)
    points = [factories.point() for _ in range(terminals)]
    return {
        "emission": emission.pk,
        "price_cents": emission.price_cents,
        "terminals": [
            {"number": n, "token": p.token, "session": p.session_token, "doubtful": []}
            for n, p in enumerate(points)
        ],
    }


def play(plan: dict[str, Any], terminal: dict[str, Any], ident: uuid.UUID) -> bool:
    """Buy and play until there is no ticket left."""
    credentials = TerminalCredentials.of(terminal["token"], terminal["session"])
    request = PlayRequest(ident, plan["emission"], plan["price_cents"])
    try:
        insist(lambda: play_sell(credentials=credentials, request=request))
    except EmissionSoldOut:
        say("refused", ident)
        return False
    say("sold", ident)
    done = insist(
        lambda: play_act(credentials=credentials, ident=ident, number=1, act=REVEAL)
    ).ending
    say("played", ident, done.tier if done else "unended")
    return True


def terminal_play(plan: dict[str, Any], terminal: dict[str, Any]) -> None:
    system_clock = SystemClock()
    for ident in terminal["doubtful"]:
        play(plan, terminal, uuid.UUID(ident))
    while True:
        ident = system_clock.request_uuid()
        say("asked", ident, terminal["number"])
        if not play(plan, terminal, ident):
            return


def main(plan: dict[str, Any]) -> None:
    with ThreadPoolExecutor(len(plan["terminals"])) as pool:
        list(pool.map(lambda terminal: terminal_play(plan, terminal), plan["terminals"]))
