"""Check the metrics of contests, sales and late workers that Prometheus reads."""

import datetime

import pytest

from core.database import clock
from lototrot import metrics
from tests.support import factories

pytestmark = pytest.mark.django_db


def _values() -> dict[str, float]:
    return {
        "/".join((sample.name, *sample.labels.values())): sample.value
        for metric in metrics.source()
        for sample in metric.samples
    }


def test_an_empty_system() -> None:
    assert set(_values().values()) == {0.0}


def test_a_contest_on_sale_and_one_that_nobody_closed() -> None:
    contest = factories.contest()
    sale = factories.sell(contest, factories.point())
    found = _values()
    assert found["lototrot_contests/open"] == 1
    assert found["lototrot_ticket_last_id"] == sale.ticket_id
    assert found["lototrot_newest_sale_seconds"] >= 0
    assert found["lototrot_closing_overdue_seconds"] == 0
    factories.time_to(contest.scheduled_close_at + datetime.timedelta(minutes=2))
    assert clock.now() > contest.scheduled_close_at
    late = _values()
    assert late["lototrot_closing_overdue_seconds"] >= 120
    assert late["lototrot_settlement_waiting_seconds"] == 0


def test_a_closed_contest_waits_for_its_settlement() -> None:
    factories.contest_closed(factories.contest())
    factories.time_pass(minutes=5)
    found = _values()
    assert found["lototrot_contests/closed"] == 1
    assert found["lototrot_settlement_waiting_seconds"] >= 300
