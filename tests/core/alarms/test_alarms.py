"""Check that alarms show to those who can act on them, everywhere, until they are dealt with."""

import datetime
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import gettext_lazy

from core.alarms import metrics
from core.alarms.kinds import Alarm, AlarmRow, all_alarms
from core.alarms.nightly import unanswered
from core.alarms.selectors import standing
from core.contributions import ContributedTwice
from core.database import clock
from core.kernel.days import natural_day
from core.nights import powers as nights_powers
from core.staff.powers import MANAGE_ACCOUNTS, Role, holders
from core.tools.embedded.server import ROOT
from tests.support import factories
from tests.support.admin_desk import Desk
from tests.support.api import refused, staff_api
from tests.support.contributing import contributed
from tests.support.lototrot import rights

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows() -> Iterator[list[AlarmRow]]:
    """Return the rows of the only alarm there is; the test fills the list."""
    listed: list[AlarmRow] = []
    alarm = Alarm(
        code="test_waits",
        title=gettext_lazy("Alarms"),
        power=nights_powers.RUN,
        rows=lambda: listed,
    )
    with contributed("alarms", "ALARMS", (alarm,)):
        yield listed


def _values() -> dict[str, float]:
    return {
        "/".join((sample.name, *sample.labels.values())): sample.value
        for metric in metrics.source()
        for sample in metric.samples
    }


def test_every_alarm_has_somebody_who_can_act_on_it() -> None:
    assert len(all_alarms()) >= 3
    for alarm in all_alarms():
        assert holders(alarm.power), alarm.code
        assert all(isinstance(row, AlarmRow) for row in alarm.rows()), alarm.code


def test_every_alarm_is_explained_to_who_runs_the_system() -> None:
    explained = (ROOT / "docs" / "alarms.md").read_text("utf-8")
    missing = [alarm.code for alarm in all_alarms() if f"\n### {alarm.code}\n" not in explained]
    assert missing == [], "docs/alarms.md has a section for each"


def test_two_alarms_of_one_code_are_refused() -> None:
    alarm = Alarm(code="x", title="x", power=MANAGE_ACCOUNTS, rows=list)
    with contributed("alarms", "ALARMS", (alarm,), (alarm,)), pytest.raises(ContributedTwice):
        all_alarms()


def test_the_most_urgent_comes_first_and_then_the_oldest(rows: list[AlarmRow]) -> None:
    now = clock.now()
    for name, age_s, days_left in (("a", 9, None), ("b", 1, 5), ("c", 2, -1), ("d", 99, None)):
        rows.append(AlarmRow(name, now - datetime.timedelta(seconds=age_s), days_left))
    assert [each.row.subject for each in standing()] == ["c", "b", "d", "a"]
    at_once = AlarmRow("e", now)
    stop = Alarm(
        code="test_stop", title="Stop", power="alarms.test", rows=lambda: [at_once], immediate=True
    )
    assert standing((*all_alarms(), stop))[0].row is at_once


def test_no_question_is_asked_twice_however_many_alarms_begin_with_it() -> None:
    """Each page of the administration asks them all."""
    with CaptureQueriesContext(connection) as asked:
        standing()
    assert len(asked) <= len(all_alarms()) + 1
    rights.blocked_chain()
    with CaptureQueriesContext(connection) as asked:
        codes = {each.alarm.code for each in standing()}
    assert "lototrot_chain_waiting" in codes
    questions = Counter(query["sql"] for query in asked)
    assert [question for question, times in questions.items() if times > 1] == []


def test_it_shows_in_the_metrics_and_in_the_nights_list_until_dealt_with(
    rows: list[AlarmRow], client: Client
) -> None:
    assert _values() == {"alarms/test_waits": 0, "alarm_oldest_seconds/test_waits": 0}
    since = clock.now() - datetime.timedelta(seconds=90)
    rows += [AlarmRow("late", since, 3, words="no order"), AlarmRow("later", since, 7)]
    values = _values()
    assert (values["alarms/test_waits"], values["alarm_days_left/test_waits"]) == (2, 3)
    assert values["alarm_oldest_seconds/test_waits"] >= 90
    assert 'alarms{code="test_waits"} 2.0' in client.get("/metrics").content.decode()
    outcome = unanswered(natural_day(clock.now()))
    assert outcome.counts == {"test_waits": 2}
    assert outcome.listed["alarms"][0] == {
        "code": "test_waits",
        "subject": "late",
        "since": since.isoformat(),
        "days_left": 3,
        "words": "no order",
    }
    rows.clear()
    assert _values()["alarms/test_waits"] == 0
    assert unanswered(natural_day(clock.now())).listed == {}


def test_the_api_serves_it_to_those_who_can_act(rows: list[AlarmRow]) -> None:
    contest = factories.contest()
    since = clock.now()
    rows += [AlarmRow(contest, since, 0, words="no order"), AlarmRow("in words", since)]
    first, second = staff_api(Role.SUPERVISOR).get("alarms").json()["items"]
    assert (first["code"], first["subject"], first["days_left"]) == ("test_waits", str(contest), 0)
    assert (first["subject_kind"], first["subject_id"]) == ("lototrot.contest", contest.pk)
    assert (second["subject"], second["subject_kind"]) == ("in words", None)
    assert second["subject_id"] is second["days_left"] is None
    assert staff_api(Role.CASHIER).get("alarms").json() == {"items": []}
    refused(Client().get("/api/v1/alarms"), 401, "credentials_missing")


def test_the_first_page_shows_it_to_those_who_can_act(rows: list[AlarmRow]) -> None:
    assert "Nothing waits for you." in Desk(Role.ORGANISER).get("/admin/")
    contest = factories.contest()
    rows.append(AlarmRow(contest, clock.now(), 2, words="<no order>"))
    page = Desk(Role.ORGANISER).get("/admin/")
    assert f"/admin/lototrot/contest/{contest.pk}/change/" in page
    assert "&lt;no order&gt;" in page
    cashier = Desk(Role.CASHIER).get("/admin/")
    assert "no order" not in cashier and "Nothing waits for you." in cashier
