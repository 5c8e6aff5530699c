"""Each test of a module finds the same of what they share, whichever of them runs first."""

import pytest

from core.database import clock
from core.premises.models import Premises
from tests.support import factories, rounds


@pytest.fixture(scope="module")
def place(shared: None) -> Premises:
    """Return premises at noon of a day in 2030, for both tests."""
    factories.time_to(rounds.NOON)
    return factories.premises()


@pytest.mark.django_db
@pytest.mark.parametrize("turn", ["first", "second"])
def test_what_a_test_changes_of_it_is_not_seen_by_the_next(place: Premises, turn: str) -> None:
    """Each of the two looks, and then changes all that the other looks at."""
    assert Premises.objects.get() == place
    assert clock.now().date() == rounds.NOON.date()
    factories.premises()
    factories.time_pass(days=30)
    assert Premises.objects.count() == 2
    assert clock.now().date() != rounds.NOON.date()
