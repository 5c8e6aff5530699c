"""Selling a virtual ticket, and what becomes of a request (15.III.2, 15.III.3, 15.III.6.1)."""

import datetime
import uuid
from dataclasses import dataclass

from core.kernel.errors import Conflict, Invalid
from core.premises.access import BareTerminal, TerminalCredentials
from core.premises.requests import Sales
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


SALES = Sales(
    "promotrot", EmissionUnknown, EmissionNotOpen, EmissionClosed, EmissionSoldOut, WrongPrice
)


def play_sell(*, credentials: TerminalCredentials, request: PlayRequest) -> Sold:
    """Sell the next ticket of the emission, or answer the first answer again.

    All is decided in one statement by the database's clock; the ticket is any that no other sale
    holds, and which prize it has is not asked until it is played.
    """
    facts = emission_facts(request.emission_id)
    answer = SALES.sell(
        credentials,
        uuid=request.uuid,
        emission=request.emission_id,
        price=request.price_cents,
    )
    if answer.outcome not in ("sold", "replayed"):
        raise SALES.refusal(answer)
    return Sold(
        request.uuid,
        facts,
        answer.terminal_id,
        answer.operator_id,
        answer.sold_at,
        answer.replayed,
    )


def request_state(*, terminal: BareTerminal, ident: uuid.UUID) -> bool:
    """Whether a UUID became a play of this terminal; if not, it never can any more.

    Raises UuidReused if another terminal sold under it.
    """
    return SALES.ticket_of(terminal=terminal, ident=ident) is not None
