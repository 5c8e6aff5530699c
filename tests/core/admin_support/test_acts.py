"""Acts in the admin: asked, shown again, done and put on record; refusals in words."""

import pytest
from django.contrib.admin.models import LogEntry
from django.utils.translation import override

from core.admin_support.acts import Act, Done, Refusal
from core.admin_support.contents import collected
from core.kernel.errors import Invalid
from core.premises.models import Premises
from core.staff.actor import StaffActor
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, row_url, text_of


class _Wrong(Invalid):
    code = "wrong"
    message = "Something is wrong."


def test_a_refusal_shows_its_data_and_its_rows() -> None:
    error = _Wrong(
        number=4,
        numbers=[1, 2],
        errors=[{"code": "unknown", "message": "It is unknown.", "rows": [1, 2]}, {"other": None}],
    )
    with override("en"):
        refusal = Refusal.of(error)
    assert (refusal.code, refusal.message) == ("wrong", "Something is wrong.")
    assert refusal.facts == [("number", 4), ("numbers", "1, 2")]
    assert len(refusal.headers) == 4
    assert refusal.rows == [["unknown", "It is unknown.", "1, 2", ""], ["", "", "", ""]]


def test_a_row_with_a_code_reads_in_the_language_in_force() -> None:
    code, text = next(
        (code, text) for code, text in collected("code_texts").items() if "{" not in str(text)
    )
    with override("en"):
        english = str(text)
    with override("ca"):
        refusal = Refusal.of(_Wrong(errors=[{"code": code, "message": english}]))
        assert refusal.rows == [[code, str(text)]]


def test_an_act_is_offered_by_power_and_by_target() -> None:
    act = Act(
        name="a",
        title="A",
        power=lambda target: target,
        run=lambda by, target, data: Done("done"),
        offered=lambda by, target: target != "premises.read",
    )
    by = StaffActor(1, 1, "Ana", frozenset({Role.ORGANISER}))
    assert act.open_to(by, "premises.register")
    assert not act.open_to(by, "premises.read")  # it makes no sense now
    assert not act.open_to(by, "staff.accounts")  # another role's


@pytest.mark.django_db
def test_an_act_is_asked_shown_done_and_logged() -> None:
    desk, place = Desk(Role.ORGANISER), factories.premises()
    url = act_url(place, "suspend")
    assert "Suspend sales" in desk.get(url)
    answer = desk.client.post(url, {"reason": "Storm at sea"})
    assert "Storm at sea" in text_of(answer)
    assert not place.suspensions.exists()
    before = LogEntry.objects.count()
    assert desk.client.post(url, {"reason": "Storm at sea", "do": "1"})["Location"] == row_url(
        place
    )
    assert place.suspensions.get().reason == "Storm at sea"
    assert LogEntry.objects.count() == before + 1
    assert LogEntry.objects.latest("pk").object_id == str(place.pk)


@pytest.mark.django_db
def test_an_act_leads_back_to_the_page_that_offered_it_within_this_site() -> None:
    desk = Desk(Role.ORGANISER)
    for back, location in (("/admin/", "/admin/"), ("https://elsewhere.test/", None)):
        place: Premises = factories.premises()
        url = f"{act_url(place, 'suspend')}?back={back}"
        response = desk.client.post(url, {"reason": "Storm", "do": "1"})
        assert response["Location"] == (location or row_url(place))
