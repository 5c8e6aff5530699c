"""A washed ticket worth 4,800.00, deposited at 19:30 of its last day and identified later, is paid.

From what lapsed while that is not settled into a later 7/7, and then by the organiser, on an
account of its own (scenario 4, C8; 14.III.10.5).
"""

import copy
from datetime import date

import pytest
from django.db import IntegrityError, connection, transaction

from core.ledger import services as ledger
from core.payoffice.models import Claim, Restoration
from core.staff.powers import Role
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.services.settlement.auditing import audit_contests
from tests.support import factories, paying, rounds
from tests.support.api import refused, staff_api, terminal_api
from tests.support.lototrot import rights
from tests.support.lototrot.rights import LAST_DAY, at

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.10.5", "14.III.10.7")]
Washed = tuple[Contest, paying.Presented]
PRIZE = 480_000
JULY_9, JULY_13, JULY_14 = date(2030, 7, 9), date(2030, 7, 13), date(2030, 7, 14)


@pytest.fixture(scope="module")
def ordered(shared: None) -> Washed:
    """Return what all tests here begin with."""
    contest, *tickets = rights.washed()
    return contest, tickets[0]


@pytest.fixture
def washed(ordered: Washed) -> Washed:
    """A contest whose payment is ordered, and a ticket of it that was washed."""
    return copy.deepcopy(ordered)


def late_claims() -> int:
    return ledger.balance_cents(accounts.late_claims())


def waiting(contest: Contest) -> int:
    return ledger.balance_cents(accounts.carry_over(contest.bet_type_code, LAST_DAY))


def everything_agrees() -> None:
    rounds.books_agree()
    assert audit_contests().findings == []


def test_identified_the_next_morning_it_is_paid_from_what_waits(washed: Washed) -> None:
    contest, ticket = washed
    receipt = rights.washed_up_in_time()
    assert waiting(contest) == 3 * PRIZE
    at(JULY_9, 9)
    bar = terminal_api(factories.point())
    refused(
        bar.post("claims/presentations", {"code": ticket.code, "intact": True}), 409, "claim_lapsed"
    )
    assert rights.matched(receipt, ticket).json()["amount_cents"] == PRIZE
    refused(rights.matched(receipt, ticket), 409, "deposit_matched")
    assert (waiting(contest), late_claims()) == (2 * PRIZE, 0)
    everything_agrees()
    rights.ruled(receipt)
    rights.paid_by_cheque(receipt, PRIZE)
    assert Claim.objects.get(document_id=ticket.ticket.pk).state == Claim.State.PAID
    everything_agrees()


def test_its_money_comes_back_from_the_meeting_that_received_it_and_is_not_settled(
    washed: Washed,
) -> None:
    contest, ticket = washed
    at(date(2030, 7, 8), 12)
    later = rights.meeting(JULY_13)
    rounds.sell(later, factories.point(), [(1, 1)])
    receipt = rights.washed_up_in_time()
    lapsed = accounts.lapsed(later.pk)
    assert (waiting(contest), ledger.balance_cents(lapsed)) == (0, 3 * PRIZE)
    at(JULY_9, 9)
    assert rights.matched(receipt, ticket).status_code == 201
    assert (ledger.balance_cents(lapsed), late_claims()) == (2 * PRIZE, 0)
    everything_agrees()
    at(JULY_13, 19)
    rights.run(later)
    settlement = rights.settled(later).settlements.get(in_force=True)
    assert settlement.lapsed_in_cents == 2 * PRIZE
    path = f"lototrot/contests/{later.pk}/certificate.json"
    certificate = staff_api(Role.AUDITOR).get(path).json()["document"]
    account = accounts.carry_over(later.bet_type_code, LAST_DAY).code
    assert certificate["lapsed_from"] == [{"account": account, "cents": 2 * PRIZE}]
    rights.ruled(receipt)
    rights.paid_by_cheque(receipt, PRIZE)
    everything_agrees()


def settled_into_a_later_meeting() -> str:
    """Return the receipt of the washed ticket, after its prize joined the 7/7 of 13 July."""
    at(LAST_DAY, 12)
    later = rights.meeting(JULY_13)
    rounds.sell(later, factories.point(), [(1, 1)])
    receipt = rights.washed_up_in_time()
    at(JULY_13, 19)
    rights.run(later)
    assert rights.settled(later).settlements.get().lapsed_in_cents == 3 * PRIZE
    return receipt


def test_identified_after_a_later_settlement_the_organiser_pays_on_an_account_of_its_own(
    washed: Washed,
) -> None:
    _contest, ticket = washed
    receipt = settled_into_a_later_meeting()
    at(JULY_14, 9)
    assert rights.matched(receipt, ticket).status_code == 201
    assert late_claims() == -PRIZE
    everything_agrees()
    rights.ruled(receipt)
    rights.paid_by_cheque(receipt, PRIZE)
    assert late_claims() == -PRIZE
    everything_agrees()


def test_refused_by_two_persons_it_is_the_organisers_again_and_joins_no_second_7_7(
    washed: Washed,
) -> None:
    _contest, ticket = washed
    receipt = settled_into_a_later_meeting()
    at(JULY_14, 9)
    rights.matched(receipt, ticket)
    rights.ruled(receipt, "refused")
    assert late_claims() == 0
    everything_agrees()


def test_a_ticket_deposited_after_its_last_day_is_not_restored(washed: Washed) -> None:
    _contest, ticket = washed
    at(JULY_9, 0, 5)
    receipt = rights.deposited(terminal_api(factories.point()), None, "unreadable")
    refused(rights.matched(receipt, ticket), 409, "claim_lapsed")
    at(JULY_9, 1)
    rights.night(LAST_DAY)
    at(JULY_9, 9)
    refused(rights.matched(receipt, ticket), 409, "claim_lapsed")
    assert not Restoration.objects.exists()
    everything_agrees()


def test_the_database_restores_nothing_that_was_not_deposited_in_time(washed: Washed) -> None:
    _contest, ticket = washed
    rights.washed_up_in_time()
    claim = Claim.objects.get(document_id=ticket.ticket.pk)
    with pytest.raises(IntegrityError, match="not deposited in time"), transaction.atomic():
        Claim.objects.filter(pk=claim.pk).update(state="held", day=None)
        connection.check_constraints()
    with pytest.raises(IntegrityError, match="amount is known"), transaction.atomic():
        Claim.objects.filter(pk=claim.pk).update(amount_cents=1)


def test_it_is_listed_every_day_with_where_its_paper_is(washed: Washed) -> None:
    at(date(2030, 7, 1), 10)
    bar = factories.point()
    receipt = rights.deposited(terminal_api(bar), None, "unreadable")
    (row,) = rights.alarms("payoffice_deposit_unmatched", Role.SUPERVISOR)
    assert (row["days_left"], row["subject_kind"]) == (7, "payoffice.deposit")
    assert bar.premises.code in row["words"]
    central = paying.office()
    path = f"office/deposits/{receipt}/arrivals"
    by = staff_api(Role.CASHIER)
    for _ in range(2):
        assert by.post(path, {"premises": central.code}).status_code == 201
    refused(by.post(path, {"premises": bar.premises.code}), 422, "not_an_office")
    refused(by.post(path, {"premises": "NOWHERE"}), 404, "premises_unknown")
    assert staff_api(Role.ORGANISER).post(path, {"premises": central.code}).status_code == 403
    at(LAST_DAY, 23)
    (row,) = rights.alarms("payoffice_deposit_unmatched", Role.SUPERVISOR)
    assert row["days_left"] == 0 and central.code in row["words"]
    (listed,) = staff_api(Role.SUPERVISOR).get("office/deposits").json()["items"]
    assert (listed["premises"], listed["paper_at"]) == (bar.premises.code, central.code)
