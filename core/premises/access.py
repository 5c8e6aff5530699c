"""Who stands at a terminal: credentials, and what they open."""

import dataclasses
import enum
import hashlib
from typing import Any

from core.database.statements import call_function
from core.kernel.errors import Forbidden, Unauthenticated
from core.premises.models import Premises


class TerminalUnknown(Unauthenticated):
    code = "terminal_unknown"
    message = "The terminal's token is not known."


class TerminalRevoked(Forbidden):
    code = "terminal_revoked"
    message = "This terminal has been revoked."


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
    """What a kind of premises opens to its terminals."""

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
        OperatorSessionUnknown,
        OperatorSessionExpired,
        PremisesNotAuthorised,
        SalesSuspended,
    )
}


@dataclasses.dataclass(frozen=True, slots=True)
class TerminalCredentials:
    """What a terminal presents: SHA-256 of its token and of its operator's session token."""

    token_digest: bytes
    session_digest: bytes

    @classmethod
    def of(cls, token: str, session: str) -> "TerminalCredentials":
        return cls(
            hashlib.sha256(token.encode()).digest(), hashlib.sha256(session.encode()).digest()
        )


@dataclasses.dataclass(frozen=True, slots=True)
class TerminalActor:
    """An operator at a terminal of a premises."""

    terminal_id: int
    premises_id: int
    premises_kind: str
    operator_id: int
    session_id: int

    def need(self, capability: Capability) -> None:
        """Raise TerminalCannot unless terminals of this kind may do it."""
        if capability not in CAPABILITIES[self.premises_kind]:
            raise TerminalCannot(capability=capability.value, kind=self.premises_kind)


@dataclasses.dataclass(frozen=True, slots=True)
class BareTerminal:
    """A terminal at which nobody need be signed on."""

    terminal_id: int
    premises_id: int
    premises_kind: str


_OPERATOR_REFUSALS = (OperatorSessionUnknown.code, OperatorSessionExpired.code)


def _identify(credentials: TerminalCredentials) -> tuple[Any, ...]:
    return call_function(
        "premises_identify",
        token=credentials.token_digest,
        session=credentials.session_digest,
    )


def terminal_actor(credentials: TerminalCredentials) -> TerminalActor:
    """Who acts. Raises TerminalUnknown, TerminalRevoked, OperatorSessionUnknown or -Expired."""
    refusal, terminal, premises, kind, operator, session = _identify(credentials)
    if refusal is not None:
        raise REFUSALS[refusal]
    return TerminalActor(terminal, premises, kind, operator, session)


def bare_terminal(credentials: TerminalCredentials) -> BareTerminal:
    """The terminal alone. Raises TerminalUnknown or TerminalRevoked."""
    refusal, terminal, premises, kind, *_ = _identify(credentials)
    if refusal is not None and refusal not in _OPERATOR_REFUSALS:
        raise REFUSALS[refusal]
    return BareTerminal(terminal, premises, kind)
