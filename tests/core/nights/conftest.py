"""Nights with jobs of the test's own: what the project registers is put aside."""

from collections.abc import Iterator

import pytest

from core.nights import jobs


@pytest.fixture
def no_jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(jobs, "_jobs", {})
    yield
