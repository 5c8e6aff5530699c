"""Selling a virtual ticket, and what becomes of a request (15.III.2, 15.III.3, 15.III.6.1)."""

import datetime
import uuid
from dataclasses import dataclass

from django.db import connection

from core.database.statements import run_prepared
from core.kernel.errors import Conflict, DomainError, Invalid
from core.premises.access import REFUSALS, BareTerminal, TerminalCannot, TerminalCredentials
from core.premises.requests import UuidBurnt, UuidReused
from promotrot.services.facts import EmissionFacts, EmissionUnknown, emission_facts


class EmissionNotOpen(Conflict):
    code = "emission_not_open"
    message = "The emission is not on sale yet."


class EmissionClosed(Conflict):
    code = "emission_closed"
    message = "The sale of the emission has ended."


class EmissionSoldOut(Conflict):
    code = "emission_sold_out"
    message = "Every ticket of the emission is sold."


class WrongPrice(Invalid):
    code = "wrong_price"
    message = "The price is not the emission's."


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """What the terminal asks for: a ticket of an emission, at the price the player was shown."""

    uuid: uuid.UUID
    emission_id: int
    price_cents: int


@dataclass(frozen=True, slots=True)
class Sold:
    """A sold ticket, to be played at its terminal. Which one it is, is not told."""

    uuid: uuid.UUID
    facts: EmissionFacts
    terminal_id: int
    operator_id: int
    sold_at: datetime.datetime
    replayed: bool


_REFUSALS: dict[str, type[DomainError]] = REFUSALS | {
    error.code: error
    for error in (
        EmissionUnknown,
        EmissionNotOpen,
        EmissionClosed,
        EmissionSoldOut,
        WrongPrice,
        UuidReused,
        UuidBurnt,
        TerminalCannot,
    )
}

_SELL = "SELECT * FROM promotrot_sell(%s, %s, %s, %s, %s)"


def play_sell(*, credentials: TerminalCredentials, request: PlayRequest) -> Sold:
    """Sell the next ticket of the emission, or answer the first answer again.

    All is decided in one statement by the database's clock; the ticket is any that no other sale
    holds, and which prize it has is not asked until it is played.
    """
    facts = emission_facts(request.emission_id)
    outcome, _, sold_at, terminal_id, operator_id = run_prepared(
        _SELL,
        [
            credentials.token_digest,
            credentials.session_digest,
            request.uuid,
            request.emission_id,
            request.price_cents,
        ],
    )
    if outcome not in ("sold", "replayed"):
        raise _REFUSALS[outcome]()
    return Sold(request.uuid, facts, terminal_id, operator_id, sold_at, outcome == "replayed")


def request_state(*, terminal: BareTerminal, ident: uuid.UUID) -> bool:
    """Whether a UUID became a play of this terminal; if not, it never can any more.

    Raises UuidReused if another terminal sold under it.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT outcome FROM promotrot_request_state(%s, %s)", [terminal.terminal_id, ident]
        )
        (outcome,) = cursor.fetchone()
    if outcome == UuidReused.code:
        raise UuidReused
    return bool(outcome == "sold")
