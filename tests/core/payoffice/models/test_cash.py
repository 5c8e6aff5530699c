"""The database's guards on cash sessions and movements."""

import uuid
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.payoffice.counting import fewest
from core.payoffice.models import CashMovement, CashSession
from core.payoffice.services.cash import cash_close, cash_move
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.counting import counted as drawer_counted
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
        "cash_taken_by_two",
        CashMovement,
        uuid=uuid.uuid4(),
        session=session,
        cents=0,
        reason="x",
        moved_at=clock.now(),
    )
    assert session.difference_cents is None
    partly = {"expected_cents": 1_000, "counted_cents": 990}
    with pytest.raises(IntegrityError, match="cash_session_closed_whole"), transaction.atomic():
        CashSession.objects.filter(pk=session.pk).update(**partly)
    closed = given.cash_closed(cashier, session, 990)
    assert closed.difference_cents == -10
    with pytest.raises(IntegrityError, match="done already"), transaction.atomic():
        CashSession.objects.filter(pk=session.pk).update(counted_cents=1_000)


@pytest.mark.parametrize(
    ("expected_cents", "reason", "words"),
    [(1_000, "other", ""), (1_000, "other", "Why."), (1_001, "", ""), (1_001, "other", "")],
)
def test_a_difference_alone_has_a_reason_with_words(
    expected_cents: int, reason: str, words: str
) -> None:
    session = given.session_of(given.cashier(float_cents=1_000))
    named = counted(expected_cents) | {"difference_reason": reason, "difference_words": words}
    _not_closed("cash_session_difference_explained", session, _closing(session, named), named)


def test_a_session_is_closed_by_what_another_person_received() -> None:
    session = given.session_of(given.cashier(float_cents=1_000))
    other = given.session_of(given.cashier(float_cents=1_000))
    named = counted(1_000)
    _not_closed("cash_session_closed_by_two", session, None, named)
    for proposal, closed in (
        (_closing(other, named), named),
        (_closing(session, counted(1_001)), named),
        (_closing(session, named | {"count": {"500": 2}}), named),
    ):
        _not_closed("two persons confirmed another", session, proposal, closed)
    of_supervisor = cash_close(
        by=factories.staff(Role.SUPERVISOR), session=session.uuid, count=fewest(1_000)
    )
    Decision.objects.create(
        proposal=of_supervisor,
        verdict=Decision.Verdict.CONFIRMED,
        decided_by_id=session.cashier_id,
        decided_in_id=session.opened_in_id,
        decided_at=clock.now(),
    )
    _not_closed("its cashier received the cash", session, of_supervisor, named)


def test_cash_is_taken_as_another_person_received_it_and_once() -> None:
    cashier = given.cashier(float_cents=1_000)
    session = given.session_of(cashier)
    other = given.session_of(given.cashier(float_cents=1_000))
    columns = {"session": session, "cents": -400, "reason": "To the safe."}
    of_it = {"cash_session": str(session.uuid), "cents": -400, "reason": "To the safe."}
    taking = factories.proposal("payoffice.cash_taking", content=of_it)
    brought = factories.proposal("payoffice.cash_taking", content=of_it | {"cents": 400})
    for message, proposal, changed in (
        ("cash_taken_by_two", None, {}),
        ("cash_taken_by_two", brought, {"cents": 400}),
        ("two persons are needed", factories.proposal("payoffice.cash_closing"), {}),
        ("two persons confirmed another", taking, {"cents": -401}),
        ("two persons confirmed another", taking, {"reason": "To the bank."}),
        ("two persons confirmed another", taking, {"session": other}),
    ):
        content = columns | changed | {"proposal": proposal}
        refused(message, CashMovement, uuid=uuid.uuid4(), moved_at=clock.now(), **content)
    given.cash_taken(cashier, 400)
    (taken,) = session.movements.all()
    again = columns | {"proposal": taken.proposal}
    refused("proposal", CashMovement, uuid=uuid.uuid4(), moved_at=clock.now(), **again)


def counted(expected_cents: int) -> dict[str, Any]:
    return {
        "expected_cents": expected_cents,
        "counted_cents": 1_000,
        "count": {"1000": 1},
        "difference_reason": "",
        "difference_words": "",
    }


def _closing(session: CashSession, named: dict[str, Any]) -> Proposal:
    content = {"cash_session": str(session.uuid)} | named
    return factories.proposal("payoffice.cash_closing", content=content)


def _not_closed(
    message: str, session: CashSession, proposal: Proposal | None, closed: dict[str, Any]
) -> None:
    """Ask the database to close a session; it must refuse with that message."""
    with pytest.raises(IntegrityError, match=message), transaction.atomic():
        CashSession.objects.filter(pk=session.pk).update(
            closed_at=clock.now(), proposal=proposal, **closed
        )


def rejected(closing: Proposal, by: StaffActor) -> Decision:
    """Write a rejection as the application's role could, past the service."""
    decision: Decision = Decision.objects.create(
        proposal=closing,
        verdict=Decision.Verdict.REJECTED,
        decided_by_id=by.user_id,
        decided_in_id=by.session_id,
        decided_at=clock.now(),
    )
    return decision


def test_the_database_keeps_the_count_of_another_from_the_cashier() -> None:
    """Only the service did: a program with its role rejected each count of a shortage."""
    who, counter = given.cashier(float_cents=1_000), factories.staff(Role.SUPERVISOR)
    session = given.session_of(who)
    short = drawer_counted(counter, session, 900)
    with pytest.raises(IntegrityError, match="another person counted"), transaction.atomic():
        rejected(short, who)
    rejected(short, factories.staff(Role.CASHIER))
    rejected(drawer_counted(who, session, 1_000), who)
    rejected(drawer_counted(counter, session, 900), counter)


def test_the_cashier_rejects_a_count_that_is_nothing_any_more() -> None:
    who, counter = given.cashier(float_cents=1_000), factories.staff(Role.SUPERVISOR)
    session = given.session_of(who)
    void = drawer_counted(counter, session, 1_000)
    cash_move(by=who, cents=1, reason="Found.")
    rejected(void, who)
    old = drawer_counted(counter, session, 1_001)
    factories.time_pass(days=8)
    rejected(old, who)
    mine = drawer_counted(counter, session, 1_001)
    given.confirmed(mine, Role.CASHIER)
