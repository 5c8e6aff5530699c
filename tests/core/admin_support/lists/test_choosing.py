"""Rows that are chosen in a list, or all that it shows, come to an act or into a file."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from core.admin_support.lists import choosing
from core.premises.models import Premises
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, text_of

pytestmark = pytest.mark.django_db
LIST = list_url(Premises)
CHOSEN = f"{LIST}chosen/"


@pytest.fixture
def places() -> list[Premises]:
    kinds = (Premises.Kind.ESTABLISHMENT, Premises.Kind.ESTABLISHMENT, Premises.Kind.ENTITY_OFFICE)
    return [factories.premises(kind, authorised=()) for kind in kinds]


def taken(address: str) -> tuple[str, list[int]]:
    """Return the act and the rows of an address."""
    parts = urlsplit(address)
    return parts.path, choosing.keys({"rows": parse_qs(parts.query).get("rows", [""])[0]})


def test_the_act_is_about_the_rows_that_were_chosen(places: list[Premises]) -> None:
    desk = Desk(Role.ORGANISER)
    page = desk.get(LIST)
    for place in places:
        assert f'name="row" value="{place.pk}" form="chosen"' in page
    sent = {"row": [places[2].pk, places[0].pk, "x", "9" * 30], "do": "suspend_chosen"}
    answered = desk.client.post(CHOSEN, {**sent, "query": "kind=establishment"})
    assert taken(answered["Location"]) == (
        "../suspend_chosen/",
        [places[0].pk, places[2].pk],
    )
    assert parse_qs(urlsplit(answered["Location"]).query)["back"] == [f"{LIST}?kind=establishment"]


def test_all_that_the_list_shows_are_those_of_its_filter(places: list[Premises]) -> None:
    desk = Desk(Role.ORGANISER)
    query = "kind__exact=establishment"
    page = text_of(desk.client.get(f"{LIST}?{query}"))
    assert "all 2 that the list shows" in page
    answered = desk.client.post(CHOSEN, {"all": "1", "do": "limit_chosen", "query": query})
    assert taken(answered["Location"])[1] == [places[0].pk, places[1].pk]
    wrong = desk.client.post(CHOSEN, {"all": "1", "do": "csv", "query": "kind__exact=no"})
    assert wrong.status_code == 302


def test_none_and_too_many_lead_back_with_a_word(
    places: list[Premises], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(Role.ORGANISER)
    response = desk.client.post(CHOSEN, {"do": "suspend_chosen"}, follow=True)
    assert "Choose rows of the list first" in text_of(response)
    monkeypatch.setattr(choosing, "MOST", 2)
    assert "more than" in text_of(desk.client.get(LIST))
    for sent in ({"all": "1"}, {"row": [place.pk for place in places]}):
        response = desk.client.post(CHOSEN, {**sent, "do": "suspend_chosen"}, follow=True)
        assert "At most 2 rows at once" in text_of(response)


def test_the_chosen_rows_are_a_file(places: list[Premises]) -> None:
    desk = Desk(Role.AUDITOR)
    sent = {"row": [places[0].pk, places[2].pk], "query": ""}
    answered = desk.client.post(CHOSEN, {**sent, "do": "csv"})
    lines = answered.getvalue().decode("utf-8-sig").splitlines()
    assert lines[0] == "code,name,kind,municipality"
    assert {line.split(",")[0] for line in lines[1:]} == {places[0].code, places[2].code}
    assert desk.client.post(CHOSEN, {**sent, "do": "xlsx"}).getvalue().startswith(b"PK")


def test_who_may_not_is_offered_no_act_and_gets_none(places: list[Premises]) -> None:
    auditor = Desk(Role.AUDITOR)
    assert 'value="suspend_chosen"' not in auditor.get(LIST)
    sent = {"row": [places[0].pk], "do": "suspend_chosen"}
    assert auditor.client.post(CHOSEN, sent).status_code == 404
    assert auditor.client.get(f"{LIST}suspend_chosen/?rows={places[0].pk}").status_code == 403
    assert auditor.client.get(CHOSEN).status_code == 405
    assert Desk(Role.CASHIER).client.post(CHOSEN, sent).status_code == 403
    assert Client().post(CHOSEN, sent)["Location"].startswith("/admin/login/")
