"""Proposals in the admin: by their services, by the right person, on record."""

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import Model

from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from core.staff.signals import SESSION_KEY
from lototrot.models.running import Withdrawal
from lototrot.services.races import withdrawals
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, logged, row_url, text_of

pytestmark = pytest.mark.django_db
SECRET = "correct horse battery"


@pytest.fixture
def entered() -> tuple[Desk, Proposal]:
    """A withdrawal entered in the admin, and who entered it."""
    desk = Desk(Role.STEWARDS)
    race = factories.meeting().races.first()
    desk.do(race, "withdraw", number="4", source="Vet")
    return desk, Proposal.objects.get(kind="lototrot.withdrawal")


def _withdrawal() -> Withdrawal:
    return Withdrawal.objects.get()


def test_a_second_person_confirms(entered: tuple[Desk, Proposal]) -> None:
    proposer, proposal = entered
    desk = Desk(Role.STEWARDS)
    assert desk.offers(proposal, "confirm")
    page = desk.get(act_url(proposal, "confirm"))
    assert "Vet" in page
    assert row_url(_withdrawal().race) in page
    desk.do(proposal, "confirm")
    assert _withdrawal().confirmed_at
    decision = Decision.objects.get(proposal=proposal)
    assert (decision.decided_by, decision.decided_in_id) == (
        desk.person,
        desk.client.session[SESSION_KEY],
    )
    assert decision.proposed_by == proposer.person
    assert logged(desk, "confirm").object_id == str(proposal.pk)
    assert not desk.offers(proposal, "confirm", "reject")
    Desk(Role.STEWARDS).refused(proposal, "reject", "proposal_decided")


@pytest.mark.article("14.III.5.4.1")
def test_nobody_confirms_their_own_act(entered: tuple[Desk, Proposal]) -> None:
    """Not offered; by its address refused; in another session of the same person, too."""
    proposer, proposal = entered
    for desk in (proposer, Desk(person=proposer.person)):
        assert not desk.offers(proposal, "confirm")
        assert desk.offers(proposal, "reject")
        desk.refused(proposal, "confirm", "same_person")
        assert not desk.offers(proposal, "confirm")
    assert not Decision.objects.filter(proposal=proposal)
    assert _withdrawal().confirmed_at is None
    assert "Waits for another person" in text_of(proposer.client.get("/admin/"))
    assert "For you to decide" in text_of(Desk(Role.STEWARDS).client.get("/admin/"))


def test_a_proposal_is_rejected(entered: tuple[Desk, Proposal]) -> None:
    desk, proposal = Desk(Role.ORGANISER), entered[1]
    desk.do(proposal, "reject", reason="Another horse")
    assert _withdrawal().reversed_reason == "Another horse"
    assert logged(desk, "reject")
    assert "Waiting" not in text_of(desk.client.get(row_url(proposal)))


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.INSPECTOR, Role.ADMINISTRATOR])
def test_a_person_without_the_power_decides_nothing(
    entered: tuple[Desk, Proposal], role: Role
) -> None:
    desk, proposal = Desk(role), entered[1]
    desk.get(row_url(proposal))
    assert not desk.offers(proposal, "confirm", "reject")
    for act in ("confirm", "reject"):
        assert desk.ask(proposal, act).status_code == 403
    assert not Decision.objects.filter(proposal=proposal)


def test_a_confirmation_that_fails_leaves_nothing(entered: tuple[Desk, Proposal]) -> None:
    """The race started before the horse was withdrawn: neither decided nor logged."""
    proposal, race = entered[1], _withdrawal().race
    factories.started(race, at=_withdrawal().effective_at)
    before = LogEntry.objects.count()
    Desk(Role.STEWARDS).refused(proposal, "confirm", "withdrawal_too_late")
    assert not Decision.objects.filter(proposal=proposal)
    assert LogEntry.objects.count() == before


def test_pending_proposals_are_listed_apart(entered: tuple[Desk, Proposal]) -> None:
    done = withdrawals.WITHDRAWAL
    decided: Model = factories.proposal(done.name, "race:0:1", {"race": 0})
    listed = Desk(Role.STEWARDS).get("/admin/staff/proposal/", decision="pending")
    assert row_url(entered[1]) in listed
    assert row_url(decided) not in listed


def test_an_act_is_a_form_of_the_same_site(entered: tuple[Desk, Proposal]) -> None:
    """A forged request from elsewhere does nothing."""
    desk, proposal = Desk(Role.STEWARDS), entered[1]
    desk.client.handler.enforce_csrf_checks = True
    assert desk.ask(proposal, "confirm").status_code == 403
    assert not Decision.objects.filter(proposal=proposal)
