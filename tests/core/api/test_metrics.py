"""Read the metrics, and add them up over several processes."""

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import OperationalError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from core.api.metrics import gauge
from tests.support.api import Api
from tests.support.contributing import contributed
from tests.support.processes.forking import forked


def _samples(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.django_db
class TestMetrics:
    def test_requests_and_what_the_database_knows(self, client: Client, organiser: Api) -> None:
        before = _samples(client.get("/metrics").content.decode())
        organiser.post("suspensions", {"reason": "x"})
        organiser.get("nowhere")
        after = _samples(client.get("/metrics").content.decode())
        labels = ("http_requests_total", "201", "POST", "api/v1/suspensions")
        lost = ("http_requests_total", "404", "GET", "unmatched")
        for series in (labels, lost):
            assert after[series] - before.get(series, 0) == 1
        assert after[("suspensions_in_force",)] - before[("suspensions_in_force",)] == 1
        assert after[("metrics_sources_failed",)] == 0
        assert after[("http_request_seconds_count", "POST", "api/v1/suspensions")] >= 1

    @pytest.mark.parametrize("error", [OperationalError, PermissionError, ValueError])
    def test_a_failed_source_does_not_take_the_rest_along(
        self, client: Client, error: type[Exception]
    ) -> None:
        def broken() -> list[object]:
            raise error

        sources = [broken, lambda: [gauge("answer", "Of everything", [((), 42)])]]
        with contributed("metrics", "METRICS", sources):
            after = _samples(client.get("/metrics").content.decode())
        assert after[("metrics_sources_failed",)] == 1
        assert after[("answer",)] == 42

    def test_who_may_read_them(self, client: Client, settings: LazySettings) -> None:
        assert client.get("/metrics", REMOTE_ADDR="10.0.0.9").status_code == 403
        assert client.get("/metrics", headers={"X-Forwarded-For": "1.1.1.1"}).status_code == 403
        settings.PRODUCTION = True
        assert client.get("/metrics").status_code == 403
        settings.METRICS_TOKEN = "s" * 32
        for offered, status in (("", 403), ("Bearer x", 403), ("Bearer " + "s" * 32, 200)):
            response = client.get(
                "/metrics", headers={"Authorization": offered}, REMOTE_ADDR="10.0.0.9"
            )
            assert response.status_code == status


_COUNT = """
from core.api import metrics
metrics.observe("GET", "api/v1/clock", 200, 0.001)
"""
_READ = """
from prometheus_client import generate_latest
from core.api import metrics
from tests.support.contributing import contributed
with contributed("metrics", "METRICS"):
    print(generate_latest(metrics._registry()).decode())
"""


@pytest.mark.servers
def test_several_processes_are_added_up(tmp_path: Path) -> None:
    *counting, reading = forked(
        *(_COUNT, _COUNT, _READ), environment={"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    )
    assert [each.returncode for each in (*counting, reading)] == [0] * 3, reading
    counted = _samples(reading.stdout)
    assert counted[("http_requests_total", "200", "GET", "api/v1/clock")] == 2
