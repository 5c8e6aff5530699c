"""The correction of an error: the one thing that undoes a sale (14.III.1.4) [E4]."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped, _check
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.payoffice.judging import DocumentState
from core.payoffice.services.checking import holder_check
from core.premises.access import TerminalCannot
from core.premises.models import Premises
from core.premises.requests import new_uuid
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket, Void
from lototrot.services.contest.closing import contest_close
from lototrot.services.contest.contests import ContestClosed
from lototrot.services.reasons import ReasonMissing
from lototrot.services.tickets import annulment
from lototrot.services.tickets.annulment import (
    CodeOfAnotherTicket,
    CorrectionNotOffered,
    CorrectionTooLate,
    TicketVoided,
    ticket_annul,
    void_reference,
)
from lototrot.services.tickets.paper import slip_original
from lototrot.services.tickets.printing import TicketNotPrintable, print_confirm, ticket_reprint
from lototrot.services.tickets.selling import (
    SaleRequest,
    Sold,
    TicketUnknown,
    sold_again,
    ticket_sell,
)
from tests.support import factories
from tests.support.factories import Point
from tests.support.lototrot import breaching

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.1.4")]

WINDOW_S = 60


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Contest:
    return factories.contest(correction_window_s=WINDOW_S)


def sell(place: Point, contest: Contest) -> Sold:
    price = contest.price_cents
    request = SaleRequest(new_uuid(), contest.pk, ((1, 2), *((1,),) * 6), price, 2 * price)
    return ticket_sell(credentials=place.credentials, request=request)


def annul(place: Point, sold: Sold, *, code: str = "", reason: str = "Wrong race") -> Void:
    assert sold.code is not None
    return ticket_annul(
        by=place.actor, ident=sold.uuid, presented_code=code or sold.code.grouped, reason=reason
    )


@contextmanager
def clock_stopped_at(instant: datetime, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The database's clock, as the service reads it, at one instant to the microsecond."""
    with monkeypatch.context() as patch:
        patch.setattr(annulment.clock, "now", lambda: instant)
        yield


def takings_cents(contest: Contest) -> int:
    return ledger.balance_cents(ledger.liability(contest.takings_account.code))


# --- What it does ---------------------------------------------------------------------------------


def test_it_voids_the_ticket_and_gives_its_price_back(contest: Contest, place: Point) -> None:
    kept, wrong = sell(place, contest), sell(place, contest)
    void = annul(place, wrong, reason="Cursa equivocada")
    assert (void.ticket.uuid, void.reason) == (wrong.uuid, Void.Reason.ERROR)
    assert (void.note, void.operator) == ("Cursa equivocada", place.operator)
    assert void.voided_at > wrong.sold_at
    (refund,) = Transfer.objects.filter(reference=void_reference(wrong.uuid))
    assert (refund.kind, refund.amount_cents) == ("lototrot.annulment", wrong.amount_cents)
    assert takings_cents(contest) == kept.amount_cents
    owed = ledger.balance_cents(ledger.premises_account(place.premises.pk))
    assert owed == kept.amount_cents
    annul(place, kept)
    assert takings_cents(contest) == 0
    assert ledger.balance_cents(ledger.premises_account(place.premises.pk)) == 0
    assert Ticket.objects.count() == 2


def test_repeating_it_changes_nothing(contest: Contest, place: Point) -> None:
    sold = sell(place, contest)
    first = annul(place, sold)
    factories.time_pass(seconds=10 * WINDOW_S)
    assert annul(place, sold, reason="Another reason") == first
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    assert annul(place, sold) == first
    assert Void.objects.get().note == "Wrong race"
    assert Transfer.objects.filter(kind="lototrot.annulment").count() == 1


def test_an_annulled_ticket_is_worth_and_printed_nothing(contest: Contest, place: Point) -> None:
    sold = sell(place, contest)
    assert sold.code is not None
    annul(place, sold)
    assert holder_check(code=sold.code.grouped).state is DocumentState.VOID
    with pytest.raises(TicketNotPrintable):
        ticket_reprint(by=place.actor, ident=sold.uuid)
    with pytest.raises(TicketNotPrintable):
        slip_original(by=_bare(place), ident=sold.uuid)
    assert sold_again(Ticket.objects.get(), by=place.operator.pk, road=None).code is None
    print_confirm(by=_bare(place), ident=sold.uuid)


# --- When -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("after_us", [0, 1, WINDOW_S * 10**6 - 1, WINDOW_S * 10**6])
def test_inside_the_window_it_is_taken(
    contest: Contest, place: Point, after_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sold = sell(place, contest)
    at = sold.sold_at + timedelta(microseconds=after_us)
    with clock_stopped_at(at, monkeypatch):
        assert annul(place, sold).voided_at == at


@pytest.mark.parametrize("after_us", [WINDOW_S * 10**6 + 1, (WINDOW_S + 1) * 10**6])
def test_outside_the_window_it_is_refused(
    contest: Contest, place: Point, after_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sold = sell(place, contest)
    with (
        clock_stopped_at(sold.sold_at + timedelta(microseconds=after_us), monkeypatch),
        pytest.raises(CorrectionTooLate),
    ):
        annul(place, sold)
    assert not Void.objects.exists()
    assert takings_cents(contest) == sold.amount_cents


def test_second_by_second_on_simulated_time(contest: Contest, place: Point) -> None:
    at_last = sell(place, contest)
    too_late = sell(place, contest)
    factories.time_to(at_last.sold_at + timedelta(seconds=WINDOW_S - 5))
    annul(place, at_last)
    factories.time_to(too_late.sold_at + timedelta(seconds=WINDOW_S))
    with pytest.raises(CorrectionTooLate):
        annul(place, too_late)


@pytest.mark.article("14.III.4")
def test_the_window_ends_with_the_sale(contest: Contest, place: Point) -> None:
    by_clock, by_closing = sell(place, contest), sell(place, contest)
    factories.time_to(contest.scheduled_close_at - timedelta(seconds=20))
    late = sell(place, contest)
    factories.time_to(contest.scheduled_close_at)
    for sold in (by_clock, late):
        with pytest.raises(ContestClosed):
            annul(place, sold)
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    with pytest.raises(ContestClosed):
        annul(place, by_closing)
    assert not Void.objects.exists()


def test_without_a_window_nothing_is_ever_annulled(place: Point) -> None:
    contest = factories.contest(kind="five-races")
    factories.acknowledge(contest, place)
    price = contest.price_cents
    request = SaleRequest(new_uuid(), contest.pk, ((1,),) * 5, price, price)
    sold = ticket_sell(credentials=place.credentials, request=request)
    with pytest.raises(CorrectionNotOffered):
        annul(place, sold)


# --- Against what, and by whom --------------------------------------------------------------------


def test_only_against_the_printed_code(contest: Contest, place: Point) -> None:
    sold, other = sell(place, contest), sell(place, contest)
    assert sold.code is not None
    assert other.code is not None
    text = sold.code.text
    forged = _with_check(("1" if text[5] != "1" else "2").join((text[:5], text[6:])))
    mistyped = text[:-1] + ("0" if text[-1] != "0" else "1")
    for code, error in (
        ("not a code", CodeMalformed),
        (mistyped, CodeMistyped),
        (forged, CodeForged),
        (other.code.grouped, CodeOfAnotherTicket),
    ):
        with pytest.raises(error):
            annul(place, sold, code=code)
    assert not Void.objects.exists()
    typed = sold.code.grouped.lower().replace("-", " ")
    assert annul(place, sold, code=typed).ticket.uuid == sold.uuid


def test_only_by_the_terminal_that_sold(contest: Contest, place: Point) -> None:
    sold = sell(place, contest)
    neighbour, stranger = factories.point(place.premises), factories.point()
    for other in (neighbour, stranger):
        with pytest.raises(TicketUnknown):
            annul(other, sold)
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    with pytest.raises(TerminalCannot):
        annul(office, sold)


@pytest.mark.parametrize("reason", ["", "  "])
def test_the_reason_is_on_record(contest: Contest, place: Point, reason: str) -> None:
    with pytest.raises(ReasonMissing):
        annul(place, sell(place, contest), reason=reason)


def test_a_ticket_void_for_breach_is_not_an_error(contest: Contest, place: Point) -> None:
    sold = sell(place, contest)
    factories.contest_closed(contest)
    breaching.voided([Ticket.objects.get()])
    with pytest.raises(TicketVoided):
        annul(place, sold)


def test_the_database_voids_a_ticket_once_and_says_by_whom(contest: Contest, place: Point) -> None:
    sold = sell(place, contest)
    ticket = Ticket.objects.get()
    for bad in (
        {"reason": "error"},  # by nobody
        {"reason": "breach", "operator": place.operator},
        {"reason": "error", "operator": place.operator, "proposal": factories.proposal()},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Void.objects.create(ticket=ticket, voided_at=sold.sold_at, **bad)
    annul(place, sold)
    with pytest.raises(IntegrityError), transaction.atomic():
        Void.objects.create(
            ticket=ticket, reason="error", operator=place.operator, voided_at=sold.sold_at
        )


def _bare(place: Point) -> annulment.BareTerminal:
    return annulment.BareTerminal(place.terminal.pk, place.premises.pk, place.premises.kind)


def _with_check(text: str) -> str:
    """The same code with the check character that fits it: only the authenticity betrays it."""
    return text[:-1] + _check(text[:-1])
