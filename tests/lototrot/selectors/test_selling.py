"""Read what a terminal may sell, what it sold, and its totals of a day."""

from datetime import timedelta

import pytest

from core.kernel.days import natural_day
from lototrot.models.tickets import PrintConfirmation, Ticket, Void
from lototrot.selectors.selling import contests_on_sale, terminal_totals, tickets_of_terminal
from tests.support import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.4", "14.III.6.2")
def test_a_contest_is_on_sale_until_its_closing_and_says_whether_it_is_displayed() -> None:
    contest, point = factories.contest(), factories.point()

    def acknowledged() -> list[bool]:
        rows = contests_on_sale(terminal_id=point.terminal.pk, operator_id=point.operator.pk)
        return [row.acknowledged for row in rows]

    assert acknowledged() == [False]
    factories.acknowledge(contest, point)
    assert acknowledged() == [True]
    factories.time_to(contest.scheduled_close_at)
    assert acknowledged() == []


def test_a_terminal_sees_its_own_tickets_and_their_state() -> None:
    contest, point = factories.contest(kind="five-races"), factories.point()
    factories.sell(contest, factories.point())
    first, second = (factories.sell(contest, point) for _ in range(2))
    ticket = Ticket.objects.get(pk=first.ticket_id)
    PrintConfirmation.objects.create(ticket=ticket, confirmed_at=ticket.sold_at)
    rows = tickets_of_terminal(point.terminal.pk).order_by("pk")
    assert [(row.pk, row.printed, row.voided) for row in rows] == [
        (first.ticket_id, True, False),
        (second.ticket_id, False, False),
    ]


@pytest.mark.article("14.III.1.4")
def test_the_totals_of_a_day_show_annulled_tickets_apart() -> None:
    contest, point = factories.contest(kind="five-races"), factories.point()
    kept = factories.sell(contest, point, [(1, 2), *[(1,)] * 4])
    voided = factories.sell(contest, point)
    Void.objects.create(
        ticket_id=voided.ticket_id,
        reason=Void.Reason.ERROR,
        note="Mistyped",
        voided_at=voided.sold_at,
        operator=point.operator,
    )
    totals = terminal_totals(terminal_id=point.terminal.pk, day=None)
    assert totals.day == natural_day(kept.sold_at)
    assert (totals.tickets, totals.bets, totals.amount_cents) == (2, 3, 300)
    assert (totals.annulled_tickets, totals.annulled_cents) == (1, 100)
    yesterday = totals.day - timedelta(days=1)
    assert terminal_totals(terminal_id=point.terminal.pk, day=yesterday).tickets == 0
