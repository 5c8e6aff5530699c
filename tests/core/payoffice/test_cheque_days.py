"""The cheques of a day file, and the losses by voided ones: events, rows of before, replays."""

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice import accounts, cheque_days
from core.payoffice.models import ChequeRecovery, ChequeWriteOff
from core.payoffice.services import cheques
from core.reports.parts import Span
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.losing import LOST_CENTS, lost, recovered, taken_back, written_off

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def today() -> Span:
    return Span.of(natural_day(clock.now()))


def test_a_voided_cheque_that_the_bank_paid_is_an_event_that_moves_its_money() -> None:
    (large,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), large.request(payee=given.MARIA))
    by = factories.staff(Role.SUPERVISOR)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Lost."), Role.ORGANISER)
    factories.time_pass(days=1)
    paid = cheques.voided_cheque_paid(
        by=factories.staff(Role.SUPERVISOR),
        number=1,
        amount_cents=100_001,
        presented_on=natural_day(clock.now()),
        outcome="loss",
        reason="Statement.",
    )
    given.confirmed(paid, Role.ORGANISER)
    (event,) = cheque_days.events(today())
    assert event.kind == "payoffice.voided_cheque_paid"
    before = given.balance(accounts.voided_cheques())
    cheque_days.REPLAYS[event.kind](event.row, event.data)
    assert given.balance(accounts.voided_cheques()) == before + 100_001 == 200_002


def test_what_becomes_of_a_loss_is_an_event_that_moves_its_money() -> None:
    lost()
    factories.time_pass(days=1)
    by = factories.staff(Role.SUPERVISOR)
    recovered(by, 60_000)
    written_off(by, 70)
    back, off = cheque_days.events(today())
    assert (back.kind, back.row) == ("payoffice.loss_recovered", ChequeRecovery.objects.get())
    assert (off.kind, off.row) == ("payoffice.loss_written_off", ChequeWriteOff.objects.get())
    for event in (back, off):
        cheque_days.REPLAYS[event.kind](event.row, event.data)
    assert given.balance(accounts.voided_cheques()) == LOST_CENTS - 2 * 60_070
    assert given.balance(accounts.written_off()) == 140


def test_an_entry_is_taken_back_on_a_later_day_than_it_was_made() -> None:
    recovered(lost(), 60_000)
    first = today()
    factories.time_pass(days=1)
    row = ChequeRecovery.objects.get()
    taken_back(factories.staff(Role.SUPERVISOR), row.uuid)
    recorded = next(e.row for e in cheque_days.events(first) if isinstance(e.row, ChequeRecovery))
    (before,) = cheque_days.entries_taken_back(today())
    for stood in (recorded, before):
        assert isinstance(stood, ChequeRecovery)
        assert (stood.pk, stood.reversed_at, stood.reversal, stood.reversed_reason) == (
            row.pk,
            None,
            None,
            "",
        )
    assert list(cheque_days.entries_taken_back(first)) == []
    (event,) = cheque_days.events(today())
    row.refresh_from_db()
    assert (event.kind, event.row, event.at) == (
        "payoffice.loss_reversed",
        row.reversal,
        row.reversed_at,
    )
