"""Acts on the premises that a person chose in the list: proposed in one, decided by another."""

import re

import pytest

from core.premises import suspending
from core.premises.models import Premises, Suspension
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements.models import GuaranteeLimit
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, text_of

pytestmark = pytest.mark.django_db
CHOSEN = f"{list_url(Premises)}chosen/"


@pytest.fixture
def places() -> list[Premises]:
    return [factories.premises() for _ in range(3)]


def chosen(desk: Desk, act: str, places: list[Premises]) -> str:
    """Choose premises in the list and return the address of the act's page."""
    rows = [place.pk for place in places]
    response = desk.client.post(CHOSEN, {"row": rows, "do": act, "query": ""})
    assert response.status_code == 302, response.status_code
    return re.sub(r"^\.\./", list_url(Premises), response["Location"])


def test_premises_are_suspended_by_two_who_both_see_each_by_name(places: list[Premises]) -> None:
    first, second = Desk(Role.ORGANISER), Desk(Role.ORGANISER)
    suspending.sales_suspend(
        by=factories.staff(Role.ORGANISER), reason="Fire", premises=places[0].code
    )
    address = chosen(first, "suspend_chosen", places)
    live = text_of(first.client.post(address, {"live": "1", "reason": ""}))
    for place in places:
        assert place.name in live
    assert "Left out" in live and "suspended there already" in live and "2 premises" in live
    read = text_of(first.client.post(address, {"reason": "Strike"}))
    assert (
        "Left out" in read and places[1].name in read and not Proposal.objects.filter(decision=None)
    )
    done = first.client.post(address, {"reason": "Strike", "do": "1"}, follow=True)
    assert "Proposed for 2 premises" in text_of(done) and f"Left out: {places[0].code}" in text_of(
        done
    )
    waiting = Proposal.objects.get(decision=None)
    page = second.get(f"/admin/decisions/{waiting.uuid}/")
    plain_text = re.sub(r"<[^>]+>", " ", page)
    for place in places[1:]:
        assert place.name in plain_text and place.code in plain_text
    assert (
        "Strike" in plain_text and "Afterwards" in plain_text and places[0].code not in plain_text
    )
    assert f"{places[1].name} and 1 more" in plain_text
    second.do(waiting, "confirm")
    assert Suspension.objects.filter(lifted_at=None).count() == 3


def test_what_changed_meanwhile_is_named_to_who_confirms(places: list[Premises]) -> None:
    first, second = Desk(Role.ORGANISER), Desk(Role.ORGANISER)
    first.client.post(chosen(first, "suspend_chosen", places), {"reason": "Strike", "do": "1"})
    suspending.sales_suspend(
        by=factories.staff(Role.ORGANISER), reason="Fire", premises=places[2].code
    )
    waiting = Proposal.objects.get(decision=None)
    answered = second.client.post(f"/admin/decisions/{waiting.uuid}/", {"decision": "confirm"})
    text = text_of(answered)
    assert "changed since it was proposed" in text
    refusal = answered.content.decode().split('<div class="house-refusal"')[1].split("</div>")[0]
    assert places[2].name in refusal and places[0].name not in refusal
    assert Suspension.objects.count() == 1


def test_suspensions_are_lifted_and_a_limit_is_set_for_the_chosen(places: list[Premises]) -> None:
    first, second = Desk(Role.ORGANISER), Desk(Role.ORGANISER)
    by = factories.staff(Role.ORGANISER)
    suspending.sales_suspend(by=by, reason="Roof fell in", premises=places[0].code)
    address = chosen(first, "lift_chosen", places)
    assert "Roof fell in" in text_of(first.client.post(address, {"live": "1"}))
    first.client.post(address, {"reason": "Mended", "do": "1"})
    waiting = Proposal.objects.get(decision=None)
    assert "Roof fell in" in second.get(f"/admin/decisions/{waiting.uuid}/")
    second.do(waiting, "confirm")
    assert not Suspension.objects.filter(lifted_at=None)
    address = chosen(first, "limit_chosen", places)
    typed = {"limit_cents": "3000", "minute_cap_cents": "600", "reference": "Aval 12"}
    assert "€3,000.00" in text_of(first.client.post(address, typed))
    first.client.post(address, {**typed, "do": "1"})
    waiting = Proposal.objects.get(decision=None)
    answer = second.get(f"/admin/decisions/{waiting.uuid}/")
    assert "€3,000.00 · €600.00 a minute" in answer and places[2].name in answer
    second.do(waiting, "confirm")
    set_now = GuaranteeLimit.objects.filter(reference="Aval 12")
    assert {row.premises_id for row in set_now} == {place.pk for place in places}


def test_an_act_that_suits_none_of_them_is_refused_in_words(places: list[Premises]) -> None:
    desk = Desk(Role.ORGANISER)
    address = chosen(desk, "lift_chosen", places)
    text = text_of(desk.client.post(address, {"reason": "x", "do": "1"}))
    assert "cannot be proposed for any of these premises" in text
    text = text_of(
        desk.client.post(f"{list_url(Premises)}lift_chosen/", {"reason": "x", "do": "1"})
    )
    assert "Choose premises, at most 200 at once" in text
    assert not Proposal.objects.filter(decision=None)
