"""Move the scheduled closing of a contest, until it has been reached (14.III.4) [E1, E13].

One person moves it earlier. Two move it later, one of them of the stewards' desk, at most to the
new start of the first race as announced. Every move is published in the public log at once.
"""

from datetime import datetime

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.canonical import with_digests
from core.kernel.errors import Conflict, Invalid
from core.proofs import log, wire
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.models.contest import Contest, ScheduleChange
from lototrot.selectors.announced import first_start_announced
from lototrot.services.reasons import need_reason

SCHEDULE = "lototrot.schedule"


class ContestNotOnSale(Conflict):
    code = "contest_not_on_sale"
    message = "The contest is not on sale."


class ScheduleInThePast(Invalid):
    code = "schedule_in_the_past"
    message = "The closing must be set to a time in the future."


class ScheduleLater(Conflict):
    """`data`: scheduled_close_at."""

    code = "schedule_later"
    message = "One person can only move the closing earlier. To move it later takes two [E13]."


class ScheduleNotLater(Conflict):
    """`data`: scheduled_close_at."""

    code = "schedule_not_later"
    message = (
        "That is not later than the scheduled closing. One person alone can move it earlier [E13]."
    )


class AfterAnnouncedStart(Conflict):
    """`data`: announced_start_at."""

    code = "after_announced_start"
    message = "The closing cannot be later than the announced start of the first race [E13]."


@transaction.atomic
def schedule_move(*, by: StaffActor, contest_id: int, to_at: datetime) -> Contest:
    """Move the scheduled closing earlier, by one person, and publish it.

    Raise ContestNotOnSale, ScheduleInThePast or ScheduleLater.
    """
    by.need(powers.CLOSE_CONTEST)
    contest = _movable(contest_id, to_at)
    if to_at > contest.scheduled_close_at:
        raise ScheduleLater(scheduled_close_at=contest.scheduled_close_at.isoformat())
    return _move(by, contest, to_at, None) if to_at < contest.scheduled_close_at else contest


@transaction.atomic
def schedule_postpone(*, by: StaffActor, contest_id: int, to_at: datetime, reason: str) -> Proposal:
    """Propose a later closing, which a person of the stewards' desk confirms and so publishes.

    The announcement of the delayed start is on record before it. Raise ReasonMissing,
    ContestNotOnSale, ScheduleInThePast, ScheduleNotLater or AfterAnnouncedStart.
    """
    by.need(powers.POSTPONE_CLOSING)
    need_reason(reason)
    proposal = two_persons.propose(
        kind=POSTPONEMENT,
        subject=f"contest:{contest_id}",
        by=by,
        content={"contest": contest_id, "to_at": to_at.isoformat(), "reason": reason},
    )
    _need_postponable(contest_id, to_at)
    return proposal


def _movable(contest_id: int, to_at: datetime) -> Contest:
    """Return the contest, locked, if its closing has not been reached and `to_at` is ahead."""
    hold((Lock.CONTEST, contest_id))
    contest: Contest = Contest.objects.get(pk=contest_id)
    now = clock.now()
    movable = contest.state in (Contest.State.DRAFT, *Contest.UNCLOSED)
    if not movable or contest.scheduled_close_at <= now:
        raise ContestNotOnSale(contest=contest_id)
    if to_at <= now:
        raise ScheduleInThePast
    return contest


def _need_postponable(contest_id: int, to_at: datetime) -> Contest:
    contest = _movable(contest_id, to_at)
    if to_at <= contest.scheduled_close_at:
        raise ScheduleNotLater(scheduled_close_at=contest.scheduled_close_at.isoformat())
    latest = first_start_announced(contest)
    if to_at > latest:
        raise AfterAnnouncedStart(announced_start_at=latest.isoformat())
    return contest


def _postponed(proposal: Proposal, by: StaffActor) -> None:
    to_at = datetime.fromisoformat(proposal.content["to_at"])
    _move(by, _need_postponable(proposal.content["contest"], to_at), to_at, proposal)


def _move(by: StaffActor, contest: Contest, to_at: datetime, proposal: Proposal | None) -> Contest:
    change = ScheduleChange.objects.create(
        contest=contest,
        number=contest.schedule_changes.count() + 1,
        from_at=contest.scheduled_close_at,
        to_at=to_at,
        changed_at=clock.now(),
        changed_by_id=by.user_id,
        changed_in_id=by.session_id,
        proposal=proposal,
    )
    contest.scheduled_close_at = to_at
    contest.save(update_fields=["scheduled_close_at"])
    log.publish(
        kind=SCHEDULE,
        subject=f"contest:{contest.pk}:{change.number}",
        document=with_digests(
            {
                "format": "lototrot-schedule-1",
                "contest": contest.pk,
                "bet_type": contest.bet_type_code,
                "day": contest.day.isoformat(),
                "number": change.number,
                "from": wire.instant(change.from_at),
                "to": wire.instant(change.to_at),
                "moved_at": wire.instant(change.changed_at),
                "persons": 2 if proposal else 1,
                "reason": proposal.content["reason"] if proposal else "",
            }
        ),
    )
    return contest


POSTPONEMENT = two_persons.Kind(
    "lototrot.closing_postponement",
    powers.POSTPONE_CLOSING,
    apply=_postponed,
    second=powers.CONFIRM_POSTPONEMENT,
)
