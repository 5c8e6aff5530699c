"""Give Prometheus the state of the nightly jobs."""

from collections.abc import Iterator

from django.db import connection
from prometheus_client.core import Metric

from core.api import metrics
from core.database import clock
from core.kernel.days import day_bounds
from core.nights.selectors import undone

_LAST = """
SELECT DISTINCT ON (job) job, extract(epoch FROM ended_at - started_at),
       extract(epoch FROM core_now() - ended_at)
  FROM nights_jobrun WHERE state = 'done' ORDER BY job, day DESC
"""


def source() -> Iterator[Metric]:
    """Return the jobs that are due, failed or missed, the age of the oldest, and the last run of
    each.
    """
    open_ = undone()
    oldest_s = max(
        ((clock.now() - day_bounds(each.day)[1]).total_seconds() for each in open_), default=0.0
    )
    for name, words, value in (
        ("due", "Jobs of ended days that are not done", len(open_)),
        ("failed", "Jobs that failed and are not done yet", sum(e.failed for e in open_)),
        ("missed", "Jobs not done six hours after their day ended", sum(e.missed for e in open_)),
        ("oldest_due_seconds", "Since the end of the oldest day with a job not done", oldest_s),
    ):
        yield metrics.gauge(f"night_jobs_{name}", words, [((), float(value))])
    with connection.cursor() as cursor:
        cursor.execute(_LAST)
        rows = cursor.fetchall()
    lengths = [((job,), float(length)) for job, length, _ in rows]
    ages = [((job,), float(age)) for job, _, age in rows]
    yield metrics.gauge("night_job_seconds", "Length of a job's last run", lengths, ("job",))
    yield metrics.gauge("night_job_done_seconds", "Since a job was last done", ages, ("job",))


METRICS: tuple[metrics.Source, ...] = (source,)
