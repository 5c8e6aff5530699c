"""Close contests (14.III.4).

Each sale compares the clock with the schedule, so a contest closes without any act. These acts
record the closing and close early. The secret of the codes is erased some minutes later [E11].
"""

import datetime

from django.db import transaction

from core.database import clock
from core.database.due_work import sweep_soon
from core.database.locks import Lock, hold
from core.kernel.errors import InvariantBroken
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.engine.closing import closing
from lototrot.models.contest import Contest
from lototrot.models.stops import SalesStop
from lototrot.selectors.stops import contests_covered, stops_standing


@transaction.atomic
def contest_close(
    *, contest_id: int, cause: Contest.Cause, at: datetime.datetime | None = None
) -> bool:
    """Close the contest. Return whether this call closed it; a closed contest does not change.

    Wait for every sale that holds the shared lock, so that no sale can be recorded after the
    commit. `at` is the instant of the start or of the declaration that closes the contest.
    `closed_at` is then the first of three instants: the scheduled closing, `at`, and the stops of
    sales that the start or declaration confirms [E12]. Without `at` it is the first of the
    scheduled closing and now. If the schedule came first, it is the cause.
    """
    meeting_id = Contest.objects.values_list("meeting_id", flat=True).get(pk=contest_id)
    hold((Lock.MEETING, meeting_id), (Lock.CONTEST, contest_id))
    contest = Contest.objects.get(pk=contest_id)
    if contest.state not in Contest.UNCLOSED:
        return False
    closed_at, cause = _closing_of(contest, cause, at)
    Contest.objects.filter(pk=contest_id, state__in=Contest.UNCLOSED).update(
        state=Contest.State.CLOSED, closed_at=closed_at, closing_cause=cause
    )
    _end_stops(contest, cause)
    sweep_soon()  # it must be sealed before there is any result
    return True


def _closing_of(
    contest: Contest, cause: Contest.Cause, at: datetime.datetime | None
) -> tuple[datetime.datetime, Contest.Cause]:
    """Return the instant and the cause that the closing records."""
    if at is None:
        now = clock.now()
        if contest.scheduled_close_at <= now:
            cause = Contest.Cause.SCHEDULE
        return min(contest.scheduled_close_at, now), cause
    starts = [at] if cause == Contest.Cause.START else []
    not_run = [at] if cause == Contest.Cause.NOT_RUN else []
    stops = stops_standing(contest).values_list("stopped_at", flat=True)
    closes = closing(contest.scheduled_close_at, starts, not_run, stops)
    if closes is None:
        raise InvariantBroken(contest=contest.pk)
    return closes.instant, Contest.Cause(closes.cause)


def _end_stops(contest: Contest, cause: Contest.Cause) -> None:
    """End each stop that covers the contest and no other contest that is stopped."""
    by_race = cause in (Contest.Cause.START, Contest.Cause.NOT_RUN)
    ending = SalesStop.Ending.CONFIRMED if by_race else SalesStop.Ending.CLOSED
    for stop in stops_standing(contest):
        if not contests_covered(stop).filter(state=Contest.State.STOPPED).exists():
            SalesStop.objects.filter(pk=stop.pk).update(ended_at=clock.now(), ending=ending)


def contest_close_early(*, by: StaffActor, contest_id: int) -> bool:
    """Close the contest before its schedule, by the organiser (14.III.4: "at the latest")."""
    by.need(powers.CLOSE_CONTEST)
    return contest_close(contest_id=contest_id, cause=Contest.Cause.ORGANISER)


def contest_close_due(*, contest_id: int) -> bool:
    """Record a closing whose scheduled time has passed. Return False if it is not due."""
    contest = Contest.objects.filter(pk=contest_id, state__in=Contest.UNCLOSED).first()
    if contest is None or contest.scheduled_close_at > clock.now():
        return False
    return contest_close(contest_id=contest_id, cause=Contest.Cause.SCHEDULE)


def closings_due() -> list[int]:
    """Return the contests whose scheduled closing has passed and is not recorded yet."""
    unclosed = Contest.objects.filter(state__in=Contest.UNCLOSED)
    due = unclosed.filter(scheduled_close_at__lte=clock.now())
    return list(due.order_by("scheduled_close_at").values_list("pk", flat=True))
