"""Stopping sales at once, by staff or because premises owe more than they may; and lifting it."""

from django.db import transaction

from core.database import clock
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
    """Stop sales at once: everywhere, or at one premises, or at one terminal."""
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


def sales_resume(*, by: StaffActor, suspension: int) -> Suspension:
    """Lift one suspension; sales resume where no other stands.

    Raises SuspensionUnknown, or SuspensionAutomatic for one that the system made.
    """
    by.need(powers.SUSPEND)
    found = Suspension.objects.filter(pk=suspension, lifted_at=None)
    lifted = found.filter(cause=Suspension.Cause.STAFF).update(
        lifted_at=clock.now(), lifted_by_id=by.user_id
    )
    if not lifted:
        raise SuspensionAutomatic if found.exists() else SuspensionUnknown
    return Suspension.objects.get(pk=suspension)


@transaction.atomic
def guarantee_suspend(*, premises_id: int, reason: str) -> bool:
    """Stop the sales of premises that owe more than their guarantee covers; whether it did."""
    since = sales_hold()
    mine = Suspension.objects.filter(
        premises_id=premises_id, cause=Suspension.Cause.GUARANTEE, lifted_at=None
    )
    if mine.exists():
        return False
    Suspension.objects.create(
        premises_id=premises_id, cause=Suspension.Cause.GUARANTEE, reason=reason, since=since
    )
    return True


def guarantee_resume(*, premises_id: int) -> bool:
    """The guarantee covers what the premises owe again; whether a suspension was lifted."""
    mine = Suspension.objects.filter(
        premises_id=premises_id, cause=Suspension.Cause.GUARANTEE, lifted_at=None
    )
    return bool(mine.update(lifted_at=clock.now()))
