"""Measure Lototrot for Prometheus from the database, at a cost that does not grow with the tickets.

Sales by route and status are counted by the API (`http_requests_total`).
"""

from collections.abc import Iterator

from prometheus_client.core import Metric

from core.api import metrics
from core.database.reading.asking import fetch_all, fetch_row, fetch_value
from lototrot.models.contest import Contest

_WAITING = """
SELECT coalesce(extract(epoch FROM core_now() - min(closed_at)), 0)
  FROM lototrot_contest WHERE state = 'closed'
"""
_NEWEST = """
SELECT id, extract(epoch FROM core_now() - sold_at) FROM lototrot_ticket ORDER BY id DESC LIMIT 1
"""


def source() -> Iterator[Metric]:
    """Yield contests by state, the delay of the workers, and the pace of sales."""
    contests = fetch_all("SELECT state, count(*) FROM lototrot_contest GROUP BY state")
    count_by_state = dict(contests)
    settling_s = fetch_value(_WAITING)
    last_id, age_s = fetch_row(_NEWEST) or (0, 0)
    states = [((state,), float(count_by_state.get(state, 0))) for state in Contest.State.values]
    yield metrics.gauge("lototrot_contests", "Contests by state", states, ("state",))
    for name, words, value in (
        ("settlement_waiting_seconds", "Since the oldest closing not yet settled", settling_s),
        ("newest_sale_seconds", "Since the last sale of all", age_s),
        ("ticket_last_id", "Number of the last ticket: its rate is that of sales", last_id),
    ):
        yield metrics.gauge(f"lototrot_{name}", words, [((), float(value))])


METRICS: tuple[metrics.Source, ...] = (source,)
