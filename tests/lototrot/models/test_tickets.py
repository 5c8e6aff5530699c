"""Check what the database refuses of tickets, voids and reprints."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from lototrot.models.tickets import PrintConfirmation, Ticket, Void
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def point() -> factories.Point:
    return factories.point()


@pytest.fixture
def ticket(point: factories.Point) -> Ticket:
    contest = factories.contest(kind="five-races")
    sale = factories.sell(contest, point, [(1, 3), *[(2,)] * 4])
    return Ticket.objects.get(pk=sale.ticket_id)


@pytest.mark.article("14.II.3")
def test_a_ticket_has_a_mask_for_each_leg_of_its_contest(ticket: Ticket) -> None:
    assert ticket.legs() == (0b101, 0b10, 0b10, 0b10, 0b10)
    assert (ticket.bets, ticket.amount_cents) == (2, 200)


@pytest.mark.article("14.III.1.4")
def test_a_ticket_never_changes(ticket: Ticket) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Ticket.objects.filter(pk=ticket.pk).update(leg_1=1)
    with pytest.raises(DatabaseError), transaction.atomic():
        ticket.delete()


@pytest.mark.article("14.III.1.4")
def test_a_ticket_is_voided_once(ticket: Ticket, point: factories.Point) -> None:
    values = {"reason": Void.Reason.ERROR, "note": "Mistyped", "voided_at": ticket.sold_at}
    Void.objects.create(ticket=ticket, operator=point.operator, **values)
    with pytest.raises(IntegrityError), transaction.atomic():
        Void.objects.create(ticket=ticket, operator=point.operator, **values)


def test_the_print_of_a_ticket_is_confirmed_once(ticket: Ticket) -> None:
    PrintConfirmation.objects.create(ticket=ticket, confirmed_at=ticket.sold_at)
    with pytest.raises(IntegrityError), transaction.atomic():
        PrintConfirmation.objects.create(ticket=ticket, confirmed_at=ticket.sold_at)
