"""A contest that ends a week of premises' accounts."""

from typing import Any

import pytest

from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support.stating import MONDAY, SUNDAY, at


@pytest.fixture
def organiser() -> Any:
    at(MONDAY, 8)
    return factories.staff(Role.ORGANISER)


@pytest.fixture
def contest(organiser: Any) -> Any:
    return rounds.contest(
        rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, price_cents=105, day=SUNDAY
    )
