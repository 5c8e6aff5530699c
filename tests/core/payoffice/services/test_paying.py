"""Payments at terminals and desks: tiers, days, every refusal, once (14.III.10)."""

import dataclasses
import datetime
import json
import uuid
from zoneinfo import ZoneInfo

import pytest
from django.test import override_settings
from django.utils.crypto import salted_hmac

from core.database import clock
from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.kernel.days import natural_day
from core.kernel.errors import DomainError
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.payoffice import accounts, refusals
from core.payoffice.models import Payment
from core.payoffice.services import paying
from core.payoffice.services.presenting import presentation_make
from core.payoffice.sources import DocumentUnknown
from core.premises.access import PremisesNotAuthorised
from core.premises.models import Authorisation, Premises
from lototrot import accounts as lototrot
from lototrot.models.tickets import Void
from tests.support import factories
from tests.support import paying as given

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.article("14.III.10.2", "14.III.10.4"),
    pytest.mark.usefixtures("noon"),
]

KIND = Premises.Kind


def refused(error: type[DomainError], place: factories.Point, request: paying.PayRequest) -> None:
    """Check that the terminal refuses the request with the error, and that nothing is written."""
    with pytest.raises(error):
        paying.payment_make(at=place.actor, request=request)
    assert given.nothing_written()


# --- Tiers and means ------------------------------------------------------------------------------

TIERS = [  # cents, establishment pays, means at the office
    (1, True, "cash"),
    (11_999, True, "cash"),
    (12_000, True, "cash"),
    (12_001, True, "cash"),
    (29_999, True, "cash"),
    (30_000, False, "cash"),
    (30_001, False, "cash"),
    (100_000, False, "cash"),
    (100_001, False, "nominative_cheque"),
]


@pytest.mark.article("14.III.10.6")
@pytest.mark.parametrize(("cents", "establishment", "means"), TIERS)
def test_who_pays_how_much_and_how(cents: int, establishment: bool, means: str) -> None:
    """[C2, C3, C4]: 120.00 everywhere, 300.00 not at an establishment; 1,000.00 is cash."""
    here, there, desk_one = given.worth(cents, cents, cents)
    bar, entity = factories.point(), factories.point(factories.premises(KIND.ENTITY_OFFICE))
    payee = given.MARIA if means == "nominative_cheque" else None
    if establishment:
        paid = paying.payment_make(at=bar.actor, request=here.request())
        assert (paid.amount_cents, paid.means) == (cents, "cash")
        assert given.balance(ledger.premises_account(bar.premises.pk)) == -cents
    else:
        refused(refusals.PlaceNotAllowed, bar, here.request(payee=payee))
    if cents >= 12_000:
        second = factories.point(entity.premises).actor if cents >= 30_000 else None
        paid = paying.payment_make(
            at=entity.actor, request=there.request(payee=payee), second=second
        )
        assert paid.means == means
    else:
        with pytest.raises(refusals.PlaceNotAllowed):
            paying.payment_make(at=entity.actor, request=there.request())
    cashier = given.cashier()
    pay_at_desk = given.paid_by_two if cents >= 30_000 else given.paid_alone
    assert pay_at_desk(cashier, desk_one.request(payee=payee)).means == means
    held = 10_000_000 - (cents if means == "cash" else 0)
    assert given.balance(accounts.cash(given.session_of(cashier).pk)) == held


@pytest.mark.article("15.III.6.4")
def test_a_refund_due_is_paid_by_the_same_road_and_never_lapses() -> None:
    """[C6]"""
    due, later = given.refunds(2)
    place = factories.point()
    paying.payment_make(at=place.actor, request=due.request())
    factories.time_pass(days=3000)
    paying.payment_make(at=place.actor, request=later.request())
    assert given.balance(lototrot.refunds_due(due.contest.pk)) == 0


# --- Days -----------------------------------------------------------------------------------------

MADRID = ZoneInfo("Europe/Madrid")
LAST_DAYS = [
    datetime.date(2030, 3, 31),  # the day the clocks go forward
    datetime.date(2030, 10, 27),  # and back
    datetime.date(2032, 2, 29),
    datetime.date(2030, 12, 31),
]


@pytest.mark.article("14.III.10.5")
@pytest.mark.parametrize("last_day", LAST_DAYS)
def test_the_whole_of_the_last_day_and_not_a_second_more(last_day: datetime.date) -> None:
    """[D1, D3, D4, D6]"""
    results = last_day - datetime.timedelta(days=30)
    factories.time_to(datetime.datetime.combine(results, datetime.time(12), MADRID))
    new_contest = given.contest(day=results)
    sold = given.tickets(new_contest, 4)
    order = given.order(new_contest, {each.ticket.pk: 500 for each in sold}, results_day=results)
    assert order.last_claim_day == last_day
    first, second, third, fourth = (given.Presented(s.ticket, s.code, 500) for s in sold)
    place = factories.point()
    end = datetime.datetime.combine(
        last_day + datetime.timedelta(days=1), datetime.time(), MADRID
    ).astimezone(datetime.UTC)
    factories.time_to(end - datetime.timedelta(seconds=1))
    paying.payment_make(at=place.actor, request=first.request())
    presentation_make(at=place.actor, code=second.code)
    factories.time_to(end)
    for attempt in (third.request(), fourth.request()):
        with pytest.raises(refusals.ClaimLapsed):
            paying.payment_make(at=place.actor, request=attempt)
    with pytest.raises(refusals.ClaimLapsed):
        presentation_make(at=place.actor, code=third.code)
    factories.time_pass(days=100)
    paid = paying.payment_make(at=place.actor, request=second.request())
    assert natural_day(paid.paid_at) > last_day
    assert given.balance(lototrot.held(new_contest.pk)) == 0
    assert given.balance(lototrot.prizes_payable(new_contest.pk)) == 1000


@pytest.mark.article("14.III.8.1", "14.III.8.2")
def test_nothing_before_the_order_nor_before_the_day_after_the_results() -> None:
    """[D5], with results a day after the meeting."""
    new_contest = given.contest()
    (sold,) = given.tickets(new_contest, 1)
    ticket = given.Presented(sold.ticket, sold.code, 500)
    place = factories.point()
    refused(refusals.NothingDecided, place, ticket.request())
    factories.time_pass(days=1)
    given.order(new_contest, {ticket.ticket.pk: 500})
    refused(refusals.PaidTooEarly, place, ticket.request())
    midnight = datetime.datetime.combine(
        natural_day(clock.now()) + datetime.timedelta(days=1), datetime.time(), MADRID
    )
    factories.time_to(midnight - datetime.timedelta(seconds=5))
    refused(refusals.PaidTooEarly, place, ticket.request())
    factories.time_to(midnight)
    paying.payment_make(at=place.actor, request=ticket.request())


# --- Refusals -------------------------------------------------------------------------------------


@pytest.mark.article("14.III.10.3")
def test_every_bad_code_and_document_has_its_own_refusal() -> None:
    (void,) = given.tickets(given.contest(day=datetime.date(2030, 5, 1)), 1)
    Void.objects.create(
        ticket=void.ticket,
        reason="error",
        note="x",
        voided_at=clock.now(),
        operator=void.ticket.operator,
    )
    won, lost = given.worth(500, 0)
    place = factories.point()
    refused(CodeMalformed, place, won.request(code="1ABC"))
    swapped = won.code[:-1] + ("0" if won.code[-1] != "0" else "1")
    refused(CodeMistyped, place, won.request(code=swapped))
    refused(CodeForged, place, won.request(code=given.forged_code()))
    refused(DocumentUnknown, place, won.request(code=given.unknown_code()))
    refused(refusals.NoPrize, place, lost.request(amount_cents=1))
    refused(refusals.DocumentVoid, place, void.request(amount_cents=100))
    refused(refusals.DocumentAltered, place, won.request(intact=False))
    refused(refusals.AmountDiffers, place, won.request(amount_cents=501))
    Authorisation.objects.filter(premises=place.premises).update(valid_until=clock.now())
    refused(PremisesNotAuthorised, place, won.request())


# --- Once -----------------------------------------------------------------------------------------


def test_the_same_request_gets_the_same_answer_for_ever() -> None:
    """A retry gets its answer also after the last day; its UUID is refused for another request."""
    won, other = given.worth(500, 500)
    place, elsewhere = factories.point(), factories.point()
    request = won.request()
    first = paying.payment_make(at=place.actor, request=request)
    factories.time_pass(days=100)
    again = paying.payment_make(at=place.actor, request=request)
    assert again.replayed
    assert again == dataclasses.replace(first, replayed=True)
    factories.time_pass(days=-100)
    with pytest.raises(refusals.RequestUuidReused):
        paying.payment_make(at=place.actor, request=other.request(uuid=request.uuid))
    with pytest.raises(refusals.RequestUuidReused):
        paying.payment_make(at=elsewhere.actor, request=request)
    with pytest.raises(refusals.AlreadyPaid):
        paying.payment_make(at=elsewhere.actor, request=won.request())
    assert Payment.objects.count() == 1
    assert Transfer.objects.filter(kind="payoffice.prize").count() == 1


# --- Two persons ----------------------------------------------------------------------------------


def test_a_large_sum_at_an_entity_takes_another_operator_signed_on_there() -> None:
    (won,) = given.worth(30_000)
    place = factories.premises(KIND.ENTITY_OFFICE)
    first, second = factories.point(place), factories.point(place)
    request = won.request()
    for wrong in (None, first.actor, factories.point().actor):
        with pytest.raises(refusals.SecondPersonNeeded):
            paying.payment_make(at=first.actor, request=request, second=wrong)
    assert given.nothing_written()
    paying.payment_make(at=first.actor, request=request, second=second.actor)
    payment = Payment.objects.get()
    assert payment.second_operator == second.operator


def test_the_digest_of_a_request_is_its_canonical_form_under_djangos_key() -> None:
    request = paying.PayRequest(uuid.uuid4(), 8_550, True, code=" 1abc-dÈfg ")
    message = json.dumps(["1ABCDÈFG", "None", 8_550, True, None], sort_keys=True)
    long_way = salted_hmac("core.payoffice.request", message, algorithm="sha256")
    assert request.digest() == long_way.digest()
    with override_settings(SECRET_KEY="another" * 8):
        assert request.digest() != long_way.digest()
    assert request.digest() == long_way.digest()
