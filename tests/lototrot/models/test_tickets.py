"""Check what the database refuses of tickets, voids and reprints."""

from itertools import accumulate

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from lototrot.models.tickets import REQUEST_DIGEST_BYTES, PrintConfirmation, Ticket, Void
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
    assert PrintConfirmation.objects.get().pk == ticket.pk


def test_a_print_is_of_a_ticket(ticket: Ticket) -> None:
    """No foreign key says so, for it would lock the ticket with each print."""
    with pytest.raises(IntegrityError, match="there is no ticket"), transaction.atomic():
        PrintConfirmation.objects.create(ticket_id=ticket.pk + 1, confirmed_at=ticket.sold_at)


_COLUMNS = """
SELECT attname, attlen, CASE attalign WHEN 'd' THEN 8 WHEN 'i' THEN 4 WHEN 's' THEN 2 ELSE 1 END
  FROM pg_attribute WHERE attrelid = 'lototrot_ticket'::regclass AND attnum > 0
   AND NOT attisdropped ORDER BY attnum
"""


def test_no_column_of_a_ticket_needs_padding() -> None:
    """A table of a million tickets a week has 8 bytes of each for one column out of place."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        columns = cursor.fetchall()
    fixed = [(name, size, align) for name, size, align in columns if size > 0]
    names = [name for name, _, _ in columns]
    assert fixed.pop()[0] == names[-1] == "journal_xid"  # comes last: the journal adds it
    assert names[: len(fixed)] == [name for name, _, _ in fixed]  # others, of any size, follow
    ends = list(accumulate(size for _, size, _ in fixed))
    starts = zip(fixed, [0, *ends], strict=False)
    assert not [name for (name, _, align), start in starts if start % align]


def test_of_a_request_a_ticket_keeps_16_bytes(ticket: Ticket) -> None:
    assert len(bytes(ticket.request_digest)) == REQUEST_DIGEST_BYTES == 16


def test_an_entry_of_the_index_of_codes_needs_no_padding(ticket: Ticket) -> None:
    """It is random, so its pages are two thirds full: 8 bytes of an entry are 12 of a ticket."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_column_size(code_digest) FROM lototrot_ticket")
        assert cursor.fetchone()[0] % 8 == 0
