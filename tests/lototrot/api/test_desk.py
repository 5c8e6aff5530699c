"""Show a terminal the contests that it may sell and the poster for its wall."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.premises.models import Premises, Suspension
from core.premises.requests import new_uuid
from core.staff.powers import Role
from lototrot import accounts
from lototrot.api import desk
from lototrot.models.contest import Contest, DisplayAcknowledgement
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.support import factories, rounds
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.factories import Point

pytestmark = pytest.mark.django_db
RULES = {"ca": "Reglament.", "es": "Reglamento.", "en": "Rules."}


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def api(place: Point) -> Api:
    return terminal_api(place)


@pytest.fixture
def contest() -> Contest:
    new_contest = factories.contest(correction_window_s=60)
    contest_publish(by=factories.staff(Role.ORGANISER), contest=new_contest, rules=RULES)
    return new_contest


def sold(api: Api, contest: Contest, races: list[Any] | None = None) -> dict[str, Any]:
    body = {
        "uuid": str(new_uuid()),
        "contest": contest.pk,
        "price_cents": 100,
        "amount_cents": 100,
        "races": races or [[1]] * 7,
    }
    response = api.post("lototrot/tickets", body)
    assert response.status_code == 201, response.content
    card: dict[str, Any] = response.json()
    return card


# --- On sale --------------------------------------------------------------------------------------


@pytest.mark.article("14.III.5.2", "14.III.6.2")
def test_contests_on_sale(api: Api, place: Point, contest: Contest) -> None:
    account = accounts.jackpot(contest.bet_type_code)
    rounds.fund(account, 1_234_567)
    rounds.fund(accounts.lapsed(contest.pk), 765)
    factories.withdrawal(factories.races_of(contest)[0], 3)
    answer = api.get("lototrot/terminal/contests", lang="en").json()
    assert answer["refusal"] is None
    assert answer["server_time"].endswith("Z")
    (one,) = answer["items"]
    assert answer.keys() == desk.OnSaleOut().fields.keys()  # written by hand, documented by shape
    assert one.keys() == desk.ContestOnSaleOut().fields.keys()
    assert one["id"] == contest.pk
    assert one["rules"] == "Rules."
    assert one["prize_percent"] == "60"
    assert (one["jackpot_cents"], one["lapsed_cents"]) == (1_234_567, 765)
    assert one["allows_multiple"]
    assert (one["price_cents"], one["correction_window_s"]) == (100, 60)
    assert not one["acknowledged"]
    race = one["races"][0]
    assert race["offered"] == [1, 2, 4, 5, 6, 7, 8, 9, 10]
    assert [r["number"] for r in race["runners"] if r["withdrawn"]] == [3]
    assert race["runners"][0]["name"] == "Cavall 1.1"
    api.post(f"lototrot/contests/{contest.pk}/display-acknowledgement")
    (one,) = api.get("lototrot/terminal/contests", lang="ca").json()["items"]
    assert one["acknowledged"]
    assert one["rules"] == "Reglament."


def test_only_what_is_on_sale_by_the_clock(api: Api, contest: Contest) -> None:
    factories.contest(
        factories.meeting(day=contest.day + timedelta(days=1)), state=Contest.State.DRAFT
    )
    factories.time_to(contest.scheduled_close_at)
    assert api.get("lototrot/terminal/contests").json()["items"] == []


@pytest.mark.article("14.I.6")
def test_why_nothing_could_be_sold_here(api: Api, place: Point, contest: Contest) -> None:
    unauthorised = terminal_api(factories.point(factories.premises(authorised=[])))
    answer = unauthorised.get("lototrot/terminal/contests").json()
    assert answer["refusal"] == "premises_not_authorised"
    by = factories.staff()
    Suspension.objects.create(
        premises=place.premises,
        reason="Fire",
        since=clock.now(),
        suspended_by_id=by.user_id,
        suspended_in_id=by.session_id,
    )
    assert api.get("lototrot/terminal/contests").json()["refusal"] == "sales_suspended"


@pytest.mark.article("14.III.5.2", "14.III.6.2")
def test_the_display_is_acknowledged_once(api: Api, contest: Contest) -> None:
    path = f"lototrot/contests/{contest.pk}/display-acknowledgement"
    first = api.post(path)
    assert first.status_code == 200
    assert api.post(path).json() == first.json()
    assert DisplayAcknowledgement.objects.count() == 1
    sold(api, contest)


def test_acknowledgements_refused(api: Api, contest: Contest) -> None:
    draft = factories.contest(
        factories.meeting(day=contest.day + timedelta(days=1)), state=Contest.State.DRAFT
    )
    path = "lototrot/contests/{}/display-acknowledgement"
    refused(api.post(path.format(draft.pk)), 409, "contest_not_open")
    refused(api.post(path.format(999_999)), 404, "contest_unknown")
    office = terminal_api(factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE)))
    refused(office.post(path.format(contest.pk)), 403, "terminal_cannot")
    refused(staff_api().post(path.format(contest.pk)), 401, "credentials_missing")
    refused(Api().get("lototrot/terminal/contests"), 401, "credentials_missing")
    refused(api.post(path.format(contest.pk), {"yes": True}), 422, "unknown_field")
    assert not DisplayAcknowledgement.objects.exists()


def test_the_poster_at_the_terminal(place: Point, contest: Contest) -> None:
    api = terminal_api(place, signed_on=False)
    path = f"lototrot/terminal/contests/{contest.pk}/poster"
    assert api.get(f"{path}.pdf").content.startswith(b"%PDF")
    assert "Reglamento." in api.get(f"{path}.html", lang="es").content.decode()
    refused(api.get("lototrot/terminal/contests/999999/poster.pdf"), 404, "contest_unknown")
    refused(Api().get(f"{path}.pdf"), 401, "credentials_missing")
