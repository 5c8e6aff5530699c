"""Sell virtual tickets and tell the terminal what became of a request (15.III.2, 15.III.3,
15.III.6.1).
"""

import datetime
import uuid
from dataclasses import dataclass

from core.kernel.errors import Conflict, Invalid
from core.premises.access import BareTerminal, TerminalCredentials
from core.premises.requests import Sales
from promotrot.selectors.facts import EmissionFacts, EmissionUnknown, emission_facts


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
    """The terminal's request: a ticket of an emission, at the price that the player was shown."""

    uuid: uuid.UUID
    emission_id: int
    price_cents: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """Which ticket of its emission was sold now, and where. It is told to no terminal."""

    ticket_id: int
    premises_id: int
    opening: int
    position: int


@dataclass(frozen=True, slots=True)
class Sold:
    """A sold ticket, to be played at its terminal. `dealt` is None if it was sold before."""

    uuid: uuid.UUID
    facts: EmissionFacts
    terminal_id: int
    operator_id: int
    sold_at: datetime.datetime
    dealt: Dealt | None

    @property
    def replayed(self) -> bool:
        return self.dealt is None


SALES = Sales(
    "promotrot",
    EmissionUnknown,
    EmissionNotOpen,
    EmissionClosed,
    EmissionSoldOut,
    WrongPrice,
    rest=(int | None,) * 3,
)


def play_sell(*, credentials: TerminalCredentials, request: PlayRequest) -> Sold:
    """Sell a ticket of the emission, or repeat the first answer to the same request.

    One SQL statement decides everything by the database's clock. It takes a ticket that no other
    sale holds. The prize on it is not read before it is played.
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
        None if answer.replayed else Dealt(answer.ticket_id, *answer.rest),  # type: ignore[arg-type]
    )


def request_state(*, terminal: BareTerminal, ident: uuid.UUID) -> bool:
    """Return whether the terminal sold a play under the UUID. If not, burn the UUID.

    Raises UuidReused if another terminal sold under it.
    """
    return SALES.ticket_of(terminal=terminal, ident=ident) is not None
