"""Show the faults of a game in words, and no seed, in the admin."""

import pytest

from core.staff.powers import Role
from tests.support import emitting
from tests.support.admin_desk import Desk, row_url

pytestmark = pytest.mark.django_db


def test_faults_are_said_in_words_and_the_seed_is_nowhere() -> None:
    organiser = Desk(Role.ORGANISER)
    version = emitting.recorded(emitting.small(price_cents=1_001))
    assert "The price is outside the limits" in organiser.get(row_url(version))
    said = organiser.refused(version, "approve", "approval_refused")
    assert "The price is outside the limits" in said
    emission = emitting.opened(emitting.small("other"))
    page = organiser.get(row_url(emission))
    assert bytes(emission.commitment.encrypted_seed).hex() not in page
    assert not Desk(Role.CASHIER).offers(emission, "close")
