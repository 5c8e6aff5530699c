"""A loss by a voided cheque outlives its month: what is given back later is recorded."""

from pathlib import Path

import pytest

from core.database import clock
from core.journal import rules
from core.kernel.days import add_days, natural_day
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.nights.nightly import lapse
from core.payoffice import accounts
from core.payoffice.models import Cheque, VoidedChequePayment
from core.periods import nightly
from core.periods.models import ClosedPeriod
from core.staff.powers import Role
from core.statements.balances import mark_make
from core.statements.services import statements_issue
from tests.core.periods.archive.conftest import retired
from tests.core.periods.conftest import closed
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.journaling import seal_all
from tests.support.payoffice.losing import lost, recovered


def broken() -> set[str]:
    return {rule.name for rule in rules.rules() if any(rules.broken(rule))}


@pytest.mark.usefixtures("own_database")
def test_a_loss_of_a_retired_month_is_given_back(tmp_path: Path) -> None:
    factories.time_to(rounds.NOON)
    (won,) = given.settled(1, losers=2)
    lost(won)
    recovered(factories.staff(Role.SUPERVISOR), 1, "TR 0")
    mark_make()
    factories.time_pass(days=70)
    before = add_days(natural_day(clock.now()), -1)
    lapse(before)
    mark_make()
    statements_issue(until=before)
    factories.time_pass(hours=1)
    closed()
    was = broken()
    retired(ClosedPeriod.objects.get(), tmp_path)
    seal_all()
    nightly.remove(natural_day(clock.now()))
    assert not Transfer.objects.filter(kind="payoffice.voided_cheque").exists()
    assert VoidedChequePayment.objects.get().outcome == "loss"
    recovered(factories.staff(Role.SUPERVISOR), won.cents - 1, "TR 1")
    assert Cheque.objects.get().still_lost_cents == 0
    assert given.balance(accounts.voided_cheques()) == 0
    assert (broken() - was, differences()[1]) == (set(), [])
