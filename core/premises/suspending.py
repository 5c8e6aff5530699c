"""Suspend and resume sales: at one place by one person, at many premises at once by two.

A suspension by a resolution is entered by two persons [E10], and lifted by two, who need the power
to enter one: the power to suspend does not undo what the authority decided.
"""

from collections.abc import Callable, Sequence

from django.db import transaction

from core.kernel.errors import Conflict, Invalid, NotFound
from core.premises import powers
from core.premises.chosen import Outcome, Plan, need_unchanged, plan_of, subject_of
from core.premises.models import Premises, Suspension
from core.premises.services import premises_by_code, sales_hold, terminal_by_code
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class SuspensionScope(Invalid):
    code = "suspension_scope"
    message = "A suspension is for all, for one premises, or for one terminal."


class SuspensionUnknown(NotFound):
    code = "suspension_unknown"
    message = "There is no such suspension in force."


class SuspensionByResolution(Conflict):
    code = "suspension_by_resolution"
    message = "This suspension is by a resolution of the authority: two persons lift it."


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

    Raises PowerMissing, SuspensionUnknown, SuspensionByResolution.
    """
    by.need(powers.SUSPEND)
    if _in_force(suspension).resolution_id is not None:
        raise SuspensionByResolution
    return _lift(suspension, by)


@transaction.atomic
def resuming_propose(*, by: StaffActor, suspension: int) -> Proposal:
    """Propose to lift a suspension by a resolution; another person confirms it [E10].

    Raises PowerMissing, SuspensionUnknown, ProposalPending.
    """
    by.need(powers.ENTER_RESOLUTION)
    subject = f"resuming:{_in_force(suspension).pk}"
    content: two_persons.Content = {"suspension": suspension}
    return two_persons.propose(kind=RESUMING, subject=subject, by=by, content=content)


def _in_force(suspension: int) -> Suspension:
    row = Suspension.objects.filter(pk=suspension, lifted_at=None).first()
    if row is None:
        raise SuspensionUnknown
    return row


def _lift(suspension: int, by: StaffActor) -> Suspension:
    now = sales_hold()
    in_force = Suspension.objects.filter(pk=suspension, lifted_at=None)
    if not in_force.update(lifted_at=now, lifted_by_id=by.user_id):
        raise SuspensionUnknown
    return Suspension.objects.get(pk=suspension)


def _resume(proposal: Proposal, by: StaffActor) -> None:
    _lift(proposal.content["suspension"], by)


def standing(places: Sequence[Premises]) -> dict[int, list[int]]:
    """Return the suspensions in force of whole premises, by their key, the oldest first."""
    by_place: dict[int, list[int]] = {place.pk: [] for place in places}
    rows = Suspension.objects.filter(premises__in=by_place, lifted_at=None).order_by("pk")
    for key, suspension in rows.values_list("premises", "pk"):
        by_place[key].append(suspension)
    return by_place


def suspending_plan(codes: Sequence[str]) -> Plan:
    """Return the plan of a proposal to suspend these premises. Raises SelectionEmpty."""

    def unfit(now: list[int]) -> tuple[str, str] | None:
        return ("suspended_already", "Sales are suspended there already.") if now else None

    return plan_of(codes, state=standing, unfit=unfit)


def lifting_plan(codes: Sequence[str]) -> Plan:
    """Return the plan of a proposal to lift suspensions. Raises SelectionEmpty."""

    def unfit(now: list[int]) -> tuple[str, str] | None:
        return None if now else ("not_suspended", "No suspension of these premises is in force.")

    return plan_of(codes, state=standing, unfit=unfit)


@transaction.atomic
def suspending_propose(*, by: StaffActor, premises: Sequence[str], reason: str) -> Outcome:
    """Propose to suspend the sales of premises, by their codes; another person confirms all.

    Those that are suspended already, or unknown, are left out and named. Until the confirmation
    all of them sell: `sales_suspend` stops one of them now. Raises PowerMissing, SelectionEmpty,
    SelectionRefused, ProposalPending.
    """
    return _propose(SUSPENDING, by, suspending_plan, premises, reason)


@transaction.atomic
def lifting_propose(*, by: StaffActor, premises: Sequence[str], reason: str) -> Outcome:
    """Propose to lift every suspension in force of premises; another person confirms all.

    Suspensions of all sales or of one terminal stay. If one is by a resolution, both persons need
    the power to enter one. Raises PowerMissing, SelectionEmpty, SelectionRefused, ProposalPending.
    """
    outcome = _propose(LIFTING, by, lifting_plan, premises, reason)
    _need_power_over(_lifted_by(outcome.proposal), by)
    return outcome


def _lifted_by(proposal: Proposal) -> list[int]:
    return [suspension for row in proposal.content["premises"] for suspension in row["standing"]]


def _need_power_over(suspensions: Sequence[int], by: StaffActor) -> None:
    """Raise PowerMissing if one is by a resolution, which the person may not enter."""
    if Suspension.objects.filter(pk__in=suspensions).exclude(resolution=None).exists():
        by.need(powers.ENTER_RESOLUTION)


def _propose(
    kind: two_persons.Kind,
    by: StaffActor,
    planned: Callable[[Sequence[str]], Plan],
    premises: Sequence[str],
    reason: str,
) -> Outcome:
    by.need(kind.power)
    plan = planned(premises)
    plan.need_some()
    content: two_persons.Content = {"premises": plan.rows(), "reason": reason}
    subject = subject_of(kind.name.partition(".")[2], content)
    proposal = two_persons.propose(kind=kind, subject=subject, by=by, content=content)
    return Outcome(proposal, plan.refused)


def _suspend_all(proposal: Proposal, by: StaffActor) -> None:
    """Suspend sales at each of the premises, or refuse them all. Raises PremisesChanged."""
    since, content = sales_hold(), proposal.content
    Suspension.objects.bulk_create(
        Suspension(
            premises=place,
            reason=content["reason"],
            since=since,
            suspended_by_id=by.user_id,
            suspended_in_id=by.session_id,
        )
        for place in need_unchanged(content["premises"], state=standing)
    )


def _lift_all(proposal: Proposal, by: StaffActor) -> None:
    """Lift the suspensions that the proposal lists, or refuse all.

    Raises PowerMissing, PremisesChanged.
    """
    lifted = _lifted_by(proposal)
    _need_power_over(lifted, by)
    now = sales_hold()
    need_unchanged(proposal.content["premises"], state=standing)
    Suspension.objects.filter(pk__in=lifted).update(lifted_at=now, lifted_by_id=by.user_id)


SUSPENDING = two_persons.Kind("premises.suspending", powers.SUSPEND, apply=_suspend_all)
RESUMING = two_persons.Kind("premises.resuming", powers.ENTER_RESOLUTION, apply=_resume)
LIFTING = two_persons.Kind("premises.lifting", powers.SUSPEND, apply=_lift_all)
