"""The instant at which the tests of the prize office begin."""

import pytest

from tests.support import factories, rounds


@pytest.fixture
def noon() -> None:
    factories.time_to(rounds.NOON)
