"""Close, seal and settle by tasks that read again what is due."""

from dataclasses import replace

import pytest

from core.database.due_work import send_due
from lototrot import tasks
from tests.support import factories, rounds
from tests.support.factories import Point
from tests.support.lototrot.two_races import FOUR_RUNNERS, TWO, WON_BY_ONE, closed_contest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_the_task_says_whether_it_settled(point: Point) -> None:
    contest = rounds.contest(TWO, FOUR_RUNNERS)
    assert tasks.settle(contest.pk) is False
    rounds.run(contest, WON_BY_ONE)
    assert tasks.settle(contest.pk) is True
    assert tasks.settle(contest.pk) is True


def test_the_sweeper_sends_what_the_database_says_is_due(
    point: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever became of the broker's messages: a closing, a seal, the settlement, then nothing."""
    sent: list[tuple[str, int]] = []
    for task in (tasks.close, tasks.seal, tasks.settle):
        monkeypatch.setattr(task, "delay", lambda pk, name=task.name: sent.append((name, pk)))
    contest = closed_contest(point)
    on_sale = rounds.contest(replace(TWO, code="another"), FOUR_RUNNERS)
    factories.time_to(on_sale.scheduled_close_at)
    send_due()
    assert sent == [("lototrot.tasks.close", on_sale.pk), ("lototrot.tasks.settle", contest.pk)]
    tasks.close(on_sale.pk), tasks.settle(contest.pk)
    sent.clear()
    send_due()
    assert sent == [("lototrot.tasks.seal", on_sale.pk)]
    tasks.seal(on_sale.pk)
    sent.clear()
    send_due()
    assert sent == []


def test_the_task_records_a_closing_that_has_come(point: Point) -> None:
    contest = rounds.contest(TWO, FOUR_RUNNERS)
    assert tasks.close(contest.pk) is False
    factories.time_to(contest.scheduled_close_at)
    assert tasks.close(contest.pk) is True
    contest.refresh_from_db()
    assert contest.closed_at == contest.scheduled_close_at
