"""Give Prometheus the figures of Promotrot that the database knows; cheap for any number of plays.

Sales and acts by route and status are counted where they are answered (`http_requests_total`).
"""

from collections.abc import Iterator

from prometheus_client.core import Metric

from core.api import metrics
from core.database.reading.asking import fetch_all, fetch_row, fetch_value
from promotrot.models.emission import Emission
from promotrot.selectors.vouchers import held_vouchers

_NEWEST = """
SELECT id, extract(epoch FROM core_now() - sold_at) FROM promotrot_playticket
 ORDER BY id DESC LIMIT 1
"""
_UNFINISHED = """
SELECT count(*) FROM (SELECT id FROM promotrot_playticket ORDER BY id DESC LIMIT 1000) t
 WHERE NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = t.id)
"""


def source() -> Iterator[Metric]:
    """Return emissions by state, plays by state, and the vouchers that wait for their buyers."""
    counts = dict(fetch_all("SELECT state, count(*) FROM promotrot_emission GROUP BY state"))
    last_id, age_s = fetch_row(_NEWEST) or (0, 0)
    unfinished = fetch_value(_UNFINISHED)
    held = held_vouchers().count()
    states = [((state,), float(counts.get(state, 0))) for state in Emission.State.values]
    yield metrics.gauge("promotrot_emissions", "Emissions by state", states, ("state",))
    for name, words, value in (
        ("newest_play_seconds", "Since the last play sold of all", age_s),
        ("play_last_id", "Number of the last play: its rate is that of sales", last_id),
        ("plays_unfinished", "Of the last thousand plays, those not ended", unfinished),
        ("vouchers_held", "Vouchers that wait for their buyer at the Central Office", held),
    ):
        yield metrics.gauge(f"promotrot_{name}", words, [((), float(value))])


METRICS: tuple[metrics.Source, ...] = (source,)
