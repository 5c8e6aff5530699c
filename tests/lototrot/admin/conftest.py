"""The persons of the organiser and of the stewards at their pages of the administration."""

import pytest

from core.staff.powers import Role
from tests.support.admin_desk import Desk


@pytest.fixture
def organiser(db: None) -> Desk:
    return Desk(Role.ORGANISER)


@pytest.fixture
def stewards(db: None) -> Desk:
    return Desk(Role.STEWARDS)
