"""The database's guards on the stock of prizes in kind (15.III.6.5)."""

import uuid
from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from core.database import clock
from core.payoffice.models import Claim, Exchange, StockItem, StockMovement
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


def move(thing: StockItem, units: int, **changes: Any) -> StockMovement:
    """Move units at the place where the thing was taken in first."""
    stocked = thing.movements.order_by("pk").first()
    columns: dict[str, Any] = {
        "uuid": uuid.uuid4(),
        "item": thing,
        "units": units,
        "premises": stocked.premises if stocked else given.office(),
        "reason": "x",
        "staff_id": factories.staff(Role.SUPERVISOR).user_id,
        "moved_at": clock.now(),
    }
    if units < 0 and "proposal" not in changes:
        columns["proposal"] = factories.proposal("payoffice.stock_out")
    movement: StockMovement = StockMovement.objects.create(**(columns | changes))
    return movement


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


def test_nothing_goes_out_by_one_person() -> None:
    bike = item("bike")
    move(bike, 2)
    for proposal, says in (
        (None, "stock_out_by_two"),
        (factories.proposal("payoffice.ruling"), "two persons are needed"),
    ):
        with pytest.raises(IntegrityError, match=says), transaction.atomic():
            move(bike, -1, proposal=proposal)


def test_a_large_exchange_by_one_person_is_refused_and_so_is_another_amount() -> None:
    columns = {
        "request_digest": bytes(32),
        "item": item("bike"),
        "exchanged_at": clock.now(),
        "premises": given.office(),
        "staff_id": given.cashier().user_id,
    }
    for cents, says in ((30_000, "exchange_large_by_two"), (29_999, "no act on record")):
        with pytest.raises(IntegrityError, match=says), transaction.atomic():
            claim = Claim.objects.create(
                game="promotrot",
                document_id=1,
                state=Claim.State.EXCHANGED,
                amount_cents=30_000,
                opened_at=clock.now(),
            )
            Exchange.objects.create(uuid=uuid.uuid4(), claim=claim, amount_cents=cents, **columns)
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
