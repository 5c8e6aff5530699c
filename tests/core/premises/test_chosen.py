"""Many premises in one proposal: what is left out is named, what changed meanwhile refuses all."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.premises import openings, suspending
from core.premises.chosen import MOST, PremisesChanged, SelectionEmpty, SelectionRefused
from core.premises.models import Premises, Suspension
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from core.statements import guarantee, services
from core.statements.models import GuaranteeLimit
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def by() -> StaffActor:
    return factories.staff(Role.ORGANISER)


@pytest.fixture
def other() -> StaffActor:
    return factories.staff(Role.ORGANISER)


@pytest.fixture
def places() -> list[Premises]:
    return [factories.premises() for _ in range(3)]


def codes(places: list[Premises]) -> list[str]:
    return [place.code for place in places]


def suspended() -> set[int | None]:
    suspensions = Suspension.objects.filter(lifted_at=None)
    return set(suspensions.values_list("premises", flat=True))


def test_what_cannot_be_proposed_is_named_and_harms_no_other(
    by: StaffActor, other: StaffActor, places: list[Premises]
) -> None:
    suspending.sales_suspend(by=by, reason="Fire", premises=places[0].code)
    asked = [*codes(places), places[1].code, "NO-1"]
    proposal = suspending.suspending_propose(by=by, premises=asked, reason="Strike")
    left_out = [(row.premises, row.name, row.code) for row in proposal.refused]
    assert left_out == [
        (places[0].code, places[0].name, "suspended_already"),
        ("NO-1", "", "premises_unknown"),
    ]
    assert [r["premises"] for r in proposal.proposal.content["premises"]] == codes(places[1:])
    assert suspended() == {places[0].pk}, "nothing is suspended by one person"
    two_persons.confirm(proposal=proposal.proposal.uuid, by=other)
    assert suspended() == {place.pk for place in places}
    assert {(s.reason, s.suspended_by_id) for s in Suspension.objects.all()} == {
        ("Fire", by.user_id),
        ("Strike", other.user_id),
    }


def test_one_person_alone_suspends_lifts_and_limits_nothing(
    by: StaffActor, places: list[Premises]
) -> None:
    proposal = suspending.suspending_propose(by=by, premises=codes(places), reason="Strike")
    for refused in (by, factories.another_session(by)):
        with pytest.raises(two_persons.SamePerson):
            two_persons.confirm(proposal=proposal.proposal.uuid, by=refused)
    with pytest.raises(two_persons.ProposalPending):
        suspending.suspending_propose(by=by, premises=codes(places), reason="Strike")
    auditor = factories.staff(Role.AUDITOR)
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.proposal.uuid, by=auditor)
    for propose in (suspending.suspending_propose, suspending.lifting_propose):
        with pytest.raises(PowerMissing):
            propose(by=auditor, premises=codes(places), reason="x")
    with pytest.raises(PowerMissing):
        guarantee.limits_propose(by=auditor, premises=codes(places), limit_cents=1, reference="x")
    assert not Suspension.objects.exists()


def test_premises_that_changed_meanwhile_are_named_and_refuse_all(
    by: StaffActor, other: StaffActor, places: list[Premises]
) -> None:
    proposal = suspending.suspending_propose(by=by, premises=codes(places), reason="Strike")
    suspending.sales_suspend(by=by, reason="Fire", premises=places[1].code)
    with pytest.raises(PremisesChanged) as refused:
        two_persons.confirm(proposal=proposal.proposal.uuid, by=other)
    named = [{"premises": places[1].code, "name": places[1].name}]
    assert refused.value.data["premises"] == named
    assert suspended() == {places[1].pk}
    assert two_persons.lapse_of(proposal.proposal, clock.now()) is None, "it still waits"


def test_every_suspension_of_the_premises_is_lifted_and_no_other(
    by: StaffActor, other: StaffActor, places: list[Premises]
) -> None:
    terminal = factories.point(places[0]).terminal
    for reason in ("Fire", "Flood"):
        suspending.sales_suspend(by=by, reason=reason, premises=places[0].code)
    suspending.sales_suspend(by=by, reason="Paper", terminal=terminal.code)
    suspending.sales_suspend(by=by, reason="Storm")
    with pytest.raises(SelectionRefused) as refused:
        suspending.lifting_propose(by=by, premises=codes(places[1:]), reason="Over")
    assert [row["premises"] for row in refused.value.data["premises"]] == codes(places[1:])
    proposal = suspending.lifting_propose(by=by, premises=codes(places), reason="Over")
    two_persons.confirm(proposal=proposal.proposal.uuid, by=other)
    standing = Suspension.objects.filter(lifted_at=None).values_list("reason", flat=True)
    assert sorted(standing) == ["Paper", "Storm"]
    lifted = Suspension.objects.exclude(lifted_at=None)
    assert {row.lifted_by_id for row in lifted} == {other.user_id}


def test_a_suspension_lifted_or_added_meanwhile_refuses_the_lifting(
    by: StaffActor, other: StaffActor, places: list[Premises]
) -> None:
    first = suspending.sales_suspend(by=by, reason="Fire", premises=places[0].code)
    suspending.sales_suspend(by=by, reason="Fire", premises=places[1].code)
    proposal = suspending.lifting_propose(by=by, premises=codes(places), reason="Over")
    suspending.sales_resume(by=by, suspension=first.pk)
    suspending.sales_suspend(by=by, reason="Theft", premises=places[0].code)
    with pytest.raises(PremisesChanged):
        two_persons.confirm(proposal=proposal.proposal.uuid, by=other)
    assert suspended() == {places[0].pk, places[1].pk}


def test_one_limit_is_set_for_many_from_the_confirmation_on(
    by: StaffActor, other: StaffActor, places: list[Premises]
) -> None:
    factories.guarantee(places[0], 5_000, minute_cap_cents=700)
    factories.guarantee(places[1], 5_000, since=clock.now() + timedelta(days=3))
    terms = {"limit_cents": 5_000, "minute_cap_cents": 700, "reference": "Aval 7"}
    proposal = guarantee.limits_propose(by=by, premises=codes(places), **terms)
    assert [row.code for row in proposal.refused] == ["limit_the_same", "limit_to_come"]
    before = clock.now()
    two_persons.confirm(proposal=proposal.proposal.uuid, by=other)
    (limit,) = GuaranteeLimit.objects.filter(proposal=proposal.proposal)
    assert (limit.premises, limit.limit_cents, limit.minute_cap_cents) == (places[2], 5_000, 700)
    assert limit.in_force_from >= before and limit.recorded_by_id == by.user_id


def test_two_proposals_of_limits_at_once_set_one_of_them(
    by: StaffActor, other: StaffActor, places: list[Premises]
) -> None:
    """The second one was about the limits before the first, and is refused in whole."""
    proposals = [
        guarantee.limits_propose(by=by, premises=codes(places), limit_cents=cents, reference="Aval")
        for cents in (100, 200)
    ]
    two_persons.confirm(proposal=proposals[0].proposal.uuid, by=other)
    with pytest.raises(PremisesChanged):
        two_persons.confirm(proposal=proposals[1].proposal.uuid, by=other)
    newest = GuaranteeLimit.objects.order_by("-pk")[:3]
    assert {(row.limit_cents, row.proposal_id) for row in newest} == {
        (100, proposals[0].proposal.pk)
    }


def test_a_limit_of_one_proposed_before_a_newer_one_is_not_set_after_it(
    by: StaffActor, other: StaffActor, places: list[Premises]
) -> None:
    """A list took the credit of all premises away; an older proposal does not give it back."""
    old = guarantee.guarantee_limit_propose(
        by=by, premises=places[0].code, limit_cents=10**6, reference="Aval"
    )
    terms = {"limit_cents": 0, "reference": "Concurs de creditors"}
    newer = guarantee.limits_propose(by=by, premises=codes(places), **terms)
    two_persons.confirm(proposal=newer.proposal.uuid, by=other)
    with pytest.raises(PremisesChanged) as refused:
        two_persons.confirm(proposal=old.uuid, by=other)
    assert refused.value.data["premises"][0]["premises"] == places[0].code
    assert [cover.limit_cents for cover in guarantee.covers(places[0].pk)] == [0]
    again = guarantee.guarantee_limit_propose(
        by=other, premises=places[1].code, limit_cents=500, reference="Aval nou"
    )
    two_persons.confirm(proposal=again.uuid, by=by)
    assert [cover.limit_cents for cover in guarantee.covers(places[1].pk)] == [500]


@pytest.mark.parametrize("number", [0, MOST + 1])
def test_none_and_more_than_a_person_can_read_are_refused(by: StaffActor, number: int) -> None:
    asked = [f"P{at}" for at in range(number)]
    for propose in (suspending.suspending_propose, suspending.lifting_propose):
        with pytest.raises(SelectionEmpty):
            propose(by=by, premises=asked, reason="x")
    with pytest.raises(SelectionEmpty):
        guarantee.limits_propose(by=by, premises=asked, limit_cents=1, reference="x")
    with pytest.raises(guarantee.LimitRefused):
        guarantee.limits_propose(by=by, premises=["P1"], limit_cents=-1, reference="x")
    with pytest.raises(services.ReferenceMissing):
        guarantee.limits_propose(by=by, premises=["P1"], limit_cents=1, reference=" ")


def test_two_hundred_premises_cost_few_queries(
    by: StaffActor, other: StaffActor, django_assert_max_num_queries: Any
) -> None:
    asked = [f"MANY{at}" for at in range(MOST)]
    new = [openings.NewPremises(code, "Bar", "establishment", "X", "Palma") for code in asked]
    opening = factories.proposal("premises.opening", content=openings.Opening(new).content())
    Premises.objects.bulk_create(
        Premises(
            code=code,
            name="Bar",
            kind="establishment",
            address="X",
            municipality="Palma",
            created_at=clock.now(),
            proposal=opening,
        )
        for code in asked
    )
    with django_assert_max_num_queries(30):
        proposal = suspending.suspending_propose(by=by, premises=asked, reason="Strike")
        two_persons.confirm(proposal=proposal.proposal.uuid, by=other)
    assert len(suspended()) == MOST
