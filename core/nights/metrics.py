"""Give Prometheus the state of the nightly jobs."""

from collections.abc import Iterator

from prometheus_client.core import Metric

from core.api import metrics
from core.database.reading.asking import fetch_all
from core.nights.jobs import all_jobs
from core.nights.services import jobs_due

_LAST = """
SELECT j.name, extract(epoch FROM r.ended_at - r.started_at),
       extract(epoch FROM core_now() - r.ended_at)
  FROM unnest(%s::text[]) j (name) CROSS JOIN LATERAL (
    SELECT started_at, ended_at FROM nights_jobrun
     WHERE job = j.name AND state = 'done' ORDER BY day DESC LIMIT 1) r
"""


def source() -> Iterator[Metric]:
    """Return how many jobs are due, and the last run of each. Failed and missed ones are alarms."""
    yield metrics.gauge(
        "night_jobs_due", "Jobs of ended days that are not done", [((), float(len(jobs_due())))]
    )
    rows = fetch_all(_LAST, [[job.name for job in all_jobs()]])
    lengths = [((job,), float(length)) for job, length, _ in rows]
    ages = [((job,), float(age)) for job, _, age in rows]
    yield metrics.gauge("night_job_seconds", "Length of a job's last run", lengths, ("job",))
    yield metrics.gauge("night_job_done_seconds", "Since a job was last done", ages, ("job",))


METRICS: tuple[metrics.Source, ...] = (source,)
