"""The office's balances rebuilt from its rows, apart from the ledger."""

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.ledger.books import Books
from core.ledger.services import asset
from core.payoffice import accounts, rebuild
from core.payoffice.models import Cheque, ChequeRecovery, ChequeWriteOff
from core.payoffice.services import cheques, paying
from core.payoffice.services.presenting import presentation_make
from core.staff.powers import Role
from lototrot import accounts as lototrot
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.payoffice.losing import recovered, taken_back, written_off

pytestmark = pytest.mark.django_db


def rebuilt() -> Books:
    books = Books()
    rebuild.rebuild_payoffice(books)
    return books


@pytest.mark.article("14.III.10.5", "14.III.10.6")
def test_every_act_of_the_office_is_rebuilt() -> None:
    factories.time_to(rounds.NOON)
    small, medium, large, waiting = given.worth(500, 30_000, 100_001, 700)
    place, office = factories.point(), given.office()
    cashier = given.cashier(office, float_cents=50_000)
    keeper = factories.staff(Role.SUPERVISOR)
    paying.payment_make(at=place.actor, request=small.request())
    given.paid_by_two(cashier, medium.request())
    given.paid_by_two(cashier, large.request(payee=given.MARIA))
    presentation_make(at=place.actor, code=waiting.code)
    given.confirmed(cheques.cheque_void(by=keeper, number=1, reason="Lost."), Role.ORGANISER)
    given.confirmed(
        cheques.voided_cheque_paid(
            by=keeper,
            number=1,
            amount_cents=100_001,
            presented_on=natural_day(clock.now()),
            outcome="loss",
            reason="Statement.",
        ),
        Role.ORGANISER,
    )
    recovered(keeper, 60_000)
    recovered(keeper, 7, "TR 2")
    written_off(keeper, 11)
    written_off(keeper, 13)
    for entry in (
        ChequeRecovery.objects.get(reference="TR 2"),
        ChequeWriteOff.objects.earliest("pk"),
    ):
        taken_back(keeper, entry.uuid)
    given.cash_taken(cashier, 1_000)
    given.stocked(office, 3)
    session = given.session_of(cashier)
    assert rebuilt().cents(accounts.cash(session.pk)) == 50_000 - 30_000 - 1_000
    given.cash_closed(cashier, session, 19_005)
    books = rebuilt()
    for account in (
        accounts.cash(session.pk),
        accounts.cash_differences(),
        accounts.cheques(),
        accounts.voided_cheques(),
        accounts.written_off(),
        accounts.goods(),
        accounts.treasury(),
        lototrot.held(small.contest.pk),
    ):
        assert books.cents(account) == given.balance(account)
    assert books.cents(accounts.cash_differences()) == 5
    assert books.cents(accounts.voided_cheques()) == 40_001 - 13
    assert books.cents(rebuild._HANDED_OVER) == 0
    assert Cheque.objects.count() == 1


def test_an_office_that_did_nothing_has_no_balance() -> None:
    books = rebuilt()
    assert not any(books.cents(asset(code)) for code in books.codes())
