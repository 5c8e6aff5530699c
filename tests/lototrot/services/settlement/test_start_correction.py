"""Two persons correct a start on record, and nothing that closed by it opens again."""

from datetime import datetime, timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceStart
from lototrot.selectors.races import contest_limit, race_record
from lototrot.services.races.course import (
    InstantAhead,
    OutOfOrder,
    RaceNotStarted,
)
from lototrot.services.races.starts import NobodyToStart, StartDiffers, StartUnchanged
from lototrot.services.races.withdrawals import withdrawal_enter
from lototrot.services.reasons import SourceMissing
from lototrot.services.settlement.start_correction import StartChanged, start_correct
from tests.support import factories as f
from tests.support.lototrot.starting import start

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.4")
def test_two_persons_correct_a_start_and_nothing_reopens(contest: Contest, race: Race) -> None:
    first, second = f.two_stewards()
    recorded = start(race, by=first)
    contest.refresh_from_db()
    closed_at = contest.closed_at
    earlier = recorded.actual_start_at - timedelta(minutes=2)
    proposal = start_correct(by=first, race_id=race.pk, actual_start_at=earlier, source="Video")
    assert contest_limit(contest.pk) == recorded.actual_start_at
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=f.another_session(first))
    two_persons.confirm(proposal=proposal.uuid, by=second)
    assert contest_limit(contest.pk) == earlier
    assert race_record(race.pk).start.source == "Video"
    contest.refresh_from_db()
    assert (contest.state, contest.closed_at) == ("closed", closed_at)
    with pytest.raises(StartDiffers):
        start(race, recorded.actual_start_at)


def test_a_correction_must_be_possible(race: Race) -> None:
    first, second = f.two_stewards()

    def correct(at: datetime, source: str = "Video"):
        return start_correct(by=first, race_id=race.pk, actual_start_at=at, source=source)

    with pytest.raises(RaceNotStarted):
        correct(clock.now())
    recorded = start(race).actual_start_at
    with pytest.raises(StartUnchanged):
        correct(recorded)
    with pytest.raises(InstantAhead):
        correct(clock.now() + timedelta(minutes=1))
    with pytest.raises(SourceMissing):
        correct(clock.now(), " ")
    pending = correct(recorded - timedelta(minutes=1))
    with pytest.raises(two_persons.ProposalPending):
        correct(recorded - timedelta(minutes=2))
    RaceStart.objects.create(
        race=race,
        actual_start_at=recorded - timedelta(minutes=3),
        source="x",
        recorded_at=clock.now(),
        recorded_by_id=first.user_id,
        recorded_in_id=first.session_id,
        proposal=f.proposal(
            "lototrot.start_correction",
            "other",
            f.start_of(race, recorded - timedelta(minutes=3), "x", replaces=race.starts.get().pk),
        ),
        corrects=race.starts.get(),
    )
    with pytest.raises(StartChanged):
        two_persons.confirm(proposal=pending.uuid, by=second)


@pytest.mark.article("14.III.5.3")
def test_a_corrected_start_still_precedes_what_followed(race: Race) -> None:
    recorded = start(race).actual_start_at
    f.time_pass(minutes=5)
    announced = f.classified(race, [1]).announced_at
    f.time_pass(minutes=5)
    with pytest.raises(OutOfOrder):
        start_correct(
            by=f.staff(Role.STEWARDS), race_id=race.pk, actual_start_at=announced, source="x"
        )
    earlier = recorded + timedelta(minutes=1)
    start_correct(by=f.staff(Role.STEWARDS), race_id=race.pk, actual_start_at=earlier, source="x")


def test_a_correction_leaves_somebody_to_start(race: Race) -> None:
    """Horses withdrawn between both instants would be withdrawn before the start [B6, B7]."""
    began = clock.now()
    f.time_pass(minutes=1)
    for number in range(1, 10):
        f.withdrawal(race, number)
    start(race, began)
    f.time_pass(minutes=1)
    withdrawn_at = began - timedelta(minutes=1)
    by = f.staff(Role.STEWARDS)
    withdrawal_enter(by=by, race_id=race.pk, number=10, source="x", effective_at=withdrawn_at)
    with pytest.raises(NobodyToStart):
        start_correct(by=by, race_id=race.pk, actual_start_at=clock.now(), source="Video")
    assert race_record(race.pk).facts().started == tuple(range(1, 10))


def test_the_database_refuses_a_correction_nobody_confirmed(race: Race) -> None:
    first = f.staff(Role.STEWARDS)
    recorded = start(race)
    earlier = recorded.actual_start_at - timedelta(minutes=1)
    proposal = start_correct(by=first, race_id=race.pk, actual_start_at=earlier, source="Video")
    for stated in (proposal, f.proposal("lototrot.withdrawal", "other"), None):
        with pytest.raises(IntegrityError), transaction.atomic():
            RaceStart.objects.create(
                race=race,
                actual_start_at=earlier,
                source="x",
                recorded_at=clock.now(),
                recorded_by_id=first.user_id,
                recorded_in_id=first.session_id,
                proposal=stated,
                corrects=recorded,
            )
    with pytest.raises(DatabaseError), transaction.atomic():
        RaceStart.objects.filter(pk=recorded.pk).update(actual_start_at=earlier)
