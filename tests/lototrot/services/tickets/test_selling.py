"""Sell a ticket: its row, its transfer and its answer, also when it is asked for again."""

import dataclasses
import uuid

import pytest
from django.conf import settings
from django.db import connection

from core.kernel import codes
from core.kernel.canonical import Json, canonical_sha256
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.premises.models import OperatorSession, Suspension
from core.premises.requests import UuidBurnt, UuidReused, new_uuid
from lototrot.engine.races import numbers_of
from lototrot.engine.selection import WithdrawnNumber
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.services.contest.closing import contest_close
from lototrot.services.tickets.selling import (
    Drawn,
    QuickPick,
    QuickPickTooLong,
    SaleRequest,
    TicketUnknown,
    request_state,
)
from tests.support import factories
from tests.support.factories import Point
from tests.support.lototrot.selling import SINGLE, asked, bare, sell

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.II.1", "14.II.3", "14.III.10.1")
def test_a_single_ticket_fixes_every_element_and_takes_its_price(
    place: Point, contest: Contest
) -> None:
    request = asked(contest)
    sold = sell(place, request)
    ticket = Ticket.objects.get(uuid=request.uuid)
    assert [numbers_of(mask) for mask in ticket.legs()] == [tuple(race) for race in SINGLE]
    assert (ticket.bets, ticket.amount_cents) == (1, contest.price_cents)
    assert (ticket.premises, ticket.terminal) == (place.premises, place.terminal)
    assert ticket.operator == place.operator
    assert sold.code is not None
    assert bytes(ticket.code_digest) == settings.CODE_KEYS.digest(sold.code)
    day = contest.day.toordinal() % 1024  # digests of a contest stand together (docs/adr/0073)
    assert bytes(ticket.code_digest)[:2] == day.to_bytes(2, "big")
    commitment = settings.CODE_KEYS.commitment(sold.code, sold.uuid)
    assert bytes(ticket.code_commitment) == commitment
    assert codes.parse(sold.code.grouped, settings.CODE_KEYS, codes.TICKET) == sold.code
    transfer = Transfer.objects.get(reference=request.uuid)
    assert transfer.amount_cents == contest.price_cents
    assert transfer.debit.code == ledger.premises_account(place.premises.pk).code
    assert transfer.credit == contest.takings_account
    assert transfer.at == ticket.sold_at == sold.sold_at


@pytest.mark.article("14.I.5", "14.III.2")
def test_a_multiple_ticket_is_all_its_combinations_at_the_price(
    place: Point, contest: Contest
) -> None:
    races = ((1, 2), (2,), (3, 4, 5), (4,), (5,), (6,), (1, 3))
    sold = sell(place, asked(contest, races=races, amount_cents=12 * contest.price_cents))
    assert (sold.bets, sold.amount_cents) == (12, 12 * contest.price_cents)


def test_a_quick_pick_is_drawn_among_what_is_on_sale(place: Point, contest: Contest) -> None:
    race = factories.races_of(contest)[0]
    for number in (1, 2, 3):
        factories.withdrawal(race, number)
    seen: set[int] = set()
    for _ in range(25):
        races = (QuickPick(1), *SINGLE[1:6], QuickPick(2))
        sold = sell(place, asked(contest, races=races, amount_cents=2 * contest.price_cents))
        seen |= set(numbers_of(sold.masks[0]))
        assert len(numbers_of(sold.masks[6])) == 2
        assert sold.quick_legs == 0b1000001
    assert not seen & {1, 2, 3}
    assert len(seen) > 1


def test_numbers_that_the_terminal_drew_are_sold_as_drawn(place: Point, contest: Contest) -> None:
    """The player saw them: they are not drawn again, not even when one was withdrawn meanwhile."""
    request = asked(contest, races=(Drawn((3,)), *SINGLE[1:]))
    sold = sell(place, request)
    assert numbers_of(sold.masks[0]) == (3,)
    assert sold.quick_legs == 0b1
    with pytest.raises(UuidReused):
        sell(place, dataclasses.replace(request, races=((3,), *SINGLE[1:])))
    factories.withdrawal(factories.races_of(contest)[0], 3)
    with pytest.raises(WithdrawnNumber):
        sell(place, dataclasses.replace(request, uuid=new_uuid()))


def test_a_replay_is_the_same_ticket_and_the_same_answer(place: Point, contest: Contest) -> None:
    request = asked(contest, races=(QuickPick(1),) * 7)
    first, second = sell(place, request), sell(place, request)
    assert second.replayed
    assert dataclasses.replace(second, replayed=False, given_again=0) == first
    assert Ticket.objects.count() == Transfer.objects.count() == 1


def test_a_replay_is_answered_before_every_other_check(place: Point, contest: Contest) -> None:
    """Closed, withdrawn, suspended: the answer is still the ticket, for a while with its code.

    Without the session of the operator who sold it, it has no code.
    """
    request = asked(contest)
    first = sell(place, request)
    factories.withdrawal(factories.races_of(contest)[0], 1)
    by = factories.staff()
    Suspension.objects.create(
        reason="test",
        since=first.sold_at,
        suspended_by_id=by.user_id,
        suspended_in_id=by.session_id,
    )
    assert sell(place, request).code == first.code
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    assert sell(place, request).code == first.code, "for five minutes [E11]"
    OperatorSession.objects.update(ended_at=first.sold_at)
    assert sell(place, request).replayed and sell(place, request).code is None
    factories.time_pass(minutes=5)
    again = sell(place, request)
    assert again.replayed
    assert again.code is None
    assert again.masks == first.masks


def test_a_quick_pick_of_a_whole_race_is_replayed_after_a_withdrawal(
    place: Point, contest: Contest
) -> None:
    """There are no longer so many numbers to draw, but nothing has to be drawn any more."""
    everything = (QuickPick(10), *SINGLE[1:])
    request = asked(contest, races=everything, amount_cents=10 * contest.price_cents)
    first = sell(place, request)
    factories.withdrawal(factories.races_of(contest)[0], 1)
    again = sell(place, request)
    assert again.replayed
    assert (again.code, again.masks) == (first.code, first.masks)
    with pytest.raises(QuickPickTooLong):
        sell(place, dataclasses.replace(request, uuid=new_uuid()))
    nine = dataclasses.replace(
        request,
        uuid=new_uuid(),
        races=(QuickPick(9), *SINGLE[1:]),
        amount_cents=9 * contest.price_cents,
    )
    assert numbers_of(sell(place, nine).masks[0]) == tuple(range(2, 11))


@pytest.mark.parametrize(
    "change",
    [{"races": ((2,), *SINGLE[1:])}, {"races": (QuickPick(1), *SINGLE[1:])}],
    ids=["other numbers", "quick pick"],
)
def test_the_same_uuid_with_other_content_is_an_error(
    place: Point, contest: Contest, change: dict[str, object]
) -> None:
    request = asked(contest)
    sell(place, request)
    with pytest.raises(UuidReused):
        sell(place, dataclasses.replace(request, **change))
    assert Ticket.objects.count() == 1


def test_the_uuid_of_another_terminal_tells_nothing(place: Point, contest: Contest) -> None:
    request = asked(contest)
    sell(place, request)
    other = factories.point(place.premises)
    factories.acknowledge(contest, other)
    with pytest.raises(UuidReused):
        sell(other, request)
    with pytest.raises(UuidReused):
        request_state(terminal=bare(other), ident=request.uuid)


def test_asking_about_an_unknown_uuid_burns_it(place: Point, contest: Contest) -> None:
    request = asked(contest)
    assert request_state(terminal=bare(place), ident=request.uuid) is None
    with pytest.raises(UuidBurnt):
        sell(place, request)
    assert not Ticket.objects.exists()
    assert request_state(terminal=bare(place), ident=request.uuid) is None


def test_asking_about_a_sold_uuid_gives_the_ticket(place: Point, contest: Contest) -> None:
    request = asked(contest)
    first = sell(place, request)
    asking = dataclasses.replace(bare(place), operator_id=place.operator.pk)
    state = request_state(terminal=asking, ident=request.uuid)
    assert state is not None
    assert (state.code, state.masks) == (first.code, first.masks)


def test_a_ticket_of_another_terminal_is_unknown(place: Point, contest: Contest) -> None:
    from lototrot.services.tickets.selling import ticket_of_terminal

    request = asked(contest)
    sell(place, request)
    with pytest.raises(TicketUnknown):
        ticket_of_terminal(terminal=bare(factories.point()), ident=request.uuid)


@pytest.mark.article("14.III.1.4", "14.III.1.5")
@pytest.mark.parametrize(
    "statement", ["UPDATE lototrot_ticket SET bets = 2", "DELETE FROM lototrot_ticket"]
)
def test_the_database_refuses_to_change_a_ticket(
    place: Point, contest: Contest, statement: str
) -> None:
    sell(place, asked(contest))
    with connection.cursor() as cursor, pytest.raises(Exception, match="permission denied"):
        cursor.execute(statement)


def test_no_code_is_stored(place: Point, contest: Contest) -> None:
    sold = sell(place, asked(contest))
    assert sold.code is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text FROM lototrot_ticket t")
        (row,) = cursor.fetchone()
    assert sold.code.text not in row
    assert sold.code.text not in repr(sold)


@pytest.mark.parametrize(
    ("races", "content"),
    [
        ([(3,)] * 7, [[3]] * 7),
        ([(12, 1, 30), (7,)], [[1, 12, 30], [7]]),
        (
            [(2, 1), QuickPick(3), Drawn((9, 4))],
            [[1, 2], {"quick_pick": 3}, {"quick_pick": [4, 9]}],
        ),
    ],
)
def test_the_digest_of_a_request_is_that_of_its_canonical_content(
    races: list[tuple[int, ...] | QuickPick | Drawn], content: list[Json]
) -> None:
    request = SaleRequest(uuid.uuid4(), 1 << 40, tuple(races), 100, 10**9)
    assert request.digest() == canonical_sha256([1 << 40, content, 100, 10**9])[:16]
