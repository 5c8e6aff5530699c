"""Give Prometheus the number of rows of every alarm, the age of the oldest, and the days left."""

from collections.abc import Iterator

from prometheus_client.core import Metric

from core.alarms.kinds import all_alarms
from core.api import metrics
from core.database import clock
from core.database.reading.once import one_reading
from core.journal.services import oldest_unsealed


def source() -> Iterator[Metric]:
    """Yield three gauges by code of alarm. An alarm without a period has no days left."""
    with one_reading():
        rows_by_code = {alarm.code: alarm.rows() for alarm in all_alarms()}
    now = clock.now()
    counts, ages, days = [], [], []
    for code, rows in rows_by_code.items():
        counts.append(((code,), float(len(rows))))
        oldest_s = max(((now - row.since).total_seconds() for row in rows), default=0.0)
        ages.append(((code,), oldest_s))
        left = [row.days_left for row in rows if row.days_left is not None]
        days.extend([((code,), float(min(left)))] if left else [])
    yield metrics.gauge("alarms", "Things that wait for a person", counts, ("code",))
    yield metrics.gauge("alarm_oldest_seconds", "Since the oldest of them", ages, ("code",))
    yield metrics.gauge("alarm_days_left", "Days left for the most urgent", days, ("code",))


def unsealed() -> Iterator[Metric]:
    """Yield the age in seconds of the oldest unsealed act, or 0 if all acts are sealed."""
    act = oldest_unsealed()
    age_s = clock.real_age(act.at).total_seconds() if act else 0.0
    yield metrics.gauge("journal_unsealed_seconds", "Age of the oldest unsealed act", [((), age_s)])


METRICS: tuple[metrics.Source, ...] = (source, unsealed)
