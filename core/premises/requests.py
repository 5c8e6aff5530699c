"""Sell under a UUID that the terminal made. Both games use this module.

A repeated request with the same content gets the first answer again; one with other content is
refused. A UUID that the terminal gave up is burnt. The game's SQL function decides in one statement
and answers with an outcome; `sql/requests.sql` holds the part common to both games.
"""

import datetime
import uuid
from dataclasses import dataclass
from types import UnionType
from typing import Any

from core.database import clock
from core.database.clock import row_uuid
from core.database.statements import call_function
from core.database.together import Together
from core.kernel import request_uuids
from core.kernel.errors import Conflict, DomainError, Forbidden
from core.premises.access import REFUSALS, BareTerminal, TerminalCannot, TerminalCredentials


class UuidReused(Conflict):
    code = "uuid_reused"
    message = "That UUID belongs to a request with other content or from another terminal."


class UuidBurnt(Conflict):
    code = "uuid_burnt"
    message = "The terminal has given that UUID up; make a new one."


class DisplayNotAcknowledged(Conflict):
    code = "display_not_acknowledged"
    message = "The operator has not yet acknowledged what is on display (14.III.5.2, 15.III.5.2)."


class CreditExhausted(Forbidden):
    """A sale is credit to the premises until they remit (docs/adr/0014-running-accounts.md)."""

    code = "credit_exhausted"
    message = "These premises would owe more than their guarantee covers. They remit first."


class AmountAboveCap(Forbidden):
    code = "amount_above_cap"
    message = "This ticket alone costs more than a terminal here may sell in a minute."


class StakesByTheMinute(Forbidden):
    code = "stakes_by_the_minute"
    message = "This terminal has sold what it may sell in a minute. Ask again within a minute."
    transient = True


def new_uuid() -> uuid.UUID:
    """Return the UUID of a request that this system makes now, by its own clock."""
    return row_uuid(clock.now())


def need_new(ident: uuid.UUID) -> None:
    """Raise RequestUuidVersion, RequestUuidFromTheFuture or RequestUuidTooOld unless a new act may
    have the UUID. Call it when no act has it. The functions that sell and pay ask by themselves.
    """
    (refusal,) = call_function("premises_new_request", uuid=ident, at=clock.now())
    if refusal is not None:
        raise REFUSAL_OF_UUID[refusal]


REFUSAL_OF_UUID = {error.code: error for error in request_uuids.REFUSALS}
_STATES_REFUSED = {
    error.code: error
    for error in (UuidReused, request_uuids.RequestArchived, request_uuids.RequestUuidVersion)
}
CREDIT_REFUSALS = (CreditExhausted, AmountAboveCap, StakesByTheMinute)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a game's SQL function. `rest` holds the columns that only this game returns."""

    outcome: str
    ticket_id: int | None
    sold_at: datetime.datetime
    terminal_id: int
    operator_id: int
    rest: tuple[Any, ...] = ()

    @property
    def replayed(self) -> bool:
        return self.outcome == "replayed"


class Sales:
    """The sales of one game: its SQL functions, and the errors for their outcomes.

    `rest` are the types of the columns that only this game's function returns.
    """

    def __init__(
        self, game: str, *refusals: type[DomainError], rest: tuple[type | UnionType, ...] = ()
    ) -> None:
        columns = (str, int | None, datetime.datetime | None, int | None, int | None, *rest)
        self._sell = Together(f"{game}_sell", columns)
        self._state = f"{game}_request_state"
        common = (
            *REFUSALS.values(),
            TerminalCannot,
            UuidReused,
            UuidBurnt,
            *request_uuids.REFUSALS,
            DisplayNotAcknowledged,
            *CREDIT_REFUSALS,
        )
        self._refusals = {error.code: error for error in (*common, *refusals)}

    def sell(self, credentials: TerminalCredentials, **content: Any) -> Answer:
        """Sell by one prepared statement, with the sales that wait at the same time.

        It may be repeated on a new connection. Return the answer even if it is a refusal, so that
        the caller may try again.
        """
        outcome, ticket_id, sold_at, terminal_id, operator_id, *rest = self._sell(
            token=credentials.token_digest,
            session=credentials.session_digest,
            **content,
        )
        return Answer(outcome, ticket_id, sold_at, terminal_id, operator_id, (*rest,))

    def refusal(self, answer: Answer, **data: Any) -> DomainError:
        """Return the error for the outcome of the answer."""
        return self._refusals[answer.outcome](**data)

    def ticket_of(self, *, terminal: BareTerminal, ident: uuid.UUID) -> int | None:
        """Return the id of the ticket that the terminal sold under a UUID, or None.

        If nothing was sold under it, burn it: no later sale can use it. Raises UuidReused if the
        UUID belongs to another terminal or another act, RequestUuidVersion, and RequestArchived if
        its time lies in a retired month.
        """
        outcome, ticket_id = call_function(self._state, terminal=terminal.terminal_id, uuid=ident)
        if outcome in _STATES_REFUSED:
            raise _STATES_REFUSED[outcome]
        return ticket_id if outcome == "sold" else None
