"""Stop sales at once, and let them go on again (14.III.4) [E12].

One person of the stewards' desk stops the sales of every contest on a race or on a meeting. Two
persons lift a stop. The proposal of a start or of a declaration stops sales in the same way. Its
confirmation closes the contests, at the instant of the stop if that came first. Its rejection by a
second person lifts the stop.
"""

from datetime import datetime, timedelta

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, NotFound
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting, Race
from lototrot.models.stops import SalesStop
from lototrot.selectors.stops import contests_covered, stops_standing
from lototrot.services.races.course import race_get
from lototrot.services.reasons import need_reason, need_source


class NothingOnSale(Conflict):
    code = "nothing_on_sale"
    message = "No contest on that race or meeting is on sale."


class StopUnknown(NotFound):
    code = "stop_unknown"
    message = "There is no such stop of sales."


class StopEnded(Conflict):
    code = "stop_ended"
    message = "That stop has ended: it is lifted, or a start is on record, or its contests closed."


class StopAwaitsDecision(Conflict):
    code = "stop_awaits_decision"
    message = "A start or a declaration waits for its second person: confirm it or reject it."


@transaction.atomic
def race_stop(*, by: StaffActor, race_id: int, source: str) -> SalesStop:
    """Stop the sales of every contest on a race. The same person's stop again changes nothing.

    Raise RaceUnknown, SourceMissing or NothingOnSale.
    """
    by.need(powers.STOP_SALES)
    race = race_get(race_id)
    return _stopped(by, race.meeting_id, race, source)


@transaction.atomic
def meeting_stop(*, by: StaffActor, meeting: Meeting, source: str) -> SalesStop:
    """Stop the sales of every contest on a meeting. The same person's stop again changes nothing.

    Raise SourceMissing or NothingOnSale.
    """
    by.need(powers.STOP_SALES)
    return _stopped(by, meeting.pk, None, source)


def _stopped(by: StaffActor, meeting_id: int, race: Race | None, source: str) -> SalesStop:
    need_source(source)
    hold((Lock.MEETING, meeting_id))
    standing = SalesStop.objects.filter(
        meeting=meeting_id, race=race, stopped_by=by.user_id, proposal=None, ended_at=None
    ).first()
    stop = standing or stop_place(stop_of(by, meeting_id=meeting_id, race=race, source=source))
    if stop is None:
        raise NothingOnSale(meeting=meeting_id, race=race.pk if race else None)
    return stop


def stop_of(
    person: StaffActor,
    *,
    meeting_id: int,
    race: Race | None,
    source: str,
    proposal: Proposal | None = None,
) -> SalesStop:
    """Return a stop by a person that is not placed yet."""
    return SalesStop(
        meeting_id=meeting_id,
        race=race,
        source=source,
        stopped_by_id=person.user_id,
        stopped_in_id=person.session_id,
        proposal=proposal,
    )


def stop_place(stop: SalesStop) -> SalesStop | None:
    """Stop the sales of the contests on a race or a meeting; return None if none is on sale.

    Wait for every sale that holds a contest's shared lock. No ticket is sold after the commit, and
    none later than `stopped_at` unless the stop is lifted. Needs a transaction.
    """
    contests = _hold(stop)
    stop.stopped_at = clock.now()
    on_sale = Contest.objects.filter(
        pk__in=contests, state__in=Contest.UNCLOSED, scheduled_close_at__gt=stop.stopped_at
    )
    if not on_sale.exists():
        return None
    stop.save(force_insert=True)
    on_sale.filter(state=Contest.State.OPEN).update(state=Contest.State.STOPPED)
    return stop


def _hold(stop: SalesStop) -> list[int]:
    """Lock the meeting and the contests that the stop covers. Return the contests' ids."""
    hold((Lock.MEETING, stop.meeting_id))
    contests = list(contests_covered(stop).values_list("pk", flat=True))
    hold(*((Lock.CONTEST, contest) for contest in contests))
    return contests


@transaction.atomic
def stop_lift(*, by: StaffActor, stop_id: int, reason: str) -> Proposal:
    """Propose that sales go on after a stop; a second person confirms it.

    Raise StopUnknown, ReasonMissing, StopEnded or StopAwaitsDecision.
    """
    by.need(powers.STOP_SALES)
    need_reason(reason)
    stop = SalesStop.objects.filter(pk=stop_id).first()
    if stop is None:
        raise StopUnknown(stop=stop_id)
    proposal = two_persons.propose(
        kind=LIFTING,
        subject=f"stop:{stop_id}",
        by=by,
        content={"stop": stop_id, "reason": reason},
    )
    _need_liftable(stop_id)
    return proposal


def _need_liftable(stop_id: int) -> SalesStop:
    """Return the stop, with its locks held. Raise StopEnded or StopAwaitsDecision."""
    stop: SalesStop = SalesStop.objects.get(pk=stop_id)
    _hold(stop)
    stop.refresh_from_db()
    if stop.ended_at is not None:
        raise StopEnded(stop=stop_id, ending=stop.ending)
    if stop.proposal_id and not Decision.objects.filter(proposal=stop.proposal_id).exists():
        raise StopAwaitsDecision(stop=stop_id)
    return stop


def _lifted(proposal: Proposal, by: StaffActor) -> None:
    _end(_need_liftable(proposal.content["stop"]), lifting=proposal)


def stop_reject(proposal: Proposal, by: StaffActor) -> None:
    """Lift the stop of a start or a declaration that a second person rejects.

    If the proposer takes the proposal back, the stop stays: one person alone does not let sales go
    on. It stays as well if the account of who rejects is too new to be a second person's.
    """
    stop = SalesStop.objects.filter(proposal=proposal, ended_at=None).first()
    alone = by.user_id == proposal.proposed_by_id or by.session_id == proposal.proposed_in_id
    if stop is None or alone or not two_persons.may_be_second(by, clock.now()):
        return
    _hold(stop)
    stop.refresh_from_db()
    if stop.ended_at is None:
        _end(stop)


def instant_of(proposal: Proposal, name: str) -> datetime:
    """Return the instant that a start or a declaration states, by default that of its stop.

    If it stopped nothing, that of its proposal.
    """
    stated = proposal.content[name]
    if stated:
        return datetime.fromisoformat(stated)
    stop = SalesStop.objects.filter(proposal=proposal).first()
    return stop.stopped_at if stop else proposal.proposed_at


def _end(stop: SalesStop, *, lifting: Proposal | None = None) -> None:
    """Lift the stop, and put the contests back on sale that no other stop covers."""
    SalesStop.objects.filter(pk=stop.pk).update(
        ended_at=clock.now(), ending=SalesStop.Ending.LIFTED, lifting=lifting
    )
    for contest in contests_covered(stop).filter(state=Contest.State.STOPPED):
        if not stops_standing(contest).exists():
            Contest.objects.filter(pk=contest.pk, state=Contest.State.STOPPED).update(
                state=Contest.State.OPEN
            )


LIFTING = two_persons.Kind(
    "lototrot.stop_lifting",
    powers.STOP_SALES,
    apply=_lifted,
    good_for=timedelta(minutes=15),  # the course may look different afterwards
)
