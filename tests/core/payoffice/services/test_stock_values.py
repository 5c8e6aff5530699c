"""The value of a thing that was registered wrongly is put right by two persons (15.III.6.5)."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, transaction

from core.database import clock
from core.database.clock import row_uuid
from core.journal.rules import broken
from core.ledger.books import differences
from core.payoffice import accounts, journal_rules
from core.payoffice.models import Exchange, StockCorrection, StockItem
from core.payoffice.services import goods, stock_values
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.api import staff_api

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("noon"),
    pytest.mark.article("15.III.6.5"),
]
CODE = "bicycle"


def corrected(by: StaffActor, unit_cents: int, **changes: Any) -> Proposal:
    """Propose another value of the bicycle, which was registered with 4.00."""
    asked = {"item": CODE, "unit_cents": unit_cents, "reason": "A zero too many."} | changes
    return stock_values.stock_correct(by=by, **asked)


def balances() -> tuple[int, int]:
    """Return what the books say of the things in stock, and of what handing over cost."""
    return given.balance(accounts.goods()), given.balance(accounts.goods_differences())


def exchanged(who: StaffActor, voucher: given.Presented) -> Exchange | Proposal:
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=voucher.code)
    return goods.exchange_make(by=who, request=request)


def rules_broken() -> list[str]:
    return [rule.name for rule in journal_rules.RULES if list(broken(rule))]


@pytest.mark.parametrize("unit_cents", [40, 4_000])
def test_the_books_are_as_if_the_thing_had_been_registered_right(unit_cents: int) -> None:
    """Also what was handed over at the wrong value. It could never be put right."""
    voucher, _ = given.bicycles()
    who = given.cashier()
    place = given.session_of(who).premises
    keeper = given.stocked(place, 3)
    exchange = exchanged(who, voucher)
    treasury = given.balance(accounts.treasury())
    assert balances() == (800, 0)
    proposal = corrected(keeper, unit_cents)
    assert proposal.content["cents"] == 3 * (unit_cents - 400)
    assert balances() == (800, 0)
    given.confirmed(proposal)
    assert StockItem.objects.get().unit_cents == unit_cents
    assert balances() == (2 * unit_cents, 400 - unit_cents)
    assert given.balance(accounts.treasury()) == treasury - 3 * (unit_cents - 400)
    correction = StockCorrection.objects.get()
    assert (correction.units, correction.handed_over) == (3, 1)
    assert Exchange.objects.get() == exchange and Exchange.objects.get().unit_cents == 400
    given.stock_moved(keeper, place, 2)
    given.confirmed(corrected(keeper, 500))
    assert balances() == (4 * 500, -100)
    rounds.books_agree()
    assert rules_broken() == []


def test_one_person_alone_corrects_nothing_and_only_who_keeps_the_stock_begins() -> None:
    keeper = given.stocked(given.office())
    proposal = corrected(keeper, 40)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=keeper)
    with pytest.raises(two_persons.ProposalPending):
        corrected(factories.staff(Role.ORGANISER), 41)
    for role in (Role.CASHIER, Role.AUDITOR):
        with pytest.raises(PowerMissing):
            corrected(factories.staff(role), 40)
    assert StockItem.objects.get().unit_cents == 400
    assert balances() == (400, 0)


@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (goods.ItemUnknown, {"item": "boat"}),
        (stock_values.ValueWrong, {"unit_cents": 400}),
        (stock_values.ValueWrong, {"unit_cents": 0}),
        (stock_values.ValueWrong, {"unit_cents": -1}),
        (stock_values.ValueWrong, {"unit_cents": 2**31}),
        (stock_values.ValueWrong, {"unit_cents": 2**63}),
        (stock_values.ValueWrong, {"reason": " "}),
    ],
)
def test_what_is_no_correction_is_refused(error: type[Exception], changes: Any) -> None:
    """The books hold ten thousand million euros in one act at most, for all units together."""
    given.stocked(given.office(), 1_000)
    with pytest.raises(error):
        corrected(factories.staff(Role.SUPERVISOR), **{"unit_cents": 40} | changes)


def test_a_thing_that_never_came_in_is_corrected_and_moves_no_money() -> None:
    keeper = factories.staff(Role.SUPERVISOR)
    goods.stock_register(by=keeper, code=CODE, description="Bicycle", unit_cents=400)
    treasury = given.balance(accounts.treasury())
    given.confirmed(corrected(keeper, 40_000))
    assert given.balance(accounts.treasury()) == treasury
    assert StockItem.objects.get().unit_cents == 40_000
    assert rules_broken() == [] and differences()[1] == []


def test_what_came_in_meanwhile_was_in_no_sum_that_two_persons_read() -> None:
    place = given.office()
    keeper = given.stocked(place)
    waiting = corrected(keeper, 40)
    given.stock_moved(keeper, place, 1)
    with pytest.raises(goods.StockChanged):
        given.confirmed(waiting)
    two_persons.reject(proposal=waiting.uuid, by=keeper)
    given.confirmed(corrected(keeper, 40))
    assert balances() == (80, 0)


def test_what_was_to_come_in_at_the_wrong_value_is_proposed_again() -> None:
    place = given.office()
    keeper = given.stocked(place)
    of = {"by": keeper, "item": CODE, "premises": place.code, "reason": "Delivered."}
    waiting = goods.stock_move(**of, units=2)
    given.confirmed(corrected(keeper, 40))
    with pytest.raises(goods.StockChanged):
        given.confirmed(waiting)
    assert balances() == (40, 0)


def test_what_is_handed_over_meanwhile_is_corrected_too() -> None:
    """An office that exchanges all day could never correct a value otherwise."""
    voucher, _ = given.bicycles()
    who = given.cashier()
    keeper = given.stocked(given.session_of(who).premises, 2)
    waiting = corrected(keeper, 40)
    exchanged(who, voucher)
    given.confirmed(waiting)
    assert balances() == (40, 360)
    rounds.books_agree()


def test_it_is_proposed_over_the_api_once() -> None:
    given.stocked(given.office())
    api = staff_api(Role.SUPERVISOR)
    body = {"unit_cents": 40, "reason": "A zero too many."}
    path = f"office/stock/{CODE}/corrections"
    proposal = api.post(path, body)
    assert proposal.status_code == 202, proposal.content
    assert api.post(path, body).json()["code"] == "proposal_pending"
    assert given.confirmed_over_api(proposal.json()).status_code == 200
    assert api.post(path, body).json()["code"] == "stock_value_wrong"
    for unit_cents in (0, 2**63, 10**12 + 1):
        assert api.post(path, body | {"unit_cents": unit_cents}).status_code == 422


# --- A thing of great value, and a voucher of a small one -----------------------------------------


@pytest.mark.parametrize("unit_cents", [29_999, 30_000])
def test_a_dear_thing_takes_two_persons_whatever_its_equivalent_is(unit_cents: int) -> None:
    """A cashier alone handed out what cost the treasury any sum, for a voucher of 4.00."""
    voucher, _ = given.bicycles()
    who = given.cashier()
    keeper = given.stocked(given.session_of(who).premises)
    given.confirmed(corrected(keeper, unit_cents))
    outcome = exchanged(who, voucher)
    assert isinstance(outcome, Exchange if unit_cents < 30_000 else Proposal)
    if isinstance(outcome, Proposal):
        given.confirmed(outcome)
    assert Exchange.objects.get().unit_cents == unit_cents
    rounds.books_agree()
    assert rules_broken() == []


def test_who_confirms_an_exchange_reads_the_thing_and_its_value() -> None:
    """They read 4.00, the equivalent, and handed over what cost any sum."""
    voucher, _ = given.bicycles()
    who = given.cashier()
    keeper = given.stocked(given.session_of(who).premises)
    given.confirmed(corrected(keeper, 30_000))
    outcome = exchanged(who, voucher)
    assert isinstance(outcome, Proposal)
    assert (outcome.content["item"], outcome.content["unit_cents"]) == (CODE, 30_000)
    given.confirmed(corrected(keeper, 300_000))
    with pytest.raises(goods.StockChanged):
        given.confirmed(outcome)
    two_persons.reject(proposal=outcome.uuid, by=who)
    again = exchanged(who, voucher)
    assert isinstance(again, Proposal)
    given.confirmed(again)
    assert Exchange.objects.get().unit_cents == 300_000


def test_the_database_refuses_a_dear_thing_of_one_person(settings: LazySettings) -> None:
    voucher, _ = given.bicycles()
    who = given.cashier()
    keeper = given.stocked(given.session_of(who).premises)
    given.confirmed(corrected(keeper, 30_000))
    settings.SECOND_PERSON_FROM_CENTS = 10**9
    with pytest.raises(IntegrityError, match="exchange_large_by_two"), transaction.atomic():
        exchanged(who, voucher)


# --- The database alone ---------------------------------------------------------------------------


def row(item: StockItem, **changes: Any) -> StockCorrection:
    """Write a correction of the bicycle to 0.40 as the application's role could, past the service.

    A change that begins with `named_` is one of what two persons confirmed.
    """
    facts = {"from_cents": 400, "to_cents": 40, "units": 1, "reason": "x"}
    named = {n.removeprefix("named_"): v for n, v in changes.items() if n.startswith("named_")}
    content = {"item": item.code, "cents": -360} | facts | named
    columns: dict[str, Any] = facts | {
        "uuid": row_uuid(clock.now()),
        "item": item,
        "handed_over": 0,
        "corrected_at": clock.now(),
    }
    columns |= {name: value for name, value in changes.items() if not name.startswith("named_")}
    columns.setdefault(
        "proposal", factories.proposal("payoffice.stock_correction", content=content)
    )
    correction: StockCorrection = StockCorrection.objects.create(**columns)
    return correction


@pytest.mark.parametrize(
    "changes",
    [
        {"named_item": "boat"},
        {"named_from_cents": 401},
        {"named_to_cents": 41},
        {"named_units": 2},
        {"named_reason": "y"},
        {"from_cents": 401, "named_from_cents": 401},
        {"units": 2, "named_units": 2},
        {"handed_over": 1},
    ],
)
def test_a_correction_that_two_persons_did_not_name_is_refused(changes: Any) -> None:
    given.stocked(given.office())
    item = StockItem.objects.get()
    with (
        pytest.raises(IntegrityError, match=r"confirmed another|it has another value"),
        transaction.atomic(),
    ):
        row(item, **changes)
    row(item)
    item.refresh_from_db()
    assert item.unit_cents == 40


def test_the_value_changes_with_a_correction_alone() -> None:
    given.stocked(given.office())
    item = StockItem.objects.get()
    with pytest.raises(IntegrityError, match="two persons correct"), transaction.atomic():
        StockItem.objects.update(unit_cents=40)
    other = factories.proposal("payoffice.ruling")
    with pytest.raises(IntegrityError, match="two persons are needed"), transaction.atomic():
        row(item, proposal=other)
    row(item)
    with pytest.raises(IntegrityError, match="two persons correct"), transaction.atomic():
        StockItem.objects.update(unit_cents=400)
