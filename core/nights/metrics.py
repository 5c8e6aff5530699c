"""Give Prometheus the state of the nightly jobs."""

from collections.abc import Iterator

from django.db import connection
from prometheus_client.core import Metric

from core.api import metrics
from core.nights.services import jobs_due

_LAST = """
SELECT DISTINCT ON (job) job, extract(epoch FROM ended_at - started_at),
       extract(epoch FROM core_now() - ended_at)
  FROM nights_jobrun WHERE state = 'done' ORDER BY job, day DESC
"""


def source() -> Iterator[Metric]:
    """Return how many jobs are due, and the last run of each. Failed and missed ones are alarms."""
    yield metrics.gauge(
        "night_jobs_due", "Jobs of ended days that are not done", [((), float(len(jobs_due())))]
    )
    with connection.cursor() as cursor:
        cursor.execute(_LAST)
        rows = cursor.fetchall()
    lengths = [((job,), float(length)) for job, length, _ in rows]
    ages = [((job,), float(age)) for job, _, age in rows]
    yield metrics.gauge("night_job_seconds", "Length of a job's last run", lengths, ("job",))
    yield metrics.gauge("night_job_done_seconds", "Since a job was last done", ages, ("job",))


METRICS: tuple[metrics.Source, ...] = (source,)
