"""The queue of decisions: one proposal after another, each decided once and by the right person."""

import re

import pytest

from core.admin_support.proposal_texts import kind_text
from core.staff import two_persons
from core.staff.models import Decision, Proposal, User
from core.staff.powers import Role
from lototrot.models.running import Withdrawal
from lototrot.services.races import withdrawals
from tests.support import factories
from tests.support.admin_desk import Desk, text_of

pytestmark = pytest.mark.django_db
QUEUE = "/admin/decisions/"


@pytest.fixture(scope="module")
def entered(shared: None) -> None:
    """Three withdrawals of one race, entered by one person."""
    by = factories.staff(Role.STEWARDS)
    race = factories.races_of(factories.contest())[0]
    for number in (4, 5, 6):
        withdrawals.withdrawal_enter(by=by, race_id=race.pk, number=number, source="Vet")


@pytest.fixture
def waiting(entered: None) -> list[Proposal]:
    return list(Proposal.objects.filter(decision=None).order_by("pk"))


def _url(proposal: Proposal) -> str:
    return f"{QUEUE}{proposal.uuid}/"


def _after(proposal: Proposal) -> str:
    return f"{QUEUE}?after={proposal.pk}"


def _leads_to(desk: Desk, url: str) -> str:
    response = desk.client.get(url)
    assert response.status_code == 302
    return str(response["Location"])


def _confirm(desk: Desk, proposal: Proposal) -> str:
    """Confirm a proposal of the queue, and return the address to which it leads."""
    response = desk.client.post(_url(proposal), {"decision": "confirm"})
    assert response.status_code == 302, text_of(response)
    return str(response["Location"])


def test_each_decision_leads_to_the_next_proposal_until_none_waits(waiting: list[Proposal]) -> None:
    first, second, third = waiting
    desk = Desk(Role.STEWARDS)
    assert _leads_to(desk, QUEUE) == _url(first)
    page = text_of(desk.client.get(_url(first)))
    assert "1 of 3" in page
    assert "Vet" in page
    assert _confirm(desk, first) == _after(first)
    assert _leads_to(desk, _after(first)) == _url(second)
    rejected = desk.client.post(_url(second), {"decision": "reject", "reason": "Another horse"})
    assert rejected["Location"] == _after(second)
    assert _leads_to(desk, _after(second)) == _url(third)
    assert _confirm(desk, third) == _after(third)
    assert "Nothing waits for your decision." in text_of(desk.client.get(_after(third)))
    verdicts = Decision.objects.filter(proposal__in=waiting).order_by("proposal")
    assert list(verdicts.values_list("verdict", "reason")) == [
        ("confirmed", ""),
        ("rejected", "Another horse"),
        ("confirmed", ""),
    ]


def test_a_proposal_left_for_later_waits(waiting: list[Proposal]) -> None:
    desk = Desk(Role.STEWARDS)
    assert f'href="{_after(waiting[0])}"' in desk.get(_url(waiting[0]))
    page = text_of(desk.client.get(_after(waiting[2])))
    assert "3 proposals are left for later" in page
    assert _leads_to(desk, QUEUE) == _url(waiting[0])


def test_the_same_decision_sent_twice_decides_one_proposal(waiting: list[Proposal]) -> None:
    desk = Desk(Role.STEWARDS)
    assert _confirm(desk, waiting[0]) == _confirm(desk, waiting[0]) == _after(waiting[0])
    assert Decision.objects.filter(proposal__in=waiting).count() == 1


def test_a_rejection_in_the_queue_has_a_reason(waiting: list[Proposal]) -> None:
    desk = Desk(Role.STEWARDS)
    response = desk.client.post(_url(waiting[0]), {"decision": "reject", "reason": " "})
    assert "This field is required." in text_of(response)
    assert not Decision.objects.filter(proposal__in=waiting)


@pytest.mark.parametrize("decision", ["", "anything"])
def test_a_form_without_a_decision_confirms_nothing(waiting: list[Proposal], decision: str) -> None:
    Desk(Role.STEWARDS).client.post(_url(waiting[0]), {"decision": decision})
    assert not Decision.objects.filter(proposal__in=waiting)


def test_a_proposal_that_another_person_decided_meanwhile_is_said_and_passed(
    waiting: list[Proposal],
) -> None:
    desk, other = Desk(Role.STEWARDS), Desk(Role.ORGANISER)
    desk.get(_url(waiting[0]))
    _confirm(other, waiting[0])
    late = desk.client.post(_url(waiting[0]), {"decision": "reject", "reason": "x"}, follow=True)
    assert f"Confirmed already by {other.person.full_name}" in text_of(late)
    assert late.redirect_chain[-1][0] == _url(waiting[1])
    again = desk.client.get(_url(waiting[0]), follow=True)
    assert "Confirmed already by" in text_of(again)
    assert Withdrawal.objects.filter(reversed_at=None).count() == 3


def test_a_proposal_that_was_withdrawn_is_said_and_passed(waiting: list[Proposal]) -> None:
    proposer = Desk(person=User.objects.get(pk=waiting[0].proposed_by_id))
    proposer.do(waiting[0], "reject", reason="Typed wrong")
    late = Desk(Role.STEWARDS).client.post(_url(waiting[0]), {"decision": "confirm"}, follow=True)
    assert "Withdrawn by" in text_of(late)
    assert not Decision.objects.filter(proposal__in=waiting, verdict="confirmed")


def test_a_proposal_that_grew_old_is_said_and_passed(waiting: list[Proposal]) -> None:
    withdrawal = factories.withdrawal(Withdrawal.objects.latest("pk").race, 7)
    by = factories.staff(Role.STEWARDS)
    reversal = withdrawals.withdrawal_reverse(by=by, withdrawal_id=withdrawal.pk, reason="Runs")
    desk = Desk(Role.STEWARDS)
    desk.get(_url(reversal))
    factories.time_pass(days=1, minutes=1)
    desk.sign_on()
    late = desk.client.post(_url(reversal), {"decision": "confirm"}, follow=True)
    assert "it lapsed" in text_of(late)
    assert "That was the last. 3 proposals are left for later." in text_of(late)
    assert not Decision.objects.filter(proposal=reversal)


@pytest.mark.article("14.III.5.4.1")
def test_who_proposed_has_nothing_to_decide(waiting: list[Proposal]) -> None:
    """Nor in another session; by the address it is refused."""
    person = User.objects.get(pk=waiting[0].proposed_by_id)
    desk = Desk(person=person)
    assert "Nothing waits for your decision." in text_of(desk.client.get(QUEUE))
    for response in (
        desk.client.get(_url(waiting[0]), follow=True),
        desk.client.post(_url(waiting[0]), {"decision": "confirm"}, follow=True),
    ):
        assert "You proposed it: another person decides." in text_of(response)
    assert not Decision.objects.filter(proposal__in=waiting)


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.CASHIER])
def test_who_has_not_the_power_decides_nothing(waiting: list[Proposal], role: Role) -> None:
    desk = Desk(role)
    response = desk.client.post(_url(waiting[0]), {"decision": "confirm"})
    assert response.status_code == 403
    assert _url(waiting[0]) not in str(desk.client.get(QUEUE).headers.get("Location"))
    assert not Decision.objects.filter(proposal__in=waiting)


def test_an_act_that_is_refused_as_things_stand_is_said_on_its_page(
    waiting: list[Proposal],
) -> None:
    """The race started before the horse was withdrawn: the proposal still waits."""
    withdrawal = Withdrawal.objects.order_by("pk").first()
    assert withdrawal
    factories.started(withdrawal.race, at=withdrawal.effective_at)
    response = Desk(Role.STEWARDS).client.post(_url(waiting[0]), {"decision": "confirm"})
    assert response.status_code == 200
    assert "house-refusal" in response.content.decode()
    assert "1 of 3" in text_of(response)
    assert not Decision.objects.filter(proposal__in=waiting)


def test_many_old_proposals_do_not_hide_what_waits(
    waiting: list[Proposal], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that a person proposed are not counted among those that wait for the person."""
    monkeypatch.setattr("core.staff.admin.proposals._MOST_WAITING", 1)
    proposer = User.objects.get(pk=waiting[0].proposed_by_id)
    by = factories.staff(Role.STEWARDS)
    race = Withdrawal.objects.latest("pk").race_id
    other = withdrawals.withdrawal_enter(by=by, race_id=race, number=7, source="Vet").proposal
    assert _leads_to(Desk(person=proposer), QUEUE) == _url(other)


def test_no_page_names_a_proposal_by_what_machines_call_it(waiting: list[Proposal]) -> None:
    desk = Desk(Role.STEWARDS)
    for url in (
        _url(waiting[0]),
        "/admin/",
        f"/admin/staff/proposal/{waiting[0].pk}/change/",
        f"/admin/staff/proposal/{waiting[0].pk}/confirm/",
    ):
        page = text_of(desk.client.get(url))
        assert waiting[0].subject not in page
        assert waiting[0].kind not in page


def test_every_kind_of_proposal_has_a_title_in_words() -> None:
    for name in two_persons.kinds():
        assert str(kind_text(Proposal(kind=name))) != name


def test_one_forged_from_elsewhere_decides_nothing(waiting: list[Proposal]) -> None:
    desk = Desk(Role.STEWARDS)
    desk.client.handler.enforce_csrf_checks = True
    assert desk.client.post(_url(waiting[0]), {"decision": "confirm"}).status_code == 403
    assert not Decision.objects.filter(proposal__in=waiting)


def test_an_open_page_is_told_what_others_decided(waiting: list[Proposal]) -> None:
    desk, other = Desk(Role.STEWARDS), Desk(Role.ORGANISER)
    part = {"part": "1"}
    status = desk.client.get(_url(waiting[1]), part).json()
    assert status == {"position": "2 of 3", "gone": ""}
    _confirm(other, waiting[0])
    assert desk.client.get(_url(waiting[1]), part).json()["position"] == "1 of 2"
    _confirm(other, waiting[1])
    status = desk.client.get(_url(waiting[1]), part).json()
    assert status["position"] == "" and "Confirmed already by" in status["gone"]
    left = {"after": str(waiting[2].pk), **part}
    assert "1 proposal is left for later" in text_of(desk.client.get(QUEUE, left))
    race_id = waiting[0].content["race"]
    by = factories.staff(Role.STEWARDS)
    withdrawals.withdrawal_enter(by=by, race_id=race_id, number=2, source="Vet")
    arrived = desk.client.get(QUEUE, left)
    assert "1 proposal waits for your decision" in text_of(arrived)
    assert f'data-decide href="{QUEUE}?after={waiting[2].pk}"' in arrived.content.decode()
    assert Desk(Role.CASHIER).client.get(_url(waiting[2]), part).status_code in (302, 403)


def test_the_queue_is_of_today_in_the_side_bar(waiting: list[Proposal]) -> None:
    page = Desk(Role.STEWARDS).get(_url(waiting[0]))
    bar = page[page.index('id="nav-sidebar-apps"') : page.index('id="main"')]
    assert re.findall(r'<a href="([^"]+)" aria-current="page"', bar) == ["/admin/"]
