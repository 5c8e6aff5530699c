"""Suspend and resume sales: by staff, or by the system when the guarantee is exceeded."""

from django.db import transaction
from django.db.models import QuerySet

from core.kernel.errors import Conflict, Invalid, NotFound
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


class SuspensionAutomatic(Conflict):
    code = "suspension_automatic"
    message = "It is lifted by itself once the premises owe no more than their guarantee covers."


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

    Raises PowerMissing, SuspensionUnknown, and SuspensionAutomatic for one that the system made.
    """
    by.need(powers.SUSPEND)
    now = sales_hold()
    in_force = Suspension.objects.filter(pk=suspension, lifted_at=None)
    lifted = in_force.filter(cause=Suspension.Cause.STAFF).update(
        lifted_at=now, lifted_by_id=by.user_id
    )
    if not lifted:
        raise SuspensionAutomatic if in_force.exists() else SuspensionUnknown
    return Suspension.objects.get(pk=suspension)


@transaction.atomic
def guarantee_suspend(*, premises_id: int, reason: str) -> bool:
    """Stop the sales of premises that owe more than their guarantee covers.

    Return False if such a suspension is already in force.
    """
    since = sales_hold()
    if _for_guarantee(premises_id).exists():
        return False
    Suspension.objects.create(
        premises_id=premises_id, cause=Suspension.Cause.GUARANTEE, reason=reason, since=since
    )
    return True


@transaction.atomic
def guarantee_resume(*, premises_id: int) -> bool:
    """Lift the suspension of premises whose guarantee covers their debt again.

    Return whether one was lifted.
    """
    return bool(_for_guarantee(premises_id).update(lifted_at=sales_hold()))


def _for_guarantee(premises_id: int) -> QuerySet[Suspension]:
    return Suspension.objects.filter(
        premises_id=premises_id, cause=Suspension.Cause.GUARANTEE, lifted_at=None
    )
