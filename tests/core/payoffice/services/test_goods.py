"""Prizes in kind: their stock, and the exchange for them (15.III.6.5)."""

import dataclasses
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.payoffice import accounts, refusals
from core.payoffice.models import (
    Exchange,
    StockItem,
    StockMovement,
)
from core.payoffice.services import (
    checking,
    deposits,
    desk,
    finding,
    goods,
    paying,
    slips,
)
from core.premises.requests import new_uuid
from core.receipts import text
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("15.III.6.5")
def test_a_prize_in_kind_is_exchanged_or_paid_as_the_winner_chooses() -> None:
    """[P4]: at the Central Office only, the thing or its equivalent; the stock is kept."""
    thing, money = given.bicycles()
    who, stocker = given.cashier(), factories.staff(Role.SUPERVISOR)
    place = given.session_of(who).premises
    for asked in (thing, money):
        with pytest.raises(refusals.ThingPlaceNotAllowed):
            paying.payment_make(at=factories.point().actor, request=asked.request())
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=thing.code)
    with pytest.raises(goods.ItemUnknown):
        goods.exchange_make(by=who, request=request)
    item = {"code": "bicycle", "description": "Bicycle", "unit_cents": 400}
    for _ in range(2):
        goods.stock_register(by=stocker, **item)
    with pytest.raises(goods.ItemDiffers):
        goods.stock_register(by=stocker, **item | {"unit_cents": 401})
    with pytest.raises(refusals.OutOfStock):
        goods.exchange_make(by=who, request=request)
    given.stock_moved(stocker, place, 1)
    exchange = goods.exchange_make(by=who, request=request)
    assert isinstance(exchange, Exchange)
    at_a_bar = checking.document_check(at=factories.point().actor, code=thing.code)
    assert at_a_bar.paid == checking.PaidEarlier(exchange.exchanged_at, here=False)
    assert goods.exchange_make(by=who, request=request) == exchange
    with pytest.raises(refusals.AlreadyExchanged):
        desk.desk_pay(by=who, request=thing.request())
    assert isinstance(desk.desk_pay(by=who, request=money.request()), paying.Paid)
    with pytest.raises(refusals.AlreadyPaid):
        goods.exchange_make(
            by=who, request=goods.ExchangeRequest(new_uuid(), intact=True, code=money.code)
        )
    assert goods.stock_units(StockItem.objects.get()) == 0
    lost = {"by": stocker, "item": "bicycle", "premises": place.code, "reason": "Lost."}
    with pytest.raises(refusals.OutOfStock):
        goods.stock_move(**lost, units=-1)
    assert given.balance(accounts.goods()) == 0
    rounds.books_agree()
    with pytest.raises(IntegrityError, match="not so many"), transaction.atomic():
        StockMovement.objects.create(
            uuid=uuid.uuid4(),
            item=StockItem.objects.get(),
            units=-1,
            premises=place,
            reason="x",
            staff_id=who.user_id,
            moved_at=clock.now(),
        )


@pytest.mark.article("15.III.6.5")
def test_a_thing_is_handed_over_where_there_is_one() -> None:
    """The office that had none gave one out, and its count and the other place's were wrong."""
    voucher, _ = given.bicycles()
    who, store = given.cashier(), given.office()
    counter, stocker = given.session_of(who).premises, given.stocked(store)
    with pytest.raises(refusals.OutOfStock):
        goods.stock_move(by=stocker, item="bicycle", premises=counter.code, units=-1, reason="x")
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=voucher.code)
    exchange = goods.exchange_make(by=who, request=request)
    assert isinstance(exchange, Exchange)
    assert (exchange.premises, exchange.movement.premises) == (counter, store)
    paper = text.render(slips.exchange_document(exchange, "en"))
    assert paper.count(store.name) == 1 and paper.count(counter.code) == 1
    rounds.books_agree()


@pytest.mark.article("15.III.6.5")
@pytest.mark.parametrize("units", [-2, 2])
def test_one_person_alone_moves_nothing(units: int) -> None:
    """A supervisor registered a yacht and took it in: the treasury was short of any sum."""
    place = given.office()
    stocker, item = given.stocked(place, 3), StockItem.objects.get()
    before = given.balance(accounts.treasury())
    of = {"by": stocker, "item": "bicycle", "premises": place.code, "reason": "Counted."}
    proposal = goods.stock_move(**of, units=units)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=stocker)
    with pytest.raises(two_persons.ProposalPending):
        goods.stock_move(**of, units=1)
    assert (goods.stock_units(item), given.balance(accounts.treasury())) == (3, before)
    given.confirmed(proposal)
    after = 3 + units
    assert (goods.stock_units(item), given.balance(accounts.goods())) == (after, after * 400)
    assert given.balance(accounts.treasury()) == before - units * 400
    movement = StockMovement.objects.get(units=units)
    assert (movement.proposal, movement.staff_id) == (proposal, stocker.user_id)
    rounds.books_agree()


def test_what_is_rejected_or_lapses_is_not_taken_in() -> None:
    place = given.office()
    stocker = given.stocked(place)
    of = {"by": stocker, "item": "bicycle", "premises": place.code, "reason": "Counted."}
    two_persons.reject(proposal=goods.stock_move(**of, units=5).uuid, by=stocker)
    late = goods.stock_move(**of, units=5)
    factories.time_pass(hours=25)
    with pytest.raises(two_persons.ProposalOld):
        given.confirmed(late)
    assert given.balance(accounts.goods()) == 400


def test_what_has_left_meanwhile_does_not_go_out_again() -> None:
    voucher, _ = given.bicycles()
    who = given.cashier()
    place = given.session_of(who).premises
    stocker = given.stocked(place)
    of = {"by": stocker, "item": "bicycle", "premises": place.code, "reason": "Lost."}
    lost = goods.stock_move(**of, units=-1)
    goods.exchange_make(by=who, request=goods.ExchangeRequest(new_uuid(), True, voucher.code))
    with pytest.raises(refusals.OutOfStock):
        given.confirmed(lost)
    rounds.books_agree()


def test_a_thing_comes_in_at_two_places_at_once() -> None:
    one, other = given.office(), given.office()
    stocker = given.stocked(one)
    of = {"by": stocker, "item": "bicycle", "reason": "Delivered."}
    waiting = [goods.stock_move(**of, premises=at.code, units=1) for at in (one, other)]
    for proposal in waiting:
        given.confirmed(proposal)
    assert goods.units_by_place(StockItem.objects.get()) == {one.pk: 2, other.pk: 1}


def test_a_thing_with_a_long_name_leaves_the_stock() -> None:
    """Its proposal ended with an error of the database: the subject was too long."""
    place, code = given.office(), "b" * 80
    proposal = given.stock_moved(given.stocked(place, code=code), place, -1, code)
    assert proposal.subject == f"stock:{code}:{place.code}"


def test_the_uuid_of_a_payment_is_none_of_an_exchange() -> None:
    """It ended with an error of the database."""
    thing, money = given.bicycles()
    who = given.cashier()
    given.session_of(who)
    paid = money.request()
    desk.desk_pay(by=who, request=paid)
    request = goods.ExchangeRequest(paid.uuid, intact=True, code=thing.code)
    with pytest.raises(refusals.RequestUuidReused):
        goods.exchange_make(by=who, request=request)
    assert not Exchange.objects.exists()


def exchange_that_waits() -> tuple[StaffActor, goods.ExchangeRequest, Proposal]:
    """Return a cashier, what they asked for one bicycle in stock, and the proposal of it."""
    thing, _ = given.bicycles()
    who = given.cashier()
    given.stocked(given.session_of(who).premises)
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=thing.code)
    proposal = goods.exchange_make(by=who, request=request)
    assert isinstance(proposal, Proposal)
    return who, request, proposal


@pytest.mark.article("15.III.6.5")
def test_the_same_request_gets_the_same_proposal(settings: Any) -> None:
    """It was told that a proposal waits, and not which."""
    settings.SECOND_PERSON_FROM_CENTS = 400
    who, request, proposal = exchange_that_waits()
    assert goods.exchange_make(by=who, request=request) == proposal
    altered = dataclasses.replace(request, intact=False)
    with pytest.raises(refusals.RequestUuidReused):
        goods.exchange_make(by=who, request=altered)
    given.confirmed(proposal)
    assert goods.exchange_make(by=who, request=request) == Exchange.objects.get()
    rounds.books_agree()


@pytest.mark.article("15.III.6.5")
@pytest.mark.parametrize("use", ["deposit", "payment"])
def test_a_proposed_exchange_is_refused_once_its_uuid_is_another_papers(
    use: str, settings: Any
) -> None:
    settings.SECOND_PERSON_FROM_CENTS = 400
    (other,) = given.worth(300)
    who, request, proposal = exchange_that_waits()
    if use == "payment":
        given.paid_alone(who, other.request(uuid=request.uuid))
    else:
        taken = deposits.DepositRequest(request.uuid, "damaged", code=other.code)
        deposits.deposit_take(at=who, request=taken)
    with pytest.raises(refusals.RequestUuidReused):
        given.confirmed(proposal)
    assert not Exchange.objects.exists()


@pytest.mark.article("15.III.6.5")
def test_nothing_is_given_out_by_a_cashier_who_has_closed_the_session(settings: Any) -> None:
    """As no money is paid from a closed session. Another cashier gives it out."""
    settings.SECOND_PERSON_FROM_CENTS = 400
    who, request, proposal = exchange_that_waits()
    place = given.session_of(who).premises
    given.cash_closed(who, given.session_of(who), 10_000_000)
    with pytest.raises(refusals.CashSessionMissing):
        given.confirmed(proposal)
    assert goods.stock_units(StockItem.objects.get()) == 1
    two_persons.reject(proposal=proposal.uuid, by=who)
    request = dataclasses.replace(request, uuid=new_uuid())
    proposal = goods.exchange_make(by=given.cashier(place), request=request)
    assert isinstance(proposal, Proposal)
    given.confirmed(proposal)
    assert goods.stock_units(StockItem.objects.get()) == 0
    rounds.books_agree()


@pytest.mark.article("15.III.6.5")
def test_nothing_is_given_out_where_the_session_is_closed_while_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One person is enough for it, who closes the session at the same moment."""
    thing, _ = given.bicycles()
    who = given.cashier()
    session = given.session_of(who)
    given.stocked(session.premises)
    given.cash_closed(who, session, 10_000_000)
    monkeypatch.setattr(goods, "cash_session_of", lambda by: session)
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=thing.code)
    with pytest.raises(refusals.CashSessionMissing):
        goods.exchange_make(by=who, request=request)
    assert goods.stock_units(StockItem.objects.get()) == 1


@pytest.mark.article("15.III.6.5", "15.III.6.6")
def test_a_thing_asked_for_on_its_last_day_does_not_lapse_before_the_second_person(
    settings: Any,
) -> None:
    """Its voucher counts as presented, as one that two persons pay."""
    settings.SECOND_PERSON_FROM_CENTS = 400
    thing, _ = given.bicycles()
    place = given.office()
    given.stocked(place)
    payable = finding.by_code(thing.code)
    assert payable.last_claim_day is not None
    factories.time_to(day_bounds(payable.last_claim_day)[1] - timedelta(minutes=30))
    who = given.cashier(place)
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=thing.code)
    proposal = goods.exchange_make(by=who, request=request)
    assert isinstance(proposal, Proposal)
    assert goods.exchange_make(by=who, request=request) == proposal
    factories.time_pass(hours=9)
    source, today = finding.source_of(payable), natural_day(clock.now())
    for group in source.lapses_due(today):
        source.lapse(group, today)
    given.confirmed(proposal)
    assert Exchange.objects.get().claim.state == "exchanged"
    rounds.books_agree()
