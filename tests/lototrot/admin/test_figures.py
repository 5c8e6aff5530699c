"""The figures of *Today* for what is on sale."""

import pytest

from core.staff.powers import Role
from lototrot import accounts
from tests.support import factories, rounds
from tests.support.admin_desk import Desk

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.10.5")
def test_the_pot_is_the_boards_with_what_lapsed_for_the_next_meeting() -> None:
    contest = factories.contest()
    rounds.fund(accounts.jackpot(contest.bet_type_code), 100_000)
    rounds.fund(accounts.lapsed(contest.pk), 23_456)
    assert "€1,234.56" in Desk(Role.ORGANISER).get("/admin/")
