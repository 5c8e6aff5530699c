"""Suspend and resume sales."""

from django.db import transaction

from core.kernel.errors import Invalid, NotFound
from core.premises import powers
from core.premises.models import Suspension
from core.premises.services import premises_by_code, sales_hold, terminal_by_code
from core.staff.actor import StaffActor


class SuspensionScope(Invalid):
    code = "suspension_scope"
    message = "A suspension is for all, for one premises, or for one terminal."


class SuspensionUnknown(NotFound):
    code = "suspension_unknown"
    message = "There is no such suspension in force."


@transaction.atomic
def sales_suspend(
    *, by: StaffActor, reason: str, premises: str | None = None, terminal: str | None = None
) -> Suspension:
    """Stop sales now: all of them, or those at one premises, or at one terminal.

    Raises PowerMissing, SuspensionScope, PremisesUnknown, TerminalNotFound.
    """
    by.need(powers.SUSPEND)
    if premises and terminal:
        raise SuspensionScope
    return Suspension.objects.create(
        premises=premises_by_code(premises) if premises else None,
        terminal=terminal_by_code(terminal) if terminal else None,
        reason=reason,
        since=sales_hold(),
        suspended_by_id=by.user_id,
        suspended_in_id=by.session_id,
    )


@transaction.atomic
def sales_resume(*, by: StaffActor, suspension: int) -> Suspension:
    """Lift one suspension. Sales resume where no other suspension is in force.

    Raises PowerMissing, SuspensionUnknown.
    """
    by.need(powers.SUSPEND)
    now = sales_hold()
    in_force = Suspension.objects.filter(pk=suspension, lifted_at=None)
    if not in_force.update(lifted_at=now, lifted_by_id=by.user_id):
        raise SuspensionUnknown
    return Suspension.objects.get(pk=suspension)
