"""The stewards' page: races of a day, runners, what waits for a second person, and the way back."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.staff.models import Proposal, StaffSession, User
from core.staff.powers import Role
from core.staff.services import actor_of
from lototrot.models.programme import Race, Racecourse, Runner
from lototrot.models.running import Classification, RaceStart, Withdrawal
from lototrot.services.races import starts, stopping, withdrawals
from lototrot.services.races.classification import Entry
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, as_typed, text_of
from tests.support.lototrot.classifying import propose

pytestmark = pytest.mark.django_db
PADDOCK = "/admin/paddock/"


@pytest.fixture
def races() -> list[Race]:
    return factories.races_of(factories.contest())


def _day(race: Race) -> str:
    return f"{PADDOCK}{race.racecourse.code}/{race.meeting.day.isoformat()}/"


def _at(race: Race) -> str:
    return f"{_day(race)}?race={race.pk}"


def _page(desk: Desk, race: Race) -> str:
    response = desk.client.get(_at(race))
    assert response.status_code == 200, text_of(response)
    return str(response.content.decode())


def test_it_opens_at_the_first_race_without_a_result(races: list[Race]) -> None:
    factories.classified(races[0], [3])
    desk = Desk(Role.STEWARDS)
    response = desk.client.get(PADDOCK, follow=True)
    page = text_of(response)
    assert response.redirect_chain[-1][0] == _day(races[0])
    for name in Runner.objects.filter(race=races[1]).values_list("name", flat=True):
        assert name in page
    assert Runner.objects.filter(race=races[2]).first().name not in page
    won = response.content.decode()
    assert '<b class="paddock-won">3</b>' in won
    assert _page(desk, races[0]).count('class="won"') == 1


def test_several_racecourses_on_one_day_are_there_to_choose_from(races: list[Race]) -> None:
    other = Racecourse.objects.create(code="mao", name="Maó", timezone="Europe/Madrid")
    ahead = factories.meeting(course=other, day=races[0].meeting.day)
    page = Desk(Role.STEWARDS).get(PADDOCK)
    for race in (races[0], ahead.races.get(number=1)):
        assert f'href="{_day(race)}"' in page
    assert f"{other.code}/2" in page


def test_no_programme_is_said() -> None:
    assert "No programme has been imported." in Desk(Role.STEWARDS).get(PADDOCK)


@pytest.mark.parametrize("where", ["nowhere/2026-11-24/", "{course}/2026-02-30/", "{course}/x/"])
def test_there_is_no_page_of_a_racecourse_or_day_without_races(
    races: list[Race], where: str
) -> None:
    url = PADDOCK + where.format(course=races[0].racecourse.code)
    assert Desk(Role.STEWARDS).client.get(url).status_code == 404


def test_another_day_of_the_same_racecourse_has_no_page(races: list[Race]) -> None:
    day = races[0].meeting.day + timedelta(days=400)
    url = f"{PADDOCK}{races[0].racecourse.code}/{day.isoformat()}/"
    assert Desk(Role.STEWARDS).client.get(url).status_code == 404


@pytest.mark.parametrize("role", [Role.CASHIER, Role.ADMINISTRATOR])
def test_who_does_not_watch_race_days_sees_nothing(races: list[Race], role: Role) -> None:
    desk = Desk(role)
    assert desk.client.get(PADDOCK).status_code == 403
    assert desk.client.get(_at(races[0])).status_code == 403


def test_who_watches_only_is_offered_no_act(races: list[Race]) -> None:
    page = _page(Desk(Role.AUDITOR), races[0])
    assert "?back=" not in page
    assert "desk-danger" not in page


def test_a_horse_is_withdrawn_beside_its_name_and_the_person_comes_back(
    races: list[Race],
) -> None:
    desk = Desk(Role.STEWARDS)
    back = quote(_at(races[0]), safe="")
    address = f"{act_url(races[0], 'withdraw')}?back={back}&number=4"
    assert address.replace("&", "&amp;") in _page(desk, races[0])
    assert '<option value="4" selected' in desk.get(address)
    done = desk.client.post(address, {"number": "4", "source": "Vet", "do": "1"})
    assert done["Location"] == _at(races[0])
    page = _page(desk, races[0])
    assert Withdrawal.objects.get().number == 4
    assert page.count('class="withdrawn"') == 1
    assert "(unconfirmed)" in page
    assert f"{address}&amp;number=4" not in page
    assert "Waits for another person" in page


def test_the_winner_typed_in_a_line_is_in_the_form(races: list[Race]) -> None:
    desk = Desk(Role.STEWARDS)
    assert "paddock-result" not in _page(desk, races[0])  # it has not started
    factories.started(races[0])
    assert f'action="{act_url(races[0], "classify")}"' in _page(desk, races[0])
    form = f"{act_url(races[0], 'classify')}?winners=1%2C+4&back={quote(_at(races[0]), safe='')}"
    assert 'value="1, 4"' in desk.get(form)
    assert not Proposal.objects.filter(kind="lototrot.classification")  # a form does nothing
    typed = {"announced_text": "x", "announced_at": as_typed(factories.time_pass(minutes=3))}
    desk.client.post(form, _outcomes(races[0]) | typed | {"winners": "1, 4", "author": "J"})
    sent = _outcomes(races[0]) | typed | {"winners": "1, 4", "author": "J", "do": "1"}
    assert desk.client.post(form, sent)["Location"] == _at(races[0])
    proposed = Proposal.objects.get(kind="lototrot.classification").content["runners"]
    assert [e["number"] for e in proposed if e["outcome"] == "winner"] == [1, 4]
    assert not Classification.objects.exists()


def _outcomes(race: Race) -> dict[str, str]:
    numbers = race.runners.values_list("number", flat=True)
    return {f"outcome_{number}": "started" for number in numbers}


@pytest.mark.article("14.III.5.4.1")
def test_what_waits_is_decided_by_a_second_person_who_comes_back(races: list[Race]) -> None:
    by = factories.staff(Role.STEWARDS)
    row = withdrawals.withdrawal_enter(by=by, race_id=races[0].pk, number=4, source="Vet")
    elsewhere = factories.meeting(course=factories.meeting().races.first().racecourse)
    away = elsewhere.races.get(number=1)
    withdrawals.withdrawal_enter(by=by, race_id=away.pk, number=5, source="Vet")
    desk, own = Desk(Role.STEWARDS), Desk(person=User.objects.get(pk=by.user_id))
    address = f"/admin/decisions/{row.proposal.uuid}/?back={quote(_at(races[0]), safe='')}"
    page = _page(desk, races[0])
    assert page.count("/admin/decisions/") == 1  # nothing of another racecourse
    assert f'href="{address}"' in page
    assert "/admin/decisions/" not in _page(own, races[0])
    done = desk.client.post(address, {"decision": "confirm"})
    assert done["Location"] == _at(races[0])
    assert "Waiting for a second person" not in _page(desk, races[0])
    assert "(unconfirmed)" not in _page(desk, races[0])


def test_a_start_stops_sales_which_is_said(races: list[Race]) -> None:
    by = factories.staff(Role.STEWARDS)
    starts.start_report(by=by, race_id=races[0].pk, source="Starter")
    desk = Desk(Role.STEWARDS)
    page = _page(desk, races[1])
    assert "Sales are stopped" in page
    assert "Starter" in page
    assert not RaceStart.objects.exists()


def test_a_stop_of_the_meeting_can_be_lifted_here(races: list[Race]) -> None:
    by = factories.staff(Role.STEWARDS)
    stop = stopping.meeting_stop(by=by, meeting=races[0].meeting, source="Storm")
    page = _page(Desk(Role.STEWARDS), races[0])
    assert act_url(stop, "lift") in page


def test_only_the_part_that_changes_is_asked_for_again(races: list[Race]) -> None:
    desk = Desk(Role.STEWARDS)
    part = desk.get(_at(races[0]) + "&part=1")
    assert "<html" not in part
    assert part.strip() in _page(desk, races[0])


@pytest.mark.usefixtures("facts_stay")
def test_the_page_of_a_day_costs_the_same_however_many_races(races: list[Race]) -> None:
    few = factories.meeting(races=2).races.get(number=1)
    desk, counts = Desk(Role.STEWARDS), []
    for race in (few, races[0]):
        _page(desk, race)
        with CaptureQueriesContext(connection) as queries:
            _page(desk, race)
        counts.append(len(queries))
    assert counts[1] - counts[0] <= 2  # the meeting has a contest, which its acts ask for


def test_no_second_result_is_asked_for_while_one_waits(races: list[Race]) -> None:
    """Its proposer may withdraw it, another steward decides, and others are told who did."""
    factories.started(races[0])
    first, second = Desk(Role.STEWARDS), Desk(Role.STEWARDS)
    assert f'action="{act_url(races[0], "classify")}"' in _page(first, races[0])
    numbers = races[0].runners.values_list("number", flat=True)
    runners = [Entry(n, "winner" if n == 3 else "started", 1 if n == 3 else None) for n in numbers]
    proposal = propose(
        races[0], runners, by=actor_of(StaffSession.objects.filter(user=first.person).latest("pk"))
    )
    for desk in (first, second, Desk(Role.AUDITOR)):
        page = _page(desk, races[0])
        assert f'action="{act_url(races[0], "classify")}"' not in page
        assert "The classification is proposed by" in page
    line = 'class="paddock-line paddock-proposed"'
    own, others = (_page(desk, races[0]).split(line)[1] for desk in (first, second))
    assert act_url(proposal, "reject") in own.split("</p>")[0]
    assert f"/admin/decisions/{proposal.uuid}/" in others.split("</p>")[0]
    assert not first.offers(races[0], "classify")
    first.do(proposal, "reject", reason="Wrong number")
    assert f'action="{act_url(races[0], "classify")}"' in _page(second, races[0])
