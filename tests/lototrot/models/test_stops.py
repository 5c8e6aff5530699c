"""The database refuses a stop that nobody made, and one that one person alone lifts [E12]."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.staff.models import Decision, Proposal
from lototrot.models.contest import Contest
from lototrot.models.stops import SalesStop, SignalDevice
from lototrot.services.races.stopping import race_stop
from tests.support import factories as f

pytestmark = pytest.mark.django_db


def stop_of(contest: Contest) -> SalesStop:
    by = f.two_stewards()[0]
    return race_stop(by=by, race_id=f.races_of(contest)[0].pk, source="Starter")


def refused(stop: SalesStop, **changes: object) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        SalesStop.objects.filter(pk=stop.pk).update(ended_at=clock.now(), **changes)


def test_a_stop_is_of_one_person_or_of_one_terminal(contest: Contest) -> None:
    by, point = f.staff(), f.point()
    person = {"stopped_by_id": by.user_id, "stopped_in_id": by.session_id}
    terminal = {"terminal": point.terminal}
    row = {"meeting": contest.meeting, "source": "x", "stopped_at": clock.now()}
    for wrong in ({}, person | terminal, {"stopped_by_id": by.user_id}, terminal | {"source": ""}):
        with pytest.raises(IntegrityError), transaction.atomic():
            SalesStop.objects.create(**row | wrong)
    race = f.races_of(contest)[0]
    signalled = row | terminal | {"race": race}
    with pytest.raises(IntegrityError), transaction.atomic():
        SalesStop.objects.create(**signalled)
    device = f.signal_device(race.racecourse, point)
    assert SalesStop.objects.create(**signalled).pk
    with pytest.raises(IntegrityError), transaction.atomic():
        SalesStop.objects.create(**signalled | {"race": None})
    SignalDevice.objects.update(
        ended_at=clock.now(), ended_by_id=by.user_id, ended_in_id=by.session_id
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        SalesStop.objects.create(**signalled)
    with pytest.raises(IntegrityError), transaction.atomic():
        SignalDevice.objects.create(
            terminal=point.terminal,
            racecourse=race.racecourse,
            appointed_at=device.appointed_at,
            proposal=f.proposal("lototrot.stop_lifting"),
        )


def test_only_two_persons_lift_a_stop(contest: Contest) -> None:
    stop = stop_of(contest)
    refused(stop, ending="lifted")
    refused(stop, ending="lifted", lifting=f.proposal("lototrot.withdrawal"))
    refused(stop, ending="confirmed")
    refused(stop, ending="closed")
    other = f.proposal("lototrot.stop_lifting", content={"stop": stop.pk + 1})
    refused(stop, ending="lifted", lifting=other)
    lifting = f.proposal("lototrot.stop_lifting", content={"stop": stop.pk})
    SalesStop.objects.update(ended_at=clock.now(), ending="lifted", lifting=lifting)
    refused(stop, ending="lifted", lifting=lifting)


def test_who_proposed_a_start_does_not_lift_its_stop_by_taking_it_back(contest: Contest) -> None:
    stop, by = stop_of(contest), f.staff()
    proposal = Proposal.objects.create(
        kind="lototrot.start",
        subject="x",
        content={},
        content_digest=bytes(32),
        proposed_by_id=by.user_id,
        proposed_in_id=by.session_id,
        proposed_at=clock.now(),
    )
    Decision.objects.create(
        proposal=proposal,
        verdict="rejected",
        decided_by_id=by.user_id,
        decided_in_id=by.session_id,
        decided_at=clock.now(),
    )
    own = SalesStop.objects.create(
        meeting=contest.meeting,
        source="x",
        stopped_at=stop.stopped_at + timedelta(seconds=1),
        stopped_by_id=by.user_id,
        stopped_in_id=by.session_id,
        proposal=proposal,
    )
    refused(own, ending="lifted")


def test_a_contest_is_stopped_as_long_as_a_stop_stands(contest: Contest) -> None:
    row = Contest.objects.filter(pk=contest.pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.update(state="stopped")
    stop_of(contest)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.update(state="open")
    with pytest.raises(DatabaseError), transaction.atomic():
        SalesStop.objects.all().delete()
