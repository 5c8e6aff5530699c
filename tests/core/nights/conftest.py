"""Nights with jobs of a test, in place of the jobs that the apps list."""

from collections.abc import Iterator

import pytest

from core.nights.jobs import Job
from tests.support.contributing import contributed


@pytest.fixture
def own_jobs() -> Iterator[list[Job]]:
    """Return the list of the night's jobs, empty, for the test to fill."""
    jobs: list[Job] = []
    with contributed("nightly", "JOBS", jobs):
        yield jobs
