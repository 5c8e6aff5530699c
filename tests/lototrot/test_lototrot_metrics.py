"""Check the metrics of contests, sales and settlements that Prometheus reads."""

import pytest

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


def test_a_contest_on_sale() -> None:
    contest = factories.contest()
    sale = factories.sell(contest, factories.point())
    metric_values = _values()
    assert metric_values["lototrot_contests/open"] == 1
    assert metric_values["lototrot_ticket_last_id"] == sale.ticket_id
    assert metric_values["lototrot_newest_sale_seconds"] >= 0
    assert metric_values["lototrot_settlement_waiting_seconds"] == 0


def test_a_closed_contest_waits_for_its_settlement() -> None:
    factories.contest_closed(factories.contest())
    factories.time_pass(minutes=5)
    metric_values = _values()
    assert metric_values["lototrot_contests/closed"] == 1
    assert metric_values["lototrot_settlement_waiting_seconds"] >= 300
