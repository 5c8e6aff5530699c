"""A damaged ticket is deposited between the results and the payment order (scenario 5, D7, C5).

Two persons decide it after the period, and it is paid. What proves to have won nothing, or to be in
breach, is over, or a refund due (14.III.10.2, 14.III.10.5).
"""

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.ledger import services as ledger
from core.payoffice.models import Claim
from core.premises.requests import new_uuid
from core.staff.powers import Role
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from tests.support import factories, paying, rounds
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.lototrot import rights
from tests.support.lototrot.rights import JUNE_8, at
from tests.support.paying import Presented

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.10.2", "14.III.10.5")]
JUNE_9, JULY_9 = date(2030, 6, 9), date(2030, 7, 9)


def terminal() -> Api:
    return terminal_api(factories.point())


def on_sale(winners: int = 3) -> tuple[Contest, list[Presented]]:
    at(JUNE_8, 9)
    contest = rights.meeting(JUNE_8)
    return contest, paying.tickets(contest, winners)


def test_a_damaged_winner_deposited_before_the_order_is_paid_after_two_decided() -> None:
    contest, (torn, washed, present) = on_sale()
    at(JUNE_8, 16)
    bar = terminal()
    body = {"uuid": str(new_uuid()), "reason": "damaged", "code": torn.code}
    refused(bar.post("claims/deposits", body), 409, "results_not_established")
    refused(
        bar.post("claims/presentations", {"code": torn.code, "intact": True}),
        409,
        "results_not_established",
    )
    at(JUNE_8, 19)
    rights.run(contest)
    bar = terminal()
    receipt = rights.deposited(bar, torn, "damaged")
    unread = rights.deposited(bar, None, "unreadable")
    assert rights.matched(unread, washed).json()["amount_cents"] == 0
    rights.settled(contest)
    assert bar.post("claims/presentations", {"code": present.code, "intact": True}).json()
    assert bar.post("claims/deposits", body | {"code": present.code}).status_code == 201
    assert set(Claim.objects.values_list("state", flat=True)) == {"early"}
    held = accounts.held(contest.pk)
    assert ledger.balance_cents(held) == 0
    rounds.books_agree()

    at(JUNE_9, 9)
    order = rights.ordered(contest)
    assert order["last_claim_day"] == "2030-07-08"
    (cents,) = set(Claim.objects.values_list("amount_cents", flat=True))
    assert set(Claim.objects.values_list("state", flat=True)) == {"held"}
    assert ledger.balance_cents(held) == 3 * cents
    assert ledger.balance_cents(accounts.prizes_payable(contest.pk)) == 0
    decision = {"deposit": receipt, "verdict": "granted", "reason": "Genuine"}
    refused(staff_api(Role.ORGANISER).post("office/rulings", decision), 409, "period_running")
    at(JULY_9, 1)
    assert rights.night(date(2030, 7, 8)) == 0
    for each in (receipt, unread, body["uuid"]):
        rights.ruled(each)
        answer = paying.desk_api().post(
            "office/payments",
            {
                "uuid": str(new_uuid()),
                "deposit": each,
                "amount_cents": cents,
                "intact": True,
            },
        )
        assert answer.status_code == 201, answer.content
    assert ledger.balance_cents(held) == 0
    rounds.books_agree()


def test_a_deposited_ticket_without_a_prize_is_over_with_the_order() -> None:
    contest, _winners = on_sale()
    (loser,) = paying.tickets(contest, 1)
    at(JUNE_8, 19)
    rounds.run(contest, [rounds.Facts(rights.NUMBERS, winners=frozenset({2}))] * 2)
    receipt = rights.deposited(terminal(), loser, "damaged")
    rights.ordered(rights.settled(contest))
    claim = Claim.objects.get(document_id=loser.ticket.pk)
    assert (claim.state, claim.amount_cents) == ("no_prize", 0)
    refused(
        terminal().post("claims/presentations", {"code": loser.code, "intact": True}),
        409,
        "no_prize",
    )
    supervisor = staff_api(Role.SUPERVISOR)
    assert supervisor.get("office/deposits").json()["items"] == []
    (row,) = supervisor.get("office/deposits", waiting="false").json()["items"]
    assert (row["receipt"], row["state"]) == (receipt, "no_prize")
    at(JULY_9, 1)
    assert rights.night(date(2030, 7, 8)) == 0
    rounds.books_agree()


def test_a_presented_ticket_that_proves_to_be_in_breach_is_owed_its_price() -> None:
    contest, (presented, deposited, other) = on_sale()
    at(JUNE_8, 19)
    factories.contest_closed(contest)
    first, second = factories.races_of(contest)
    opened = contest.opened_at
    assert opened is not None
    for race in (first, second):
        factories.started(race, at=opened - timedelta(minutes=1))
        factories.classified(race, {1}, start=False)
    bar = terminal()
    bar.post("claims/presentations", {"code": presented.code, "intact": True})
    rights.deposited(bar, deposited, "damaged")
    organiser = staff_api(Role.ORGANISER)
    proposal = organiser.post(f"lototrot/contests/{contest.pk}/breaches/void").json()
    assert paying.confirmed_over_api(proposal, Role.ORGANISER).status_code == 200
    price = contest.price_cents
    claims = dict(Claim.objects.values_list("document_id", "state"))
    assert claims == {presented.ticket.pk: "presented", deposited.ticket.pk: "held"}
    assert ledger.balance_cents(accounts.held(contest.pk)) == 2 * price
    assert bar.post("claims/payments", presented.body(amount_cents=price)).status_code == 201
    assert bar.post("claims/payments", other.body(amount_cents=price)).status_code == 201
    rounds.books_agree()


def test_the_database_values_an_early_claim_as_the_order_says_and_at_no_other_time() -> None:
    contest, (ticket, *_others) = on_sale()
    at(JUNE_8, 19)
    rights.run(contest)
    terminal().post("claims/presentations", {"code": ticket.code, "intact": True})
    claim = Claim.objects.filter(document_id=ticket.ticket.pk)
    now = clock.now()
    with pytest.raises(IntegrityError, match="not known yet"), transaction.atomic():
        claim.update(state="presented", amount_cents=5, changed_at=now, valued_at=now)
        connection.check_constraints()
    rights.settled(contest)
    with pytest.raises(IntegrityError, match="not known yet"), transaction.atomic():
        claim.update(state="no_prize", changed_at=now, valued_at=now)
        connection.check_constraints()
    with pytest.raises(IntegrityError, match="is not valued"), transaction.atomic():
        days, settlement = paying.terms(contest), contest.settlements.get()
        content = paying.order_of(settlement, days)
        PaymentOrder.objects.create(
            contest=contest,
            settlement=settlement,
            proposal=factories.proposal("lototrot.payment_order", content=content),
            **days,
        )
        connection.check_constraints()
    assert claim.get().state == Claim.State.EARLY
