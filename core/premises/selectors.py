"""Read premises and suspensions of sales."""

import dataclasses

from django.db.models import Prefetch, QuerySet

from core.database import clock
from core.database.clock import ClockUnsound
from core.database.reading.asking import fetch_row, fetch_value
from core.premises import powers
from core.premises.access import (
    CAPABILITIES,
    BareTerminal,
    PremisesNotAuthorised,
    SalesSuspended,
    TerminalActor,
)
from core.premises.models import (
    Authorisation,
    Game,
    Operator,
    OperatorSession,
    Premises,
    Suspension,
    Terminal,
)
from core.premises.requests import CreditExhausted
from core.premises.services import PremisesUnknown
from core.staff.actor import StaffActor


def premises_list(*, by: StaffActor) -> QuerySet[Premises]:
    by.need(powers.READ)
    return Premises.objects.all()


def terminal_codes() -> set[str]:
    """Return the codes of all terminals, those that are revoked too."""
    return set(Terminal.objects.values_list("code", flat=True))


def premises_one(*, by: StaffActor, code: str) -> Premises:
    """Return premises with their authorisations, terminals and operators.

    Raises PowerMissing, PremisesUnknown.
    """
    by.need(powers.READ)
    parts = (
        Prefetch("authorisations", Authorisation.objects.order_by("pk")),
        Prefetch("terminals", Terminal.objects.order_by("pk")),
        Prefetch("operators", Operator.objects.order_by("number")),
    )
    place = Premises.objects.filter(code=code).prefetch_related(*parts).first()
    if place is None:
        raise PremisesUnknown(code=code)
    return place


def suspensions(*, by: StaffActor, in_force: bool) -> QuerySet[Suspension]:
    """Return the suspensions in force, or all of them. Raises PowerMissing."""
    by.need(powers.READ)
    rows = Suspension.objects.select_related("premises", "terminal")
    return rows.filter(lifted_at=None) if in_force else rows


@dataclasses.dataclass(frozen=True, slots=True)
class TerminalCard:
    """The data that a terminal may read about itself. `session` is the live operator session, if
    any.
    """

    terminal: Terminal
    capabilities: list[str]
    session: OperatorSession | None


def terminal_card(*, terminal: BareTerminal, session_digest: bytes) -> TerminalCard:
    """Return the terminal's data. `session_digest` is that of its operator's token, if any."""
    row = Terminal.objects.select_related("premises").get(pk=terminal.terminal_id)
    session = (
        OperatorSession.objects.select_related("operator")
        .filter(terminal=row, token_digest=session_digest, ended_at=None)
        .filter(expires_at__gt=clock.now(), operator__is_active=True)
        .first()
    )
    return TerminalCard(row, sorted(CAPABILITIES[terminal.premises_kind]), session)


def premises_authorised(premises_id: int, game: str) -> bool:
    """Return whether premises hold an authorisation for a game now (14.I.6)."""
    return bool(
        fetch_value(
            "SELECT premises_authorised(p_premises => %s, p_game => %s, p_at => core_now())",
            [premises_id, game],
        )
    )


_SALE_REFUSAL = """
SELECT CASE WHEN (SELECT k.unsound FROM core_clock_unsound() k) THEN 'clock_unsound' ELSE coalesce(
    (SELECT m.refusal
       FROM premises_may_sell(p_terminal => %(terminal)s, p_premises => %(premises)s,
            p_game => %(game)s, p_at => core_now()) m),
    (SELECT 'credit_exhausted'
      WHERE statements_credit_left(p_premises => %(premises)s, p_at => core_now()) < 1)) END
"""


SALE_REFUSALS = (
    PremisesNotAuthorised.code,
    SalesSuspended.code,
    ClockUnsound.code,
    CreditExhausted.code,
)


def sale_refusal(*, by: BareTerminal | TerminalActor, game: Game) -> str | None:
    """Return which of SALE_REFUSALS every sale of a game would meet here now, or None."""
    row = fetch_row(
        _SALE_REFUSAL, {"terminal": by.terminal_id, "premises": by.premises_id, "game": game.value}
    )
    return row[0] if row else None
