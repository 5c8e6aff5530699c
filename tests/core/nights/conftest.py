"""Replace the nightly jobs of the apps with the jobs of a test."""

from collections.abc import Iterator

import pytest

from core.nights.jobs import Job
from tests.support.contributing import contributed


@pytest.fixture
def own_jobs() -> Iterator[list[Job]]:
    """Return an empty list of nightly jobs for the test to fill."""
    jobs: list[Job] = []
    with contributed("nightly", "JOBS", jobs):
        yield jobs
