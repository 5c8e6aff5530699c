"""The archive of a month ends, for prints, where the first one of a later contest is."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import add_days
from core.periods.archive.files import last_row
from core.periods.archive.tables import retiring_tables
from lototrot.models.contest import Contest
from lototrot.models.tickets import PrintConfirmation
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_prints_of_a_later_contest_and_all_after_it_stay() -> None:
    tables = {table.name: table for table in retiring_tables()}
    prints = tables["lototrot_printconfirmation"]
    contest, point = factories.contest(), factories.point()
    later = factories.contest(factories.meeting(races=10, day=add_days(contest.day, 7)))

    def printed(of: Contest) -> int:
        sold = factories.sell(of, point)
        confirmation = PrintConfirmation.objects.create(
            ticket_id=sold.ticket_id, confirmed_at=clock.now() + timedelta(seconds=1)
        )
        return confirmation.pk

    first, second = printed(contest), printed(contest)
    values = {"row_before": 0, "last": contest.day}
    assert last_row(prints, values) == second
    stays, behind = printed(later), printed(contest)
    assert first < second < stays < behind
    assert last_row(prints, values) == second
    assert last_row(prints, values | {"row_before": second}) == 0
    assert last_row(prints, values | {"last": later.day}) == behind


def test_a_print_is_where_its_ticket_is_however_late_it_was_confirmed() -> None:
    """So a month has the prints of its tickets, and none of a later month is among them."""
    tables = {table.name: table for table in retiring_tables()}
    prints = tables["lototrot_printconfirmation"]
    contest, point = factories.contest(), factories.point()
    later = factories.contest(factories.meeting(races=10, day=add_days(contest.day, 7)))
    late, stays = (factories.sell(of, point).ticket_id for of in (contest, later))
    for ticket in (stays, late):
        PrintConfirmation.objects.create(ticket_id=ticket, confirmed_at=clock.now())
    assert last_row(prints, {"row_before": 0, "last": contest.day}) == late
