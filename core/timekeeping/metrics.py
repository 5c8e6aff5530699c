"""Give Prometheus the differences between the server's clock and its references."""

from collections.abc import Iterator

from prometheus_client.core import Metric

from core.api import metrics
from core.database import clock
from core.database.reading.asking import fetch_row
from core.timekeeping.models import Reading

_WATCHED = "SELECT extract(epoch FROM core_server_clock() - watched_at) FROM database_clockwatch"


def source() -> Iterator[Metric]:
    """Yield whether the clock is trusted, since when nobody compared it, and each difference."""
    row = fetch_row(_WATCHED)
    yield metrics.gauge(
        "clock_unsound", "1 while the clock stops sales", [((), float(clock.is_unsound()))]
    )
    watched = [((), float(row[0]))] if row else []
    yield metrics.gauge("clock_watched_seconds", "Since the clock was last compared", watched)
    differences = [
        ((reading.kind, reading.name), reading.ahead_us / 1e6)
        for reading in Reading.objects.order_by("kind", "name")
    ]
    yield metrics.gauge(
        "clock_ahead_seconds",
        "The server's clock less a reference, when it was last read",
        differences,
        ("kind", "name"),
    )


METRICS: tuple[metrics.Source, ...] = (source,)
