"""A full folder of counts ends no process, and what was counted meanwhile is written later."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from core.tools.embedded.server import ROOT

SOURCES = ("core", "lototrot", "promotrot")
_ROUTES = 100
_COUNTING = f"""
import django

django.setup()
import contextlib
import os
import time
from pathlib import Path

from prometheus_client import generate_latest

from core.api import metrics

folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])


def shown():
    return generate_latest(metrics.counts()).decode()


def count():
    for number in range({_ROUTES}):
        metrics.observe("POST", f"route/{{number}}", 201, 0.001)


metrics.observe("POST", "before", 201, 0.001)
with (folder / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
    while True:
        filler.write(bytes(4096))
child = os.fork()  # as a worker does: the child has files of its own
count()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert shown().count("http_request_seconds_sum{{") < {_ROUTES}
assert "metrics_folder_free_bytes 0.0" in shown()
(folder / "filler").unlink()
until_s = time.monotonic() + 60
while shown().count("http_request_seconds_sum{{") <= {_ROUTES} and time.monotonic() < until_s:
    count()
print(shown())
"""
_ON_A_SMALL_DISK = 'mount -t tmpfs -o size=2m tmpfs "$PROMETHEUS_MULTIPROC_DIR" && exec "$@"'


def test_every_count_is_of_the_module_that_reserves_its_room() -> None:
    """The file of one that is made before keeps no room for all others of its process."""
    making = re.compile(
        r"from prometheus_client import [^)]*?\b(Counter|Gauge|Histogram|Summary)\b"
    )
    files = {path for folder in SOURCES for path in (ROOT / folder).rglob("*.py")}
    makers = {path.name for path in files if making.search(path.read_text())}
    assert makers == {"shared_counts.py"}


@pytest.mark.servers
def test_a_folder_that_fills_up_ends_no_process(tmp_path: Path) -> None:
    mounting = ["unshare", "--map-root-user", "--mount", "sh", "-c", _ON_A_SMALL_DISK, "sh"]
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    if subprocess.run([*mounting, "true"], env=environment, check=False).returncode:
        pytest.skip("no disk may be mounted here")
    done = subprocess.run(
        [*mounting, sys.executable, "-c", _COUNTING],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("counts have no room") >= 1
    counted = {
        (sample.name, sample.labels.get("route")): sample.value
        for family in text_string_to_metric_families(done.stdout)
        for sample in family.samples
    }
    assert counted["http_requests_total", "before"] == 1
    for number in range(_ROUTES):
        # Both rounds: what waited in the memory of the process is not lost.
        assert counted["http_requests_total", f"route/{number}"] >= 2
        assert counted["http_request_seconds_count", f"route/{number}"] >= 2
