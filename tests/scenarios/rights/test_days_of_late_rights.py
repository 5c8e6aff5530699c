"""Days with early presentations and late identifications are made again from their files.

Ledger, audits and day replay agree (scenarios 1, 4 and 5, D7, C8; 14.III.10.2, 14.III.10.5).
"""

from datetime import date

import pytest

from tests.support import factories, rounds
from tests.support.api import terminal_api
from tests.support.databases import Database
from tests.support.lototrot import rights
from tests.support.lototrot.rights import JULY_12, LAST_DAY, at

pytestmark = pytest.mark.article("14.III.10.2", "14.III.10.5")
JUNE_20, JULY_9, JULY_13 = date(2030, 6, 20), date(2030, 7, 9), date(2030, 7, 13)


def test_what_was_presented_before_a_late_order(own_database: Database) -> None:
    first, second, (early, torn, *_others) = rights.blocked_chain()
    at(JUNE_20, 11)
    bar = terminal_api(factories.point())
    bar.post("claims/presentations", {"code": early.code, "intact": True})
    rights.deposited(bar, torn, "damaged")
    at(JULY_12, 10)
    rights.order_both(first, second)
    prizes = second.settlements.get(in_force=True).prizes
    (cents,) = set(prizes.values_list("prize_cents", flat=True))
    bar = terminal_api(factories.point())
    assert bar.post("claims/payments", early.body(amount_cents=cents)).status_code == 201
    at(JULY_13, 9)
    rights.everything_agrees(JUNE_20, JULY_12)


def test_what_was_identified_in_time_to_come_back_and_what_the_organiser_bore(
    own_database: Database,
) -> None:
    """On 9 July the first ticket comes back after that night's lapse; the second a week later."""
    _contest, ticket, other = rights.washed(2)
    at(LAST_DAY, 12)
    later = rights.meeting(JULY_13)
    rounds.sell(later, factories.point(), [(1, 1)])
    unread = rights.deposited(terminal_api(factories.point()), None, "unreadable")
    receipt = rights.washed_up_in_time()
    at(JULY_9, 9)
    assert rights.matched(receipt, ticket).status_code == 201
    rights.ruled(receipt)
    rights.paid_by_cheque(receipt, ticket.cents)
    at(JULY_13, 19)
    rights.run(later)
    rights.settled(later)
    at(date(2030, 7, 15), 9)
    assert rights.matched(unread, other).status_code == 201
    rights.ruled(unread, "refused")
    at(date(2030, 7, 16), 9)
    rights.everything_agrees(JULY_9, JULY_13, date(2030, 7, 15))
