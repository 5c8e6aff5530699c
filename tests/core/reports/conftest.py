"""A season of two meetings, its auditor, and pages in English."""

from typing import Any

import pytest
from django.utils.translation import override

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
