"""Identify the terminal and the operator of a request, and list what each kind of premises may
do.
"""

import dataclasses
import enum
from typing import Any

from core.database.clock import ClockUnsound
from core.database.statements import call_function
from core.database.tokens import token_digest
from core.kernel.errors import Forbidden, Unauthenticated
from core.premises.models import Premises


class TerminalUnknown(Unauthenticated):
    code = "terminal_unknown"
    message = "The terminal's token is not known."


class TerminalRevoked(Forbidden):
    code = "terminal_revoked"
    message = "This terminal has been revoked."


class TerminalCopied(Forbidden):
    code = "terminal_copied"
    message = "A copy of this terminal's token was used; the terminal must be enrolled again."


class TokenReplaced(Unauthenticated):
    code = "token_replaced"
    message = "A newer token of the terminal has replaced this one."


class TokenExpired(Unauthenticated):
    code = "token_expired"
    message = "The terminal's token has expired; roll it, or sign an operator on."


class OperatorSessionUnknown(Unauthenticated):
    code = "operator_session_unknown"
    message = "No operator is signed on with that session at this terminal."


class OperatorSessionExpired(Unauthenticated):
    code = "operator_session_expired"
    message = "The operator's session has ended; sign on again."


class PremisesNotAuthorised(Forbidden):
    code = "premises_not_authorised"
    message = "These premises hold no authorisation for the game at this instant (14.I.6)."


class SalesSuspended(Forbidden):
    code = "sales_suspended"
    message = "Sales are suspended here."
    transient = True


class TerminalCannot(Forbidden):
    code = "terminal_cannot"
    message = "Terminals of premises of this kind do not do this."


class Capability(enum.StrEnum):
    """An act that the terminals of some kinds of premises may do."""

    SELL = "sell"
    CHECK = "check"
    PAY = "pay"
    DEPOSIT = "deposit"


CAPABILITIES: dict[str, frozenset[Capability]] = {
    Premises.Kind.ESTABLISHMENT: frozenset(
        {Capability.SELL, Capability.CHECK, Capability.PAY, Capability.DEPOSIT}
    ),
    Premises.Kind.RACECOURSE_POINT: frozenset(
        {Capability.SELL, Capability.CHECK, Capability.PAY, Capability.DEPOSIT}
    ),
    Premises.Kind.CENTRAL_OFFICE: frozenset({Capability.CHECK, Capability.PAY, Capability.DEPOSIT}),
    Premises.Kind.ENTITY_OFFICE: frozenset({Capability.CHECK, Capability.PAY, Capability.DEPOSIT}),
}

REFUSALS = {
    error.code: error
    for error in (
        TerminalUnknown,
        TerminalRevoked,
        TerminalCopied,
        TokenReplaced,
        TokenExpired,
        OperatorSessionUnknown,
        OperatorSessionExpired,
        PremisesNotAuthorised,
        SalesSuspended,
        ClockUnsound,
    )
}


@dataclasses.dataclass(frozen=True, slots=True)
class TerminalCredentials:
    """Keyed digests, 32 bytes each, of a terminal's token and of its operator's session token."""

    token_digest: bytes
    session_digest: bytes

    @classmethod
    def of(cls, token: str, session: str) -> "TerminalCredentials":
        return cls(token_digest(token), token_digest(session))


@dataclasses.dataclass(frozen=True, slots=True)
class TerminalActor:
    """An operator who is signed on at a terminal."""

    terminal_id: int
    premises_id: int
    premises_kind: str
    operator_id: int
    session_id: int

    def need(self, capability: Capability) -> None:
        """Raise TerminalCannot unless terminals of this kind of premises have the capability."""
        if capability not in CAPABILITIES[self.premises_kind]:
            raise TerminalCannot(capability=capability.value, kind=self.premises_kind)


@dataclasses.dataclass(frozen=True, slots=True)
class BareTerminal:
    """An identified terminal. `operator_id` is None unless an operator is signed on.

    `key` is its public key if that signed the request, as where a new token is given. `named` says
    that it named itself, because the token that it sent is not known.
    """

    terminal_id: int
    premises_id: int
    premises_kind: str
    operator_id: int | None = None
    key: bytes | None = None
    named: bool = False


_OPERATOR_REFUSALS = (OperatorSessionUnknown.code, OperatorSessionExpired.code)


def _identify(credentials: TerminalCredentials) -> tuple[Any, ...]:
    """Return refusal, terminal id, premises id and kind, operator id and session id."""
    return call_function(
        "premises_identify",
        token=credentials.token_digest,
        session=credentials.session_digest,
    )


def terminal_actor(credentials: TerminalCredentials) -> TerminalActor:
    """Return the operator and terminal of a request.

    Raises TerminalUnknown, TerminalRevoked, TerminalCopied, TokenReplaced, TokenExpired,
    OperatorSessionUnknown, OperatorSessionExpired.
    """
    return identified(*_identify(credentials))


def identified(
    refusal: str | None,
    terminal: int,
    premises: int,
    kind: str,
    operator: int,
    session: int,
) -> TerminalActor:
    """Return whom a row of `premises_identify` names. Raises as `terminal_actor`."""
    if refusal is not None:
        raise REFUSALS[refusal]
    return TerminalActor(terminal, premises, kind, operator, session)


def bare_terminal(credentials: TerminalCredentials) -> BareTerminal:
    """Return the terminal of a request.

    Raises TerminalUnknown, TerminalRevoked, TerminalCopied, TokenReplaced, TokenExpired.
    """
    return _terminal(credentials, _OPERATOR_REFUSALS)


def terminal_to_prove(credentials: TerminalCredentials) -> BareTerminal:
    """Return the terminal of a request that its key signs: its token may have expired.

    Raises TerminalUnknown, TerminalRevoked, TerminalCopied, TokenReplaced.
    """
    return _terminal(credentials, (*_OPERATOR_REFUSALS, TokenExpired.code))


def _terminal(credentials: TerminalCredentials, allowed: tuple[str, ...]) -> BareTerminal:
    """Return the terminal, unless it is refused for another reason than those allowed."""
    refusal, terminal, premises, kind, operator, _ = _identify(credentials)
    if refusal is not None and refusal not in allowed:
        raise REFUSALS[refusal]
    return BareTerminal(terminal, premises, kind, operator)
