"""Close contests (14.III.4) and make the other changes that need their exclusive lock.

Each sale compares the clock with the schedule, so a contest closes without any act. These acts
record the closing, close early, and erase the secret from which the codes are made.
"""

import datetime

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Invalid
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.engine.races import mask_of
from lototrot.models.contest import Contest, ContestLeg, ScheduleChange
from lototrot.models.programme import Runner
from lototrot.models.running import Withdrawal


class ContestNotOnSale(Conflict):
    code = "contest_not_on_sale"
    message = "The contest is not on sale."


class ScheduleInThePast(Invalid):
    code = "schedule_in_the_past"
    message = "The closing must be set to a time in the future."


@transaction.atomic
def contest_close(*, contest_id: int, cause: Contest.Cause) -> bool:
    """Close the contest now. Return whether this call closed it; a closed contest does not change.

    Wait for every sale that holds the shared lock, so that no sale can be recorded after the
    commit. `closed_at` is now, or the scheduled closing if that came first; the schedule is then
    the cause.
    """
    hold((Lock.CONTEST, contest_id))
    contest = Contest.objects.get(pk=contest_id)
    if contest.state != Contest.State.OPEN:
        return False
    now = clock.now()
    if contest.scheduled_close_at <= now:
        cause = Contest.Cause.SCHEDULE
    Contest.objects.filter(pk=contest_id, state=Contest.State.OPEN).update(
        state=Contest.State.CLOSED,
        closed_at=min(contest.scheduled_close_at, now),
        closing_cause=cause,
        code_secret=None,
    )
    return True


def contest_close_early(*, by: StaffActor, contest_id: int) -> bool:
    """Close the contest before its schedule, by the organiser (14.III.4: "at the latest")."""
    by.need(powers.CLOSE_CONTEST)
    return contest_close(contest_id=contest_id, cause=Contest.Cause.ORGANISER)


def contest_close_due(*, contest_id: int) -> bool:
    """Record a closing whose scheduled time has passed. Return False if it is not due."""
    contest = Contest.objects.filter(pk=contest_id, state=Contest.State.OPEN).first()
    if contest is None or contest.scheduled_close_at > clock.now():
        return False
    return contest_close(contest_id=contest_id, cause=Contest.Cause.SCHEDULE)


def closings_due() -> list[int]:
    """Return the contests whose scheduled closing has passed and is not recorded yet."""
    open_contests = Contest.objects.filter(state=Contest.State.OPEN)
    due = open_contests.filter(scheduled_close_at__lte=clock.now())
    return list(due.order_by("scheduled_close_at").values_list("pk", flat=True))


@transaction.atomic
def schedule_move(*, by: StaffActor, contest_id: int, to_at: datetime.datetime) -> Contest:
    """Move the scheduled closing before it has been reached [E1].

    After a delayed start it may be later than the programme's time: the confirmed start closes the
    contest in any case.
    """
    by.need(powers.CLOSE_CONTEST)
    hold((Lock.CONTEST, contest_id))
    contest = Contest.objects.get(pk=contest_id)
    now = clock.now()
    on_sale = contest.state in (Contest.State.DRAFT, Contest.State.OPEN)
    if not on_sale or contest.scheduled_close_at <= now:
        raise ContestNotOnSale(contest=contest_id)
    if to_at <= now:
        raise ScheduleInThePast
    ScheduleChange.objects.create(
        contest=contest,
        from_at=contest.scheduled_close_at,
        to_at=to_at,
        changed_at=now,
        changed_by_id=by.user_id,
        changed_in_id=by.session_id,
    )
    contest.scheduled_close_at = to_at
    contest.save(update_fields=["scheduled_close_at"])
    return contest


@transaction.atomic
def offered_masks_refresh(*, contest_id: int) -> list[int]:
    """Set the numbers that each leg offers: its programme without the withdrawals in force."""
    hold((Lock.CONTEST, contest_id))
    legs = ContestLeg.objects.filter(contest_id=contest_id).order_by("position")
    offered = dict.fromkeys(legs.values_list("race_id", flat=True), 0)
    for race, number in Runner.objects.filter(race__in=offered).values_list("race_id", "number"):
        offered[race] |= mask_of([number])
    standing = Withdrawal.objects.filter(race__in=offered, reversed_at=None)
    for race, number in standing.values_list("race_id", "number"):
        offered[race] &= ~mask_of([number])
    masks = [*offered.values()]
    Contest.objects.filter(pk=contest_id).update(offered_masks=masks)
    return masks
