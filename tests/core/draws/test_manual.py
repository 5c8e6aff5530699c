"""Enter draws that were made with balls by hand."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.draws import abandoning, balls, conducting, documents, manual, services
from core.draws.models import Announcement, CallOff, Commitment
from core.journal import rules
from core.proofs.log import published
from core.staff import accounts, two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support.urn import Hall
from tests.support.verifying.forging import Refused, forged, public_key, published_log, written
from tests.support.verifying.load import verifier

pytestmark = pytest.mark.django_db


def by_hand(room: Hall, **changes: Any) -> Any:
    arguments: dict[str, Any] = {
        "by": room.organiser,
        "order": ["5", "1", "8", "2", "3"],
        "drawn_at": clock.now(),
        "witness": "Notary",
        "cause": "Tall de llum",
    } | changes
    return manual.manual_propose(draw=room.draw.uuid, **arguments)


@pytest.mark.article("14.III.5.4.4")
def test_a_draw_with_balls_is_entered_by_an_organiser_and_the_inspector(room: Hall) -> None:
    with pytest.raises(services.BeforeAnnounced):
        by_hand(room)
    factories.announced_time(room.draw)
    proposal = by_hand(room)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=room.organiser)
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.uuid, by=room.other)
    with pytest.raises(services.InspectorAbsent):
        two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    with pytest.raises(conducting.EntropyGiven):
        room.enter()
    with pytest.raises(services.DrawBegun):
        by_hand(room)
    room.certify()
    assert room.urn.certified[0].order == ("5", "1", "8", "2", "3")
    log = published(kind=documents.MINUTES, subject=str(room.draw.uuid))
    assert log and log.document["method"] == "balls" and log.document["entropy"] is None
    assert log.document["commitment"] is None


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"witness": ""}, conducting.WitnessMissing),
        ({"cause": ""}, manual.CauseMissing),
        ({"order": ["5", "1", "8", "2"]}, manual.OrderMalformed),
        ({"order": ["5", "1", "8", "2", "2"]}, manual.OrderMalformed),
        ({"order": ["5", "1", "8", "2", "4"]}, manual.OrderMalformed),
    ],
)
def test_balls_that_cannot_be_are_refused(
    room: Hall, changes: dict[str, Any], error: type[Exception]
) -> None:
    factories.announced_time(room.draw)
    with pytest.raises(error):
        by_hand(room, **changes)
    for length in (timedelta(hours=-3), timedelta(minutes=1)):
        with pytest.raises(manual.DrawnOutOfTime):
            by_hand(room, drawn_at=clock.now() + length)


def rejected_past_the_services(proposal: Proposal, by: StaffActor) -> None:
    with transaction.atomic():
        Decision.objects.create(
            proposal=proposal,
            verdict="rejected",
            decided_by_id=by.user_id,
            decided_in_id=by.session_id,
            decided_at=clock.now(),
        )


@pytest.mark.article("14.III.5.4.4")
def test_the_database_lets_an_inspector_alone_reject_balls_until_they_lapse(room: Hall) -> None:
    """[B16]"""
    factories.announced_time(room.draw)
    balls = by_hand(room)
    for by in (room.organiser, room.other):
        with pytest.raises(DatabaseError, match="only an inspector rejects balls"):
            rejected_past_the_services(balls, by)
    rejected_past_the_services(balls, room.inspector)
    old = by_hand(room)
    factories.time_pass(days=2)
    rejected_past_the_services(old, room.other)


@pytest.mark.article("14.III.5.4.4")
def test_the_database_lets_nothing_else_decide_a_draw_whose_balls_wait(room: Hall) -> None:
    """[B16]"""
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    factories.announced_time(room.draw)
    conducting.field_fix(room.draw)
    first, now = Announcement.objects.get(), clock.now()
    rows = (
        Commitment(
            draw=room.draw,
            source="phrase",
            secret_kept=b"",
            digest=bytes(32),
            committed_at=now,
            committed_by_id=room.organiser.user_id,
            committed_in_id=room.organiser.session_id,
        ),
        Announcement(
            draw=room.draw,
            office=first.office,
            place=first.place,
            notice_s=600,
            planned_at=now + timedelta(days=1),
            announced_at=now,
            announced_by_id=room.organiser.user_id,
            announced_in_id=room.organiser.session_id,
        ),
        CallOff(
            draw=room.draw,
            reason="x",
            called_off_at=now,
            called_off_by_id=room.organiser.user_id,
            called_off_in_id=room.organiser.session_id,
        ),
    )
    balls = by_hand(room)
    for row in rows:
        with pytest.raises(DatabaseError, match="balls wait"), transaction.atomic():
            row.save(force_insert=True)
    rejected_past_the_services(balls, room.inspector)
    for row in rows[1:]:
        row.save(force_insert=True)


def test_an_administrator_who_closes_an_account_frees_no_balls(room: Hall) -> None:
    """[B16]: that person is gone, and another organiser would reject the balls and draw again."""
    factories.announced_time(room.draw)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    proposal = by_hand(room)
    administrator = factories.staff(Role.ADMINISTRATOR)
    accounts.user_deactivate(by=administrator, user_id=room.organiser.user_id)
    for act in (
        lambda: two_persons.reject(proposal=proposal.uuid, by=room.other),
        lambda: by_hand(room, by=room.other, order=["1", "5", "8", "2", "3"]),
    ):
        with pytest.raises(manual.BallsEntered):
            act()
    with pytest.raises(services.DrawBegun):
        conducting.draw_commit(by=room.other, draw=room.draw.uuid, source="phrase")
    with pytest.raises(two_persons.ProposerChanged):
        two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    two_persons.reject(proposal=proposal.uuid, by=room.inspector, reason="Entered anew")
    two_persons.confirm(proposal=by_hand(room, by=room.other).uuid, by=room.inspector)
    room.certify()
    assert room.urn.certified[0].order == ("5", "1", "8", "2", "3")


def reannounced(room: Hall, minutes: int = 30) -> Announcement:
    planned_at = clock.now() + timedelta(minutes=minutes)
    place = factories.central_office()
    return services.draw_reannounce(
        by=room.other, draw=room.draw.uuid, place=place, planned_at=planned_at
    )


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_balls_stand_by_the_announcement_that_they_followed(room: Hall) -> None:
    """[B16]: another organiser, who did not like them, announced another time before they were
    entered.
    """
    factories.announced_time(room.draw)
    drawn_at = clock.now() + timedelta(minutes=5)
    factories.time_pass(minutes=30)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    reannounced(room)
    proposal = by_hand(room, drawn_at=drawn_at)
    two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    room.certify()
    assert room.urn.certified[0].order == ("5", "1", "8", "2", "3")


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_of_two_announced_times_one_counts_which_an_inspector_decides(room: Hall) -> None:
    """[B16]: nobody draws at both, and chooses."""
    factories.announced_time(room.draw)
    first_drawn_at = clock.now() + timedelta(minutes=5)
    factories.time_pass(minutes=30)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    reannounced(room)
    factories.announced_time(room.draw)
    for act in (
        lambda: by_hand(room),
        lambda: conducting.draw_commit(by=room.other, draw=room.draw.uuid, source="phrase"),
    ):
        with pytest.raises(services.AnnouncedLate):
            act()
    services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="No witness came")
    with pytest.raises(services.BeforeAnnounced):
        by_hand(room, drawn_at=first_drawn_at)
    two_persons.confirm(proposal=by_hand(room).uuid, by=room.inspector)


def abandoned(room: Hall) -> None:
    """Abandon the draw; the hall is then that of the one which is announced instead."""
    proposal = abandoning.abandonment_propose(
        by=room.inspector, draw=room.draw.uuid, reason="Everybody saw the balls"
    )
    two_persons.confirm(proposal=proposal.uuid, by=room.other)
    room.draw = services.draw_of(kind=room.kind, subject=room.draw.subject)


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_balls_before_a_commitment_stand_once_it_is_abandoned(room: Hall, tmp_path: Path) -> None:
    """[B16]: an organiser who did not like them committed before they were entered, twice."""
    room.urn.declared_at = room.draw.declared_at
    factories.announced_time(room.draw)
    drawn_at, order = clock.now() + timedelta(minutes=5), ["5", "1", "8", "2", "3"]
    factories.time_pass(minutes=30)
    for _ in range(2):
        room.committed()
        with pytest.raises(manual.OnlyComputed):
            by_hand(room, drawn_at=drawn_at)
        committed_at = clock.now()
        abandoned(room)
    for later in (committed_at, clock.now()):
        with pytest.raises(services.BeforeAnnounced):
            by_hand(room, drawn_at=later)
    proposal = by_hand(room, drawn_at=drawn_at)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    factories.time_pass(hours=1)
    room.certify()
    assert room.urn.certified[0].order == tuple(order)
    log, draw = published_log(), verifier("draw")
    arguments = public_key(), str(room.draw.uuid)
    assert "first 5" in draw.check(written(tmp_path, "log.jsonl", log), *arguments)
    (minutes,) = [each["document"] for each in log if each["kind"] == documents.MINUTES]
    first = next(each for each in log if each["kind"] == documents.COMMITMENT)
    earlier = first["document"] | {"committed_at": minutes["drawn_at"]}
    fewer = minutes | {"announcements": minutes["announcements"][-1:]}
    for kind, lie, about, why in (
        (documents.MINUTES, fewer, room.draw.uuid, r"minutes\.announcements: missing"),
        (documents.COMMITMENT, earlier, first["subject"], "announced before that commitment"),
    ):
        with pytest.raises(Refused, match=why):
            draw.check(
                written(tmp_path, "lie.jsonl", forged(log, kind, lie, str(about))), *arguments
            )


def test_the_database_judges_balls_by_the_announcement_that_they_followed(room: Hall) -> None:
    """[B16]"""
    factories.announced_time(room.draw)
    first_drawn_at = clock.now()
    factories.time_pass(minutes=1)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    reannounced(room)

    def need_announced(at: datetime) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT draws_need_announced(%s, %s)", [room.draw.pk, at])

    need_announced(first_drawn_at)
    factories.announced_time(room.draw)
    with pytest.raises(DatabaseError, match="announced in time"):
        need_announced(clock.now())
    services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="No witness came")
    need_announced(clock.now())
    with pytest.raises(DatabaseError, match="a later announcement counts"):
        need_announced(first_drawn_at)
    with pytest.raises(DatabaseError, match="before its newest announced time"):
        need_announced(first_drawn_at - timedelta(days=1))


@pytest.mark.article("14.III.5.4.4")
def test_balls_are_public_once_entered_and_the_minutes_name_those_that_did_not_stand(
    room: Hall,
) -> None:
    """[B16]: they say by whom, when and why; one order lapsed without a decision."""
    factories.announced_time(room.draw)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    wrong = by_hand(room, order=["1", "5", "8", "2", "3"])
    with pytest.raises(services.ReasonNeeded):
        two_persons.reject(proposal=wrong.uuid, by=room.inspector, reason=" ")
    entry = published(kind=documents.BALLS, subject=str(wrong.uuid))
    assert entry and entry.document["order"] == ["1", "5", "8", "2", "3"]
    assert entry.document["draw"] == str(room.draw.uuid)
    assert entry.document["entered_by"] == room.organiser.user_id
    two_persons.reject(proposal=wrong.uuid, by=room.inspector, reason="A ball was missing")
    old = by_hand(room, by=room.other)
    factories.time_pass(days=2)
    conducting.draw_commit(by=room.other, draw=room.draw.uuid, source="phrase")
    room.enter()
    room.certify(late_cause="Tall de llum")
    log = published(kind=documents.MINUTES, subject=str(room.draw.uuid))
    assert log is not None
    first, second = log.document["rejected"]
    assert (first["balls"], second["balls"]) == (str(wrong.uuid), str(old.uuid))
    assert first["order"] == ["1", "5", "8", "2", "3"] and first["rejected_at"] is not None
    assert first["inspector"]["appointment"] and first["reason"] == "A ball was missing"
    assert (second["rejected_at"], second["inspector"], second["reason"]) == (None, None, "")


def test_the_journal_names_balls_that_were_entered_and_not_published(room: Hall) -> None:
    (rule,) = (each for each in rules.rules() if each.name == "staff_proposal.balls_published")
    factories.announced_time(room.draw)
    two_persons.reject(proposal=by_hand(room).uuid, by=room.inspector, reason="A ball was missing")
    assert list(rules.broken(rule)) == []
    two_persons.propose(
        kind=manual.MANUAL, subject=balls.subject_of(room.draw.uuid), by=room.other, content={}
    )
    assert len(list(rules.broken(rule))) == 1
