"""Print a ticket after its sale: confirmed, copied, or never printed [E5]."""

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.nights.nightly import lapse
from core.premises.access import (
    BareTerminal,
    TerminalCannot,
    TerminalCredentials,
    bare_terminal,
    terminal_actor,
)
from core.premises.models import Premises
from core.premises.requests import UuidReused, new_uuid
from lototrot.models.contest import Contest
from lototrot.models.tickets import CodeGiven, PrintConfirmation, Reprint, Ticket
from lototrot.services.tickets.paper import slip_original
from lototrot.services.tickets.printing import (
    PrintTooLate,
    SlipPrinted,
    print_confirm,
    ticket_reprint,
)
from lototrot.services.tickets.selling import (
    OperatorDiffers,
    SaleRequest,
    Sold,
    TicketUnknown,
    request_state,
    ticket_sell,
)
from tests.support import factories, rounds
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.II.1")]


@pytest.fixture
def place(contest: Contest) -> Point:
    new_point = factories.point()
    factories.acknowledge(contest, new_point)
    return new_point


@pytest.fixture
def sold(contest: Contest, place: Point) -> Sold:
    price = contest.price_cents
    request = SaleRequest(new_uuid(), contest.pk, ((1,),) * 7, price, price)
    return ticket_sell(credentials=place.credentials, request=request)


def bare(place: Point) -> BareTerminal:
    return BareTerminal(
        place.terminal.pk, place.premises.pk, place.premises.kind, place.operator.pk
    )


def test_until_the_terminal_confirms_the_print_the_ticket_is_an_incident(
    place: Point, sold: Sold
) -> None:
    assert Ticket.objects.get(print_confirmation=None).uuid == sold.uuid
    first = print_confirm(by=bare(place), ident=sold.uuid)
    factories.time_pass(seconds=5)
    assert print_confirm(by=bare(place), ident=sold.uuid).confirmed_at == first.confirmed_at
    assert PrintConfirmation.objects.count() == 1


@pytest.mark.article("14.III.10.7")
def test_no_print_is_confirmed_once_its_contest_has_lapsed(place: Point) -> None:
    """A row among those of an archived month would keep the month from being retired for good."""
    factories.time_to(rounds.NOON)
    contest = rounds.ordered(place)
    printed, lost, _ = Ticket.objects.filter(contest=contest).order_by("pk")
    first = print_confirm(by=bare(place), ident=printed.uuid)
    factories.time_pass(days=70)
    assert print_confirm(by=bare(place), ident=printed.uuid).confirmed_at == first.confirmed_at
    lapse(add_days(natural_day(clock.now()), -1))
    assert print_confirm(by=bare(place), ident=printed.uuid).confirmed_at == first.confirmed_at
    with pytest.raises(PrintTooLate):
        print_confirm(by=bare(place), ident=lost.uuid)
    with pytest.raises(DatabaseError, match="has lapsed"), transaction.atomic():
        PrintConfirmation.objects.create(ticket=lost, confirmed_at=lost.sold_at)
    assert PrintConfirmation.objects.count() == 1


def test_a_reprint_has_the_same_code_and_a_number_of_its_own(place: Point, sold: Sold) -> None:
    for number in (1, 2, 3):
        again, reprint = ticket_reprint(by=place.actor, ident=sold.uuid)
        assert again.code == sold.code
        assert (reprint.number, reprint.operator) == (number, place.operator)
    assert Reprint.objects.count() == 3
    print_confirm(by=bare(place), ident=sold.uuid)
    with pytest.raises(SlipPrinted):
        ticket_reprint(by=place.actor, ident=sold.uuid)


def test_the_same_copy_asked_for_again_is_one_copy(
    contest: Contest, place: Point, sold: Sold
) -> None:
    copy = new_uuid()
    first, again = (ticket_reprint(by=place.actor, ident=sold.uuid, copy=copy)[1] for _ in range(2))
    assert first == again
    assert ticket_reprint(by=place.actor, ident=sold.uuid, copy=new_uuid())[1].number == 2
    price = contest.price_cents
    request = SaleRequest(new_uuid(), contest.pk, ((1,),) * 7, price, price)
    other = ticket_sell(credentials=place.credentials, request=request).uuid
    with pytest.raises(UuidReused):
        ticket_reprint(by=place.actor, ident=other, copy=copy)


def test_the_original_comes_out_once(place: Point, sold: Sold) -> None:
    assert slip_original(by=bare(place), ident=sold.uuid).code == sold.code
    print_confirm(by=bare(place), ident=sold.uuid)
    with pytest.raises(SlipPrinted):
        slip_original(by=bare(place), ident=sold.uuid)


def asked_again(place: Point, request: SaleRequest, session: str) -> Sold:
    credentials = TerminalCredentials.of(place.token, session)
    return ticket_sell(credentials=credentials, request=request)


def test_a_code_is_given_again_to_the_seller_alone_counted_until_it_is_printed(
    contest: Contest, place: Point
) -> None:
    """A colleague at the terminal, or nobody, harvests no codes of tickets on sale."""
    price = contest.price_cents
    request = SaleRequest(new_uuid(), contest.pk, ((1,),) * 7, price, price)
    sold = asked_again(place, request, place.session_token)
    assert sold.code and not sold.replayed and not sold.given_again
    colleague = factories.operator_at(place)
    for session in (colleague, "nobody"):
        other = TerminalCredentials.of(place.token, session)
        assert asked_again(place, request, session).code is None
        asked = request_state(terminal=bare_terminal(other), ident=sold.uuid)
        assert asked is not None and asked.code is None
        with pytest.raises(OperatorDiffers):
            slip_original(by=bare_terminal(other), ident=sold.uuid)
    with pytest.raises(OperatorDiffers):
        ticket_reprint(
            by=terminal_actor(TerminalCredentials.of(place.token, colleague)), ident=sold.uuid
        )
    assert not CodeGiven.objects.exists()

    assert slip_original(by=bare(place), ident=sold.uuid).given_again == 0  # the sale's own paper
    assert asked_again(place, request, place.session_token).given_again == 1
    factories.time_pass(seconds=61)
    assert slip_original(by=bare(place), ident=sold.uuid).given_again == 2
    ticket_reprint(by=place.actor, ident=sold.uuid)
    again = request_state(terminal=bare(place), ident=sold.uuid)
    assert again is not None and (again.code, again.given_again) == (sold.code, 4)
    roads = CodeGiven.objects.order_by("pk").values_list("road", "operator")
    assert list(roads) == [(r, place.operator.pk) for r in ("replay", "paper", "inquiry")]

    print_confirm(by=bare(place), ident=sold.uuid)
    assert asked_again(place, request, place.session_token).code is None
    assert CodeGiven.objects.count() == 3


def test_only_the_selling_terminal_prints(place: Point, sold: Sold) -> None:
    other = factories.point(place.premises)
    with pytest.raises(TicketUnknown):
        print_confirm(by=bare(other), ident=sold.uuid)
    with pytest.raises(TicketUnknown):
        ticket_reprint(by=other.actor, ident=sold.uuid)
    with pytest.raises(TicketUnknown):
        ticket_reprint(by=place.actor, ident=new_uuid())
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    with pytest.raises(TerminalCannot):
        ticket_reprint(by=office.actor, ident=sold.uuid)
