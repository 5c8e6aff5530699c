"""The database's guards on the stock of prizes in kind (15.III.6.5)."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from core.database import clock
from core.payoffice.models import Claim, Exchange, StockItem, StockMovement
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.5")]


def item(code: str, unit_cents: int = 400) -> StockItem:
    stock_item: StockItem = StockItem.objects.create(
        code=code,
        description=code,
        unit_cents=unit_cents,
        recorded_at=clock.now(),
    )
    return stock_item


def named(columns: dict[str, Any], **changes: Any) -> Proposal:
    """Return a confirmed proposal of the movement, in which the changes are named instead."""
    content = {
        "item": columns["item"].code,
        "premises": columns["premises"].code,
        "units": columns["units"],
        "cents": columns["units"] * columns["item"].unit_cents,
        "reason": columns["reason"],
    }
    return factories.proposal("payoffice.stock_movement", content=content | changes)


def move(thing: StockItem, units: int, **changes: Any) -> StockMovement:
    """Move units at the place where the thing was taken in first."""
    stocked = thing.movements.order_by("pk").first()
    columns: dict[str, Any] = {
        "uuid": uuid.uuid4(),
        "item": thing,
        "units": units,
        "premises": stocked.premises if stocked else given.office(),
        "reason": "x",
        "moved_at": clock.now(),
    }
    columns |= changes
    if "proposal" not in columns:
        columns["proposal"] = named(columns)
    if "staff_id" not in columns:
        columns["staff_id"] = columns["proposal"].proposed_by_id
    movement: StockMovement = StockMovement.objects.create(**columns)
    return movement


def refused(says: str, act: Callable[..., Any], *of: Any, **changes: Any) -> None:
    with pytest.raises(IntegrityError, match=says), transaction.atomic():
        act(*of, **changes)


def test_the_stock_of_a_thing_is_never_negative() -> None:
    bike, boat = item("bike"), item("boat")
    move(boat, 5)
    move(bike, 2)
    move(bike, -2)
    with pytest.raises(IntegrityError, match="not so many are in stock"), transaction.atomic():
        move(bike, -1)
    with pytest.raises(IntegrityError, match="in stock there"), transaction.atomic():
        move(boat, -1, premises=given.office())
    assert str(move(boat, -5)) == "boat -5"


@pytest.mark.parametrize("units", [-1, 1])
def test_things_come_in_and_go_out_as_two_persons_named_them(units: int) -> None:
    bike, boat, place = item("bike"), item("boat"), given.office()
    first = move(bike, 2, premises=place)
    columns = {"item": bike, "units": units, "premises": place, "reason": "x"}
    other = factories.staff(Role.SUPERVISOR).user_id
    refused("stock_moved_by_two", move, bike, units, proposal=None, staff_id=other)
    refused(
        "two persons are needed", move, bike, units, proposal=factories.proposal("payoffice.ruling")
    )
    for changed in (
        {"item": boat.code},
        {"premises": given.office().code},
        {"units": units * 2},
        {"cents": units * 399},
        {"reason": "y"},
    ):
        refused("confirmed another", move, bike, units, proposal=named(columns, **changed))
    refused("confirmed another", move, bike, units, proposal=named(columns), staff_id=other)
    refused("proposal", move, bike, 2, proposal=first.proposal)
    move(bike, units, proposal=named(columns))


@pytest.mark.parametrize(
    ("cents", "unit_cents", "says"),
    [
        (30_000, 400, "exchange_large_by_two"),
        (29_999, 400, "no act on record"),
        (30_000, 401, "another value"),
    ],
)
def test_a_large_exchange_by_one_person_is_refused_and_so_is_another_amount(
    cents: int, unit_cents: int, says: str
) -> None:
    voucher, _ = given.bicycles()
    with pytest.raises(IntegrityError, match=says), transaction.atomic():
        claim = Claim.objects.create(
            game="promotrot",
            document_id=voucher.ticket.pk,
            state=Claim.State.EXCHANGED,
            amount_cents=30_000,
            opened_at=clock.now(),
        )
        Exchange.objects.create(
            uuid=uuid.uuid4(),
            claim=claim,
            amount_cents=cents,
            unit_cents=unit_cents,
            request_digest=bytes(32),
            item=item("bicycle"),
            exchanged_at=clock.now(),
            premises=given.office(),
            staff_id=given.cashier().user_id,
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_movement_moves_something() -> None:
    with pytest.raises(IntegrityError, match="stock_movement_moves"), transaction.atomic():
        move(item("bike"), 0)


def test_a_thing_has_one_name_and_a_value() -> None:
    item("bike")
    with pytest.raises(IntegrityError, match="stock_unit_value"), transaction.atomic():
        item("boat", unit_cents=0)
    with pytest.raises(IntegrityError, match="unique"), transaction.atomic():
        item("bike")


def test_movements_stay_as_they_are() -> None:
    movement = move(item("bike"), 2)
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        StockMovement.objects.filter(pk=movement.pk).update(units=3)
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        StockMovement.objects.filter(pk=movement.pk).delete()
