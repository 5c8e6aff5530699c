"""Enter withdrawals, starts and declarations in the admin."""

from datetime import timedelta

import pytest

from core.database import clock
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.signals import SESSION_KEY
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart, Withdrawal
from tests.support import factories
from tests.support.admin_desk import (
    Desk,
    act_url,
    as_typed,
    confirm_pending,
)
from tests.support.lototrot.classification_form import classification, race_started

pytestmark = pytest.mark.django_db


def _race() -> Race:
    return factories.races_of(factories.contest())[0]


@pytest.mark.article("14.III.5.4.1")
def test_a_horse_is_withdrawn_and_the_withdrawal_reversed(stewards: Desk) -> None:
    race = _race()
    stewards.do(race, "withdraw", number="4", source="Vet")
    withdrawal = Withdrawal.objects.get()
    assert (withdrawal.entered_by, withdrawal.number) == (stewards.person, 4)
    assert withdrawal.entered_in_id == stewards.client.session[SESSION_KEY]
    assert not stewards.offers(withdrawal, "reverse")
    stewards.refused(withdrawal, "reverse", "withdrawal_unconfirmed", reason="Mistake")
    confirm_pending("lototrot.withdrawal", Role.STEWARDS)
    assert 'value="4"' not in stewards.get(act_url(race, "withdraw"))
    stewards.do(withdrawal, "reverse", reason="Mistake")
    confirm_pending("lototrot.withdrawal_reversal", Role.ORGANISER)
    withdrawal.refresh_from_db()
    assert withdrawal.reversed_reason == "Mistake"


@pytest.mark.article("14.III.5.4.1")
def test_a_withdrawal_entered_after_the_start_is_reversed_until_the_result(stewards: Desk) -> None:
    race = _race()
    before = clock.now()
    stood = factories.withdrawal(race, 3)
    factories.time_pass(minutes=100)
    factories.started(race)
    factories.time_pass(minutes=1)
    stewards.do(race, "withdraw", number="4", source="Vet", effective_at=as_typed(before))
    confirm_pending("lototrot.withdrawal", Role.STEWARDS)
    late = Withdrawal.objects.get(number=4)
    assert not stewards.offers(stood, "reverse")
    assert stewards.offers(late, "reverse")
    stewards.do(late, "reverse", reason="Misread")
    confirm_pending("lototrot.withdrawal_reversal", Role.ORGANISER)
    late.refresh_from_db()
    assert late.reversed_reason == "Misread"


@pytest.mark.article("14.III.4")
def test_a_start_is_recorded_and_corrected(stewards: Desk) -> None:
    race = _race()
    factories.time_pass(minutes=100)
    begun = clock.now() - timedelta(minutes=2)
    stewards.do(race, "start", actual_start_at=as_typed(begun), source="Starter")
    assert Contest.objects.get().state == Contest.State.STOPPED
    second = confirm_pending("lototrot.start", Role.STEWARDS)
    assert Contest.objects.get().state == Contest.State.CLOSED
    recorded = RaceStart.objects.get()
    assert (recorded.proposal.proposed_by, recorded.recorded_by) == (
        stewards.person,
        second.person,
    )
    assert not stewards.offers(race, "start")
    earlier = begun - timedelta(minutes=1)
    stewards.do(race, "start_correct", actual_start_at=as_typed(earlier), source="Film")
    confirm_pending("lototrot.start_correction", Role.STEWARDS)
    assert RaceStart.objects.latest("pk").actual_start_at == earlier


@pytest.mark.article("14.III.5.4.3")
def test_a_race_is_declared_and_the_declaration_retracted(stewards: Desk) -> None:
    race = _race()
    factories.started(race)
    factories.time_pass(minutes=3)
    typed = {"kind": "suspended", "reason": "Fog", "ruling_2": "Refused to start"}
    stewards.do(race, "declare", text="Acta", author="authority", **typed)
    second = confirm_pending("lototrot.declaration", Role.ORGANISER)
    declaration = RaceDeclaration.objects.get()
    assert declaration.left == [{"number": 2, "ruling": "Refused to start"}]
    assert (declaration.author, declaration.recorded_by) == ("authority", second.person)
    stewards.do(race, "retract", reason="The fog lifted")
    confirm_pending("lototrot.declaration_retraction", Role.ORGANISER)
    declaration.refresh_from_db()
    assert declaration.superseded_at


@pytest.mark.article("14.III.5.4.2")
def test_a_meeting_is_declared_not_run(organiser: Desk) -> None:
    meeting = factories.contest().meeting
    typed = {"reason": "Storm", "text": "Resolució", "author": "authority"}
    organiser.do(meeting, "declare", **typed)
    assert Contest.objects.get().state == Contest.State.STOPPED
    confirm_pending("lototrot.declaration", Role.STEWARDS)
    assert RaceDeclaration.objects.filter(kind="not_run").count() == 7
    assert Contest.objects.get().state == Contest.State.CLOSED
    organiser.refused(meeting, "declare", "nothing_to_declare", **typed)


def test_the_classification_is_the_stewards() -> None:
    race = race_started()
    for role in set(Role) - {Role.STEWARDS}:
        desk = Desk(role)
        assert not desk.offers(race, "classify")
        assert desk.ask(race, "classify", **classification(race)).status_code == 403
    assert not Proposal.objects.filter(kind="lototrot.classification", subject=f"race:{race.pk}")
