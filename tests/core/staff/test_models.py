"""Constraints of the tables of staff, on rows written without the services."""

from datetime import timedelta

import pytest
from django.db import Error, IntegrityError, transaction

from core.database import clock
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal, SecondFactor, StaffSession, User
from core.staff.powers import Role
from tests.support import factories

pytestmark = pytest.mark.django_db


def proposed(by: StaffActor) -> Proposal:
    return Proposal.objects.create(
        kind="test",
        subject="test",
        content={},
        content_digest=bytes(32),
        proposed_by_id=by.user_id,
        proposed_in_id=by.session_id,
        proposed_at=clock.now(),
    )


def decide(proposal: Proposal, by: StaffActor, verdict: str) -> Decision:
    return Decision.objects.create(
        proposal=proposal,
        verdict=verdict,
        decided_by_id=by.user_id,
        decided_in_id=by.session_id,
        decided_at=clock.now(),
    )


@pytest.mark.article("14.III.5.4.1")
def test_a_proposal_is_confirmed_by_another_person_in_another_session() -> None:
    proposer = factories.staff(Role.ORGANISER)
    proposal = proposed(proposer)
    with pytest.raises(IntegrityError, match="confirmed_by_another_person"), transaction.atomic():
        decide(proposal, proposer, Decision.Verdict.CONFIRMED)
    decision = decide(proposal, factories.staff(Role.ORGANISER), Decision.Verdict.CONFIRMED)
    assert decision.proposed_by == proposal.proposed_by
    with pytest.raises(IntegrityError), transaction.atomic():
        decide(proposal, factories.staff(Role.ORGANISER), Decision.Verdict.REJECTED)


def test_the_proposer_may_reject() -> None:
    proposer = factories.staff(Role.ORGANISER)
    decision = decide(proposed(proposer), proposer, Decision.Verdict.REJECTED)
    assert decision.decided_by == decision.proposed_by


def test_a_person_has_one_second_factor_in_use() -> None:
    user = User.objects.get(pk=factories.staff(Role.AUDITOR).user_id)
    SecondFactor.objects.filter(user=user).update(ended_at=clock.now())
    SecondFactor.objects.create(user=user, secret=b"x", begun_at=clock.now())
    with pytest.raises(IntegrityError, match="second_factor_alone"), transaction.atomic():
        SecondFactor.objects.create(user=user, secret=b"y", begun_at=clock.now())


def test_a_session_ends_after_it_starts() -> None:
    now = clock.now()
    with pytest.raises(IntegrityError, match="staff_session_has_length"), transaction.atomic():
        StaffSession.objects.create(
            user_id=factories.staff(Role.AUDITOR).user_id,
            channel="api",
            token_digest=b"x" * 32,
            started_at=now,
            expires_at=now - timedelta(seconds=1),
        )


def test_names_and_sessions_are_never_changed_nor_deleted() -> None:
    by = factories.staff(Role.AUDITOR)
    for rows, change in (
        (User.objects.filter(pk=by.user_id), {"username": "another"}),
        (StaffSession.objects.filter(pk=by.session_id), {"user_id": by.user_id + 1}),
    ):
        with pytest.raises(Error), transaction.atomic():
            rows.update(**change)
        with pytest.raises(Error), transaction.atomic():
            rows.delete()
