"""*Today*: the work of this person first, with its number, then figures, then folded tables."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.sessions.models import Session

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.staff import powers
from core.staff.models import User
from core.staff.powers import Role
from lototrot.services.races import withdrawals
from tests.support import factories
from tests.support.admin_desk import Desk, row_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[AlarmRow]]:
    """Let one alarm, which the organiser deals with, have the rows of this list."""
    listed: list[AlarmRow] = []
    missed = Alarm(code="t", title="Missed", power=powers.MOVE_CLOCK, rows=lambda: listed)
    monkeypatch.setattr("core.alarms.selectors.all_alarms", lambda: (missed,))
    yield listed


def _waiting(desk: Desk) -> int:
    return int(desk.client.get("/admin/waiting/").json()["waiting"])


def test_several_of_one_alarm_are_one_folded_line(rows: list[AlarmRow]) -> None:
    rows += [AlarmRow(f"night {number}", clock.now()) for number in range(13)]
    desk = Desk(Role.ORGANISER)
    page = desk.get("/admin/")
    assert page.count("<strong>Missed</strong>") == 1
    assert '<details class="house-task">' in page
    assert '<span class="house-count">13</span>' in page
    assert _waiting(desk) == 13
    assert _waiting(Desk(Role.CASHIER)) == 0


def test_a_proposal_waits_for_the_second_person_and_not_for_its_proposer(
    rows: list[AlarmRow],
) -> None:
    (first, _other), race = factories.two_organisers(), factories.races_of(factories.contest())[0]
    withdrawals.withdrawal_enter(by=first, race_id=race.pk, number=4, source="Vet")
    second = Desk(Role.ORGANISER)
    assert "For you to decide" in second.get("/admin/")
    assert _waiting(second) == 1
    own = Desk(person=User.objects.get(pk=first.user_id))
    assert _waiting(own) == 0


def test_figures_are_those_of_the_persons_work() -> None:
    contest = factories.contest()
    factories.sell(contest, factories.point(), [(1,)] * 7)
    page = Desk(Role.ORGANISER).get("/admin/")
    assert "<dt>Takings</dt>" in page and "<dt>Jackpot</dt>" in page
    assert "<dt>Takings</dt>" not in Desk(Role.ADMINISTRATOR).get("/admin/")


def test_a_page_that_asks_by_itself_keeps_nobody_signed_on() -> None:
    desk = Desk(Role.ORGANISER)
    desk.get("/admin/")
    before = Session.objects.get().expire_date
    desk.client.get("/admin/waiting/", headers={"x-by-itself": "1"})
    assert Session.objects.get().expire_date == before


def test_the_front_page_counts_down_by_the_servers_clock() -> None:
    contest = factories.contest()
    left = re.search(r'data-seconds-left="(\d+)"', Desk(Role.ORGANISER).get("/admin/"))
    assert left
    assert 7100 < int(left[1]) <= 7200
    assert row_url(contest) in Desk(Role.CASHIER).get("/admin/")
