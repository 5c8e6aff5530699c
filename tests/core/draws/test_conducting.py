"""Take the steps of a public draw in order, and check the refusals."""

import dataclasses
import uuid
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.draws import abandoning, conducting, documents, method, services
from core.draws.models import Attendance, Outcome
from core.proofs.log import published
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from core.staff.two_persons import SecondPersonTooNew
from tests.support import factories
from tests.support.urn import PHRASE, Hall, Unsealed

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_a_draw_from_its_announcement_to_its_minutes(room: Hall) -> None:
    commitment = room.committed()
    outcome = room.enter()
    assert sorted(outcome.order) == sorted(room.urn.entries)
    secret = bytes(outcome.secret)
    field = method.field_digest(room.urn.entries)
    means = method.Means(method.Source.PHRASE, None)
    assert method.commitment(secret, str(room.draw.uuid), field, means) == bytes(commitment.digest)
    assert secret not in bytes(commitment.secret_kept)
    certificate = room.certify(observations="Sense incidències")
    assert room.state() == "certified" and not certificate.late
    (result,) = room.urn.certified
    assert result.order == tuple(outcome.order) and result.certified_at == certificate.certified_at
    entries = [
        published(kind=kind, subject=str(room.draw.uuid))
        for kind in (documents.COMMITMENT, documents.OUTCOME, documents.MINUTES)
    ]
    assert [each.sequence for each in entries if each] == sorted(
        each.sequence for each in entries if each
    )
    minutes = entries[2].document if entries[2] else {}
    assert minutes["inspector"]["appointment"] == "Resolució d'inspecció 1"
    assert minutes["entropy"] == {"source": "phrase", "text": PHRASE, "canonical": PHRASE}
    assert minutes["order"] == outcome.order and minutes["statement"].keys() == {"ca", "es", "en"}


def test_every_step_sent_again_changes_nothing(room: Hall) -> None:
    again = services.draw_announce(by=room.organiser, kind=room.kind, subject="urn:1")
    assert again == room.draw
    commitment = room.committed()
    assert room.committed() == commitment
    outcome = room.enter()
    assert room.enter() == outcome
    certificate = room.certify()
    assert room.certify() == certificate
    assert Attendance.objects.count() == Outcome.objects.count() == 1
    assert len(room.urn.certified) == 1


def test_steps_out_of_order_are_refused_each_by_its_own_code(room: Hall) -> None:
    with pytest.raises(services.InspectorAbsent):
        room.enter()
    with pytest.raises(conducting.NotDrawn):
        room.certify()
    with pytest.raises(conducting.InspectorNeeded):
        conducting.draw_commit(by=room.organiser, draw=room.draw.uuid, source="phrase")
    room.committed()
    with pytest.raises(conducting.NotDrawn):
        room.certify()
    with pytest.raises(conducting.WitnessMissing):
        room.enter(witness=" ")
    room.enter()
    for other in (PHRASE + "!", PHRASE + " "):
        with pytest.raises(conducting.EntropyGiven):
            room.enter(other)
    stranger = factories.staff(Role.INSPECTOR)
    with pytest.raises(services.InspectorAbsent):
        room.certify(by=stranger)
    with pytest.raises(services.DrawBegun):
        services.draw_call_off(
            by=room.organiser, kind=room.kind, subject="urn:1", reason="Again, please"
        )
    room.certify()
    with pytest.raises(services.DrawOver):
        services.draw_attend(by=stranger, draw=room.draw.uuid)
    with pytest.raises(services.DrawOver):
        services.draw_reannounce(
            by=room.organiser, draw=room.draw.uuid, place="Bar", planned_at=clock.now()
        )
    with pytest.raises(services.DrawUnknown):
        conducting.draw_commit(by=room.organiser, draw=uuid.uuid4(), source="phrase")


def test_only_the_roles_of_a_step_take_it(room: Hall) -> None:
    steward = factories.staff(Role.STEWARDS)
    for act in (
        lambda: conducting.draw_commit(by=room.inspector, draw=room.draw.uuid, source="phrase"),
        lambda: room.enter(by=room.organiser),
        lambda: services.draw_attend(by=room.organiser, draw=room.draw.uuid),
        lambda: conducting.draw_certify(by=steward, draw=room.draw.uuid),
    ):
        with pytest.raises(PowerMissing):
            act()


def test_the_game_says_when_a_draw_may_begin(room: Hall) -> None:
    room.urn.sealed = False
    with pytest.raises(Unsealed):
        room.committed()
    assert room.state() == "announced" and not room.draw.attendances.filter(draw=0).exists()
    room.urn.sealed = True
    room.committed()
    room.urn.entries = ("1", "2")
    assert len(room.enter().order) == 5, "the field was fixed with the commitment"


@pytest.mark.article("14.III.5.4.2")
def test_a_late_draw_is_marked_with_its_cause_and_not_blocked(room: Hall) -> None:
    room.committed()
    factories.time_pass(hours=2, seconds=1)
    room.enter()
    with pytest.raises(conducting.LateCauseMissing):
        room.certify()
    assert room.certify(late_cause="Tall de llum").late
    log = published(kind=documents.MINUTES, subject=str(room.draw.uuid))
    assert log and (log.document["late"], log.document["late_cause"]) == (True, "Tall de llum")


def test_another_inspector_takes_over_and_the_minutes_name_both(room: Hall) -> None:
    room.committed()
    room.enter()
    second = factories.staff(Role.INSPECTOR, name="Segona Inspectora")
    services.draw_attend(by=second, draw=room.draw.uuid)
    room.certify(by=second)
    with pytest.raises(services.DrawOver):
        room.certify()
    log = published(kind=documents.MINUTES, subject=str(room.draw.uuid))
    assert log and log.document["inspector"]["name"] == "Segona Inspectora"
    assert len(log.document["attendances"]) == 2


def test_an_inspector_whose_account_became_new_does_nothing_more(room: Hall) -> None:
    """B16: two administrators set a password of who attends, and one of them has the account."""
    room.committed()
    new = factories.given_a_password(room.inspector)
    proposal: Any = {"by": new, "draw": room.draw.uuid, "reason": "Power cut"}
    with pytest.raises(SecondPersonTooNew):
        room.enter(by=new)
    with pytest.raises(SecondPersonTooNew):
        abandoning.abandonment_propose(**proposal)
    liar = dataclasses.replace(new, second_from=None)
    words = "account is not new"
    with pytest.raises(DatabaseError, match=words), transaction.atomic():
        room.enter(by=liar)
    abandonment = abandoning.abandonment_propose(**proposal | {"by": liar})
    with pytest.raises(DatabaseError, match=words), transaction.atomic():
        two_persons.confirm(proposal=abandonment.uuid, by=room.organiser)
    assert room.state() == "committed"
    other = factories.staff(Role.INSPECTOR)
    services.draw_attend(by=other, draw=room.draw.uuid)
    room.enter(by=other)
    with pytest.raises(SecondPersonTooNew):
        room.certify(by=new)
    with pytest.raises(DatabaseError, match=words), transaction.atomic():
        room.certify(by=liar)
    room.certify(by=other)
    assert room.state() == "certified"
