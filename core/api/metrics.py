"""Serve metrics to Prometheus.

Each process counts the requests that it served. With several processes each writes its counts to
files in PROMETHEUS_MULTIPROC_DIR, and the process that is scraped adds them up: the database has no
write per request, and the sums do not depend on which process answers the scrape. Empty that folder
when the server starts. Where it is full, counts are not shown and nothing else happens
(`core.database.shared_counts`).

Workers, beat and `live` answer nobody else: each listens on METRICS_LISTEN, if that is set. A
worker's tasks are done by a child of its own, which hands its counts over by those files as well.

Figures from the database (sales, due work and its age) are queried at each scrape, so that they
stay correct when a process dies. Each app lists its sources as `METRICS` in its `metrics.py`.
"""

import functools
import hmac
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    generate_latest,
    start_http_server,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from core.contributions import contributed_items
from core.database.due_work import due_work
from core.database.reading.asking import fetch_row
from core.database.shared_counts import Counter, Histogram, Room

_MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

REQUESTS = Counter("http_requests_total", "HTTP requests answered", ["method", "route", "status"])
LATENCY = Histogram(
    "http_request_seconds",
    "Time to answer an HTTP request",
    ["method", "route"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12),
)

TASKS = Counter("tasks_total", "Tasks done", ["task", "state"])
TASK_SECONDS = Histogram("task_seconds", "Time to do a task", ["task"])
SENT = Counter("tasks_sent_total", "Tasks sent to workers", ["task"])
PUBLISHED = Counter("live_publications_total", "Publications of the boards' data", ["outcome"])
UNREAD = Counter("live_files_unread_total", "Boards' files not given out: they cannot be read")

Source = Callable[[], Iterable[Metric]]
"""Called at every scrape; it may query the database."""
log = structlog.get_logger("metrics")


def gauge(
    name: str,
    help_text: str,
    values: Iterable[tuple[tuple[str, ...], float]],
    labels: tuple[str, ...] = (),
) -> Metric:
    """Return a gauge with its values by label."""
    family = GaugeMetricFamily(name, help_text, labels=labels)
    for named, value in values:
        family.add_metric(named, value)
    return family


@functools.lru_cache(maxsize=2048)
def _children(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(method, route, str(status)), LATENCY.labels(method, route)


def observe(method: str, route: str, status: int, elapsed_s: float) -> None:
    """Count one answered request. Routes are patterns, so that the number of series is bounded."""
    count, latency = _children(method if method in METHODS else "other", route, status)
    count.inc()
    latency.observe(elapsed_s)


class _Database(Collector):
    """Collect from the sources. A source that fails is left out and the rest is served."""

    def collect(self) -> Iterator[Metric]:
        failed = 0
        for source in contributed_items("metrics", "METRICS"):
            try:
                yield from list(source())
            except Exception as error:  # whatever it is: the others are served
                failed += 1
                log.warning("source failed", source=source.__qualname__, exc_info=error)
        yield gauge("metrics_sources_failed", "Sources of metrics that failed", [((), failed)])


def counts() -> CollectorRegistry:
    """Return what this process, and those that share its folder, counted."""
    folder = os.environ.get(_MULTIPROCESS)
    registry = CollectorRegistry()
    if folder:
        MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call]
        registry.register(Room(folder))
    else:
        registry.register(REGISTRY)
    return registry


def _registry() -> CollectorRegistry:
    registry = counts()
    registry.register(_Database())
    return registry


def _may_read(request: HttpRequest) -> bool:
    """Return whether the request may read metrics.

    If METRICS_TOKEN is set, its bearer may; otherwise requests from this machine without a proxy,
    except in production.
    """
    if settings.METRICS_TOKEN:
        offered = request.META.get("HTTP_AUTHORIZATION", "")
        expected = f"Bearer {settings.METRICS_TOKEN}"
        return hmac.compare_digest(offered.encode(), expected.encode())
    proxied = "HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META
    local = request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1")
    return local and not proxied and not settings.PRODUCTION


def view(request: HttpRequest) -> HttpResponse:
    """Answer `GET /metrics`."""
    if not _may_read(request):
        return HttpResponse(status=403)
    return HttpResponse(generate_latest(_registry()), content_type=CONTENT_TYPE_LATEST)


def listen() -> None:
    """Answer `GET /metrics` with what this process and its children counted.

    Raises ImproperlyConfigured where it cannot listen, as a second process at the same address.
    """
    host, _, port = settings.METRICS_LISTEN.rpartition(":")
    if not port:
        return
    try:
        start_http_server(int(port), host.strip("[]"), registry=counts())
    except OSError as error:
        raise ImproperlyConfigured(
            f"METRICS_LISTEN {settings.METRICS_LISTEN} cannot be served: {error.strerror}; another"
            " process, perhaps the same one started twice, has it"
        ) from error


def follow_tasks() -> None:
    """Count the tasks that this process sends, and those that it or its children do."""
    # A process that does neither, such as `live`, starts without Celery.
    from celery.signals import before_task_publish, task_postrun, task_prerun

    began_s: dict[str, float] = {}

    @before_task_publish.connect(weak=False)  # type: ignore[untyped-decorator]
    def _sent(sender: str, **_: Any) -> None:
        SENT.labels(sender).inc()

    @task_prerun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _begun(task_id: str, **_: Any) -> None:
        began_s[task_id] = time.monotonic()

    @task_postrun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _done(task_id: str, task: Any, state: str | None = None, **_: Any) -> None:
        TASKS.labels(task.name, state or "").inc()
        TASK_SECONDS.labels(task.name).observe(time.monotonic() - began_s.pop(task_id))


def _own() -> Iterator[Metric]:
    suspensions, proposals, oldest_s, offset_s = fetch_row(
        "SELECT (SELECT count(*) FROM premises_suspension WHERE lifted_at IS NULL),"
        " (SELECT count(*) FROM staff_proposal WHERE NOT decided),"
        " (SELECT coalesce(extract(epoch FROM core_now() - min(proposed_at)), 0)"
        "    FROM staff_proposal WHERE NOT decided),"
        ' coalesce((SELECT extract(epoch FROM "offset") FROM database_clockoffset'
        "   ORDER BY id DESC LIMIT 1), 0)"
    )
    yield gauge("suspensions_in_force", "Suspensions of sales in force", [((), suspensions)])
    yield gauge("proposals_pending", "Proposals that wait for a second person", [((), proposals)])
    yield gauge("proposal_oldest_seconds", "Age of the oldest of them", [((), float(oldest_s))])
    yield gauge("simulated_offset_seconds", "Simulated time's offset", [((), float(offset_s))])


def _due() -> Iterator[Metric]:
    counts = [((work.task.name,), float(len(list(work.due())))) for work in due_work()]
    yield gauge("due_work", "Acts that the database says are due", counts, ("task",))


METRICS: tuple[Source, ...] = (_own, _due)
