"""Paying at terminals and desks: by the tiers and dates, once, and every refusal (14.III.10)."""

import dataclasses
import datetime
import uuid
from zoneinfo import ZoneInfo

import pytest

from core.database import clock
from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.kernel.days import natural_day
from core.kernel.errors import DomainError
from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.payoffice import accounts, refusals
from core.payoffice.models import Cheque, Claim, Payee, Payment, Presentation
from core.payoffice.services import desk, paying
from core.payoffice.services.personal_data import payee_decrypt
from core.payoffice.services.presenting import presentation_make
from core.payoffice.sources import DocumentUnknown
from core.premises.access import PremisesNotAuthorised
from core.premises.models import Authorisation, Premises
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot import accounts as lototrot
from lototrot.models.tickets import Void
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.10.2", "14.III.10.4")]

KIND = Premises.Kind


@pytest.fixture(autouse=True)
def noon() -> None:
    factories.time_to(rounds.NOON)


def nothing_written() -> bool:
    return not (
        Claim.objects.exists()
        or Payment.objects.exists()
        or Payee.objects.exists()
        or Cheque.objects.exists()
        or Transfer.objects.filter(kind__startswith="payoffice").exists()
    )


def refused(error: type[DomainError], place: factories.Point, request: paying.PayRequest) -> None:
    """The terminal is refused so, and nothing is written."""
    with pytest.raises(error):
        paying.payment_make(at=place.actor, request=request)
    assert nothing_written()


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
    """[C2, C3, C4]: 120.00 and 299.99 at an establishment, 300.00 not; 1,000.00 is cash."""
    here, there, desk_one = given.worth(cents, cents, cents)
    bar, entity = factories.point(), factories.point(factories.premises(KIND.ENTITY_OFFICE))
    payee = given.MARIA if means == "nominative_cheque" else None
    if establishment:
        paid = paying.payment_make(at=bar.actor, request=here.request())
        assert (paid.amount_cents, paid.means) == (cents, "cash")
        assert given.balance(ledger.premises_account(bar.premises.pk)) == -cents
    else:
        refused(refusals.PlaceNotAllowed, bar, here.request(payee=payee))
    if cents > 12_000:
        paid = paying.payment_make(at=entity.actor, request=there.request(payee=payee))
        assert paid.means == means
    else:
        with pytest.raises(refusals.PlaceNotAllowed):
            paying.payment_make(at=entity.actor, request=there.request())
    cashier = given.cashier()
    answer = desk.desk_pay(by=cashier, request=desk_one.request(payee=payee))
    assert isinstance(answer, paying.Paid)
    assert answer.means == means
    held = 10_000_000 - (cents if means == "cash" else 0)
    assert given.balance(accounts.cash(given.session_of(cashier).pk)) == held


@pytest.mark.article("14.III.10.6")
def test_a_cheque_is_numbered_and_names_its_payee_in_the_vault_only() -> None:
    """[C3]"""
    first, second, cash = given.worth(100_001, 250_000, 99_999)
    cashier = given.cashier()
    for request in (first.request(), second.request()):
        with pytest.raises(refusals.PayeeMissing):
            desk.desk_pay(by=cashier, request=request)
    with pytest.raises(refusals.PayeeNotNeeded):
        desk.desk_pay(by=cashier, request=cash.request(payee=given.MARIA))
    assert nothing_written() or Transfer.objects.filter(kind="payoffice.float").count() == 1
    answers = [
        desk.desk_pay(by=cashier, request=each.request(payee=given.MARIA))
        for each in (first, second)
    ]
    assert [answer.cheque for answer in answers] == [1, 2]
    cheque = Cheque.objects.get(number=2)
    assert (cheque.amount_cents, cheque.state) == (250_000, "issued")
    assert payee_decrypt(cheque.payee) == given.MARIA
    assert b"Ferrer" not in bytes(cheque.payee.encrypted)
    assert given.balance(accounts.cheques()) == 350_001


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
    made = given.contest(day=results)
    sold = given.tickets(made, 4)
    order = given.order(made, {each.ticket.pk: 500 for each in sold}, results_day=results)
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
    assert given.balance(lototrot.held(made.pk)) == 0
    assert given.balance(lototrot.prizes_payable(made.pk)) == 1000


@pytest.mark.article("14.III.8.1", "14.III.8.2")
def test_nothing_before_the_order_nor_before_the_day_after_the_results() -> None:
    """[D5], with results a day after the meeting."""
    made = given.contest()
    (sold,) = given.tickets(made, 1)
    ticket = given.Presented(sold.ticket, sold.code, 500)
    place = factories.point()
    refused(refusals.NothingDecided, place, ticket.request())
    factories.time_pass(days=1)
    given.order(made, {ticket.ticket.pk: 500})
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
    refused(CodeForged, place, won.request(code=forged()))
    refused(DocumentUnknown, place, won.request(code=unknown()))
    refused(refusals.NoPrize, place, lost.request(amount_cents=1))
    refused(refusals.DocumentVoid, place, void.request(amount_cents=100))
    refused(refusals.DocumentAltered, place, won.request(intact=False))
    refused(refusals.AmountDiffers, place, won.request(amount_cents=501))
    Authorisation.objects.filter(premises=place.premises).update(valid_until=clock.now())
    refused(PremisesNotAuthorised, place, won.request())


def forged() -> str:
    """A code whose check character is right, made without the keys."""
    from core.kernel.codes import _check

    body = "1" + "A" * 22
    return body + _check(body)


def unknown() -> str:
    """An authentic code of no ticket."""
    from django.conf import settings

    from core.kernel import codes

    return codes.issue(codes.TICKET, uuid.uuid4(), bytes(32), settings.CODE_KEYS).shown


def test_an_office_pays_only_from_an_open_session_that_holds_enough() -> None:
    big, small = given.worth(50_000, 500)
    central = factories.point(given.office())
    refused(refusals.CashSessionMissing, central, small.request())
    idle = factories.staff(Role.CASHIER)
    with pytest.raises(refusals.CashSessionMissing):
        desk.desk_pay(by=idle, request=small.request())
    with pytest.raises(PowerMissing):
        desk.desk_pay(by=factories.staff(Role.ADMINISTRATOR), request=small.request())
    poor = given.cashier(float_cents=1_000)
    with pytest.raises(refusals.CashShort):
        desk.desk_pay(by=poor, request=big.request())
    assert isinstance(desk.desk_pay(by=poor, request=small.request()), paying.Paid)


# --- Once -----------------------------------------------------------------------------------------


def test_the_same_request_gets_the_same_answer_for_ever() -> None:
    """A retry, also after its last day; another content or terminal under the UUID is refused."""
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


def test_a_presented_document_is_presented_once_and_paid_once() -> None:
    (won,) = given.worth(500)
    place = factories.point()
    first = presentation_make(at=place.actor, code=won.code)
    assert presentation_make(at=factories.point().actor, code=won.code) == first
    assert given.balance(lototrot.held(won.contest.pk)) == 500
    paying.payment_make(at=place.actor, request=won.request())
    with pytest.raises(refusals.AlreadyPaid):
        presentation_make(at=place.actor, code=won.code)
    assert Presentation.objects.count() == 1


# --- Two persons ----------------------------------------------------------------------------------


def test_a_large_sum_at_a_desk_takes_two_persons_and_counts_as_presented() -> None:
    (won,) = given.worth(300_001)
    cashier, other = given.cashier(), factories.staff(Role.SUPERVISOR)
    request = won.request(payee=given.MARIA)
    proposal = desk.desk_pay(by=cashier, request=request)
    assert isinstance(proposal, Proposal)
    assert desk.desk_pay(by=cashier, request=request) == proposal
    assert "Ferrer" not in str(proposal.content)
    factories.time_pass(days=60)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=cashier)
    two_persons.confirm(proposal=proposal.uuid, by=other)
    payment = Payment.objects.get()
    assert (payment.proposal, payment.staff_id) == (proposal, cashier.user_id)
    answer = desk.desk_pay(by=cashier, request=request)
    assert isinstance(answer, paying.Paid)
    assert (answer.replayed, answer.cheque) == (True, 1)


def test_a_large_sum_at_an_entity_takes_another_operator_signed_on_there() -> None:
    (won,) = given.worth(300_001)
    place = factories.premises(KIND.ENTITY_OFFICE)
    first, second = factories.point(place), factories.point(place)
    request = won.request(payee=given.MARIA)
    for wrong in (None, first.actor, factories.point().actor):
        with pytest.raises(refusals.SecondPersonNeeded):
            paying.payment_make(at=first.actor, request=request, second=wrong)
    assert nothing_written()
    paying.payment_make(at=first.actor, request=request, second=second.actor)
    payment = Payment.objects.get()
    assert payment.second_operator == second.operator
