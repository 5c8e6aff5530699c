"""The instant at which the tests of the prize office begin."""

import pytest

from tests.support import factories, rounds


@pytest.fixture
def noon(db: None) -> None:
    factories.time_to(rounds.NOON)
