"""After a withdrawal returns, no sale with that number is recorded: not even one in flight."""

from collections.abc import Callable

import pytest

from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.running import Withdrawal
from lototrot.services.contest import closing
from lototrot.services.races import course
from lototrot.services.races.withdrawals import AlreadyWithdrawn, withdrawal_enter
from tests.support import factories as f
from tests.support.concurrency.sales import (
    PATIENCE_S,
    elsewhere,
    recorded_at_return_and_in_the_end,
    sold_before_commit,
    stopped_sale,
)
from tests.support.databases import Database

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.article("14.III.5.4.1")]


@pytest.fixture
def unlocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The services without their locks: what these tests must be able to see."""
    for module in (course, closing):
        monkeypatch.setattr(module, "hold", lambda *wanted, **options: None)


def withdrawing(contest: Contest) -> Callable[[], Withdrawal]:
    by, race = f.staff(Role.STEWARDS), f.races_of(contest)[0]
    return lambda: withdrawal_enter(by=by, race_id=race.pk, number=1, source="Stewards")


def test_a_withdrawal_waits_for_the_sale_in_flight(own_database: Database) -> None:
    contest, point = f.contest(), f.point()
    assert recorded_at_return_and_in_the_end(
        own_database, contest, point, withdrawing(contest)
    ) == (1, 1)
    assert f.sell(contest, point).outcome == "withdrawn_number"


@pytest.mark.usefixtures("unlocked")
def test_without_the_lock_that_sale_is_recorded_after_it(own_database: Database) -> None:
    contest, point = f.contest(), f.point()
    assert recorded_at_return_and_in_the_end(
        own_database, contest, point, withdrawing(contest)
    ) == (0, 1)


def test_a_sale_that_comes_meanwhile_waits_and_is_refused() -> None:
    contest, point = f.contest(), f.point()
    assert sold_before_commit(contest, point, withdrawing(contest)) == "withdrawn_number"


@pytest.mark.usefixtures("unlocked")
def test_without_the_lock_that_sale_is_made() -> None:
    contest, point = f.contest(), f.point()
    assert sold_before_commit(contest, point, withdrawing(contest)) == "sold"


def test_a_reversal_waits_for_the_sale_in_flight_too(own_database: Database) -> None:
    """It changes what is offered under the same lock, and then the number is sold again."""
    contest, point = f.contest(), f.point()
    withdrawal = withdrawing(contest)()
    by = f.staff(Role.STEWARDS)
    with stopped_sale(own_database, lambda: f.sell(contest, point, [(2,), *[(1,)] * 6])) as sale:
        rejecting = elsewhere(
            lambda: two_persons.reject(proposal=withdrawal.proposal.uuid, by=by, reason="Mistake")
        )
        assert not rejecting.done()
        sale.commit()
        rejecting.result(PATIENCE_S)
    assert f.sell(contest, point).outcome == "sold"


def test_two_at_once_withdraw_a_horse_once(own_database: Database) -> None:
    contest, point = f.contest(), f.point()
    with stopped_sale(own_database, lambda: f.sell(contest, point)) as sale:
        acts = [elsewhere(withdrawing(contest)) for _ in range(2)]
        sale.commit()
        outcomes = [act.exception(PATIENCE_S) for act in acts]
    assert Withdrawal.objects.count() == 1
    assert [type(o) for o in outcomes if o] in ([AlreadyWithdrawn], [two_persons.ProposalPending])
