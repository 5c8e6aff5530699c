"""Buy and play tickets of Promotrot at a terminal, by the services and by the API."""

import secrets
import uuid
from typing import Any

import pytest

from core.premises.requests import new_uuid
from promotrot.models.emission import Emission
from promotrot.selectors.facts import REVEAL
from promotrot.services.playing import PlayView, play_act, play_sold
from promotrot.services.selling import PlayRequest, play_sell
from tests.support.api import terminal_api
from tests.support.factories import Point

PLAYS = "promotrot/plays"
REVEALING = {"number": 1, "act": REVEAL}

# --- By the services ------------------------------------------------------------------------------


def bought(place: Point, emission: Emission, ident: uuid.UUID | None = None) -> uuid.UUID:
    """Buy a ticket and do not play it; return its UUID."""
    ident = ident or new_uuid()
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    assert play_sell(credentials=place.credentials, request=request).uuid == ident
    return ident


def play_begun(place: Point, emission: Emission) -> PlayView:
    """Buy a ticket; return its play, in which nothing was done yet."""
    request = PlayRequest(new_uuid(), emission.pk, emission.price_cents)
    sold = play_sell(credentials=place.credentials, request=request)
    assert sold.dealt is not None
    return play_sold(credentials=place.credentials, sold=sold, dealt=sold.dealt)


def revealed(place: Point, ident: uuid.UUID) -> PlayView:
    """Play a pre-drawn ticket: its one act."""
    return play_act(credentials=place.credentials, ident=ident, number=1, act=REVEAL)


def winner(place: Point, emission: Emission) -> PlayView:
    """Buy and play pre-drawn tickets until one wins a voucher; return its play."""
    while True:
        play = revealed(place, bought(place, emission))
        if play.vouchers:
            return play


def climbed(place: Point, play: PlayView, *, stop: bool = True) -> PlayView:
    """Take the first step of a ladder, and stop on the rung if it went well."""
    play = play_act(credentials=place.credentials, ident=play.uuid, number=1, act="trot")
    if play.ending is None and stop:
        play = play_act(credentials=place.credentials, ident=play.uuid, number=2, act="stop")
    return play


def fate(monkeypatch: pytest.MonkeyPatch, *, up: bool) -> None:
    """Let each step of a ladder go up, or down, from now on."""
    monkeypatch.setattr(secrets, "randbelow", lambda bound: 0 if up else bound - 1)


# --- By the API -----------------------------------------------------------------------------------


def asked(emission: Emission, /, **changes: Any) -> dict[str, Any]:
    """Return the body that buys a ticket."""
    plain = {
        "uuid": str(new_uuid()),
        "emission": emission.pk,
        "price_cents": emission.price_cents,
    }
    return plain | changes


def card_bought(place: Point, emission: Emission) -> dict[str, Any]:
    """Buy a ticket through the API; return the answer."""
    answer = terminal_api(place).post(PLAYS, asked(emission))
    assert answer.status_code == 201, answer.content
    card: dict[str, Any] = answer.json()
    return card


def acted(place: Point, play: str, body: Any = REVEALING, **headers: str) -> Any:
    """Send an act of a play through the API; return the response."""
    return terminal_api(place).post(f"{PLAYS}/{play}/acts", body, **headers)
