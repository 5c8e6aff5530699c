"""A season of two meetings, its auditor, and pages in English."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.utils.translation import override

from core.reports import tables
from core.staff.powers import Role
from tests.support import factories
from tests.support.reporting import Season


@pytest.fixture
def season() -> Season:
    return Season()


@pytest.fixture
def by() -> Any:
    return factories.staff(Role.AUDITOR)


@pytest.fixture(autouse=True)
def _english() -> Any:
    with override("en"):
        yield


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Make every report take longer than it may."""

    def read(*_: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(20)")

    settings.READING_LIMIT_S = 0.5
    monkeypatch.setattr(tables, "table", read)
    monkeypatch.setattr(tables, "reports", read)
