"""The database's guards on cash sessions and movements."""

import uuid

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.payoffice.models import CashMovement, CashSession
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.guards import refused

pytestmark = pytest.mark.django_db


def test_a_cash_session_is_alone_and_closed_once() -> None:
    cashier = given.cashier(float_cents=1_000)
    session = given.session_of(cashier)
    columns = {
        "premises": session.premises,
        "cashier_id": session.cashier_id,
        "opened_in_id": session.opened_in_id,
        "opened_at": clock.now(),
    }
    refused("cash_session_alone", CashSession, uuid=uuid.uuid4(), float_cents=1, **columns)
    refused("cash_session_float", CashSession, uuid=uuid.uuid4(), float_cents=-1, **columns)
    refused(
        "cash_movement_moves",
        CashMovement,
        uuid=uuid.uuid4(),
        session=session,
        cents=0,
        reason="x",
        moved_at=clock.now(),
    )
    assert session.difference_cents is None
    with pytest.raises(IntegrityError, match="cash_session_closed_whole"), transaction.atomic():
        CashSession.objects.filter(pk=session.pk).update(closed_at=clock.now())
    counted = {"closed_at": clock.now(), "expected_cents": 1_000, "counted_cents": 990}
    with pytest.raises(IntegrityError, match="cash_session_closed_whole"), transaction.atomic():
        CashSession.objects.filter(pk=session.pk).update(**counted)
    counted["count"] = {"1": 990}
    for proposal, says in (
        (None, "cash_session_difference_by_two"),
        (factories.proposal("payoffice.ruling"), "two persons are needed"),
    ):
        with pytest.raises(IntegrityError, match=says), transaction.atomic():
            CashSession.objects.filter(pk=session.pk).update(**counted, proposal=proposal)
    closed = given.cash_closed(cashier, session, 990)
    assert closed.difference_cents == -10
    with pytest.raises(IntegrityError, match="done already"), transaction.atomic():
        CashSession.objects.filter(pk=session.pk).update(counted_cents=1_000)


def test_a_difference_without_a_reason_cannot_be_written() -> None:
    cashier = given.cashier(float_cents=1_000)
    session = given.session_of(cashier)
    closed = {
        "closed_at": clock.now(),
        "expected_cents": 1_000,
        "counted_cents": 1_000,
        "count": {"1000": 1},
        "difference_reason": "other",
    }
    constraint = "cash_session_difference_explained"
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        CashSession.objects.filter(pk=session.pk).update(**closed)
