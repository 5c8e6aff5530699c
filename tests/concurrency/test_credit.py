"""Premises sell on credit from all their terminals at once: the limit holds, no cent is lost.

And two acts on their statements at once.
"""

import uuid
from datetime import date

import pytest
from django.db import transaction
from django.test import override_settings

from core.database import clock
from core.database.locks import Lock
from core.journal.rules import broken
from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.ledger.services import Line, asset, balance_cents, premises_account
from core.premises.requests import CreditExhausted, new_uuid
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements import nightly, services
from core.statements.journal_rules import TILLS
from core.statements.models import Remittance, Statement
from lototrot.models.contest import Contest
from lototrot.services.tickets.selling import Sold
from tests.support import factories
from tests.support.concurrency.sales import (
    PATIENCE_S,
    apart,
    eventually,
    install_sale,
    sell,
    selling_point,
    stopped_sale,
    together,
    waiting_for,
)
from tests.support.databases import Database
from tests.support.factories import Point

TERMINALS, AT_ONCE, FITTING = 4, 16, 5


def test_the_limit_holds_whatever_is_sold_at_once(own_database: Database) -> None:
    """Sell from four terminals on 16 connections, one ticket each, where five fit."""
    contest, place = selling_point()
    places = [place, *(factories.point(place.premises) for _ in range(TERMINALS - 1))]
    for each in places:
        factories.acknowledge(contest, each)
    factories.guarantee(place.premises, FITTING * contest.price_cents)
    install_sale(own_database, before_writing="pg_sleep(0.05)")
    sales = [
        lambda at=places[number % TERMINALS]: sell(at, contest, new_uuid())
        for number in range(AT_ONCE)
    ]
    answers = together(*sales)
    assert all(isinstance(answer, Sold | CreditExhausted) for answer in answers)
    assert sum(isinstance(answer, Sold) for answer in answers) == FITTING
    assert balance_cents(premises_account(place.premises.pk)) == FITTING * contest.price_cents
    assert not list(broken(TILLS))


@pytest.mark.parametrize("with_lock", [True, False], ids=["", "twin"])
def test_a_sale_waits_for_the_one_in_flight_at_its_premises(
    own_database: Database, with_lock: bool
) -> None:
    """One ticket fits. Without the lock both sales are checked before either writes."""
    contest, place = prepared()
    other = factories.point(place.premises)
    factories.acknowledge(contest, other)
    without = () if with_lock else [Lock.CREDIT]
    with stopped_sale(
        own_database, lambda: sell(place, contest, new_uuid()), without=without
    ) as sale:
        second = apart(lambda: together(lambda: sell(other, contest, new_uuid()))[0])
        key = (int(Lock.CREDIT), place.premises.pk)
        eventually(lambda: second.done() or sale.waiting(key) > 0 or sale.stopped() == 2)
        assert isinstance(sale.commit(), Sold)
        assert isinstance(second.result(PATIENCE_S), CreditExhausted if with_lock else Sold)
    owed = balance_cents(premises_account(place.premises.pk))
    assert owed == contest.price_cents * (1 if with_lock else 2)
    assert not list(broken(TILLS))


def post(place: Point, cents: int) -> None:
    """Post what premises hand over (a remittance, a void, a prize paid), or are charged."""
    treasury, account = asset("treasury"), premises_account(place.premises.pk)
    debit, credit = (treasury, account) if cents > 0 else (account, treasury)
    ledger.post(reference=uuid.uuid4(), lines=[Line("test", debit, credit, abs(cents))])


def prepared() -> tuple[Contest, Point]:
    """Return a contest, and premises that may owe one ticket more."""
    contest, place = selling_point()
    factories.guarantee(place.premises, contest.price_cents)
    return contest, place


def test_money_handed_over_waits_for_no_sale_and_is_not_lost(own_database: Database) -> None:
    contest, place = prepared()
    with stopped_sale(own_database, lambda: sell(place, contest, new_uuid())) as sale:
        together(lambda: post(place, contest.price_cents))
        assert isinstance(sale.commit(), Sold)
    assert balance_cents(premises_account(place.premises.pk)) == 0
    assert not list(broken(TILLS))
    sell(place, contest, new_uuid())


@pytest.mark.parametrize("with_lock", [True, False], ids=["", "twin"])
def test_a_charge_waits_for_the_sale_in_flight(own_database: Database, with_lock: bool) -> None:
    """So the sale that was checked without it comes before it."""
    contest, place = prepared()
    without = () if with_lock else [Lock.CREDIT]
    with stopped_sale(
        own_database, lambda: sell(place, contest, new_uuid()), without=without
    ) as sale:
        charge = apart(lambda: together(lambda: post(place, -1)))
        key = (int(Lock.CREDIT), place.premises.pk)
        eventually(lambda: charge.done() or sale.waiting(key) > 0)
        assert charge.done() is not with_lock
        assert isinstance(sale.commit(), Sold)
        assert charge.result() == [None]
    assert balance_cents(premises_account(place.premises.pk)) == contest.price_cents + 1
    assert not list(broken(TILLS))
    with pytest.raises(CreditExhausted):
        sell(place, contest, new_uuid())


@pytest.mark.usefixtures("own_database")
def test_two_remittances_at_once_that_reach_the_amount_together_take_a_second_person() -> None:
    """One person sends both; the second is asked while the first is under way."""
    (statement,) = services.statements_issue(until=week_sold(tickets=2))
    by = factories.staff(Role.ORGANISER)

    def settle(reference: str) -> Remittance | Proposal:
        return services.statement_settle(
            by=by,
            statement=statement.uuid,
            amount_cents=statement.closing_cents // 2,
            paid_on=natural_day(clock.now()),
            reference=reference,
        )

    with override_settings(REMITTANCE_SECOND_PERSON_FROM_CENTS=statement.closing_cents):
        with transaction.atomic():
            assert isinstance(settle("TRF 1"), Remittance)
            second = apart(lambda: settle("TRF 2"))
            key = (int(Lock.STATEMENT), statement.premises_id)
            eventually(lambda: second.done() or waiting_for(key) > 0)
        proposal = second.result(PATIENCE_S)
    assert isinstance(proposal, Proposal)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    assert balance_cents(premises_account(statement.premises_id)) == 0


@pytest.mark.usefixtures("own_database")
def test_of_two_premises_at_once_the_second_part_of_a_bank_movement_takes_two_persons() -> None:
    """Neither payment is on record when the other is asked for."""
    contest, place = selling_point()
    other = factories.point()
    factories.acknowledge(contest, other)
    for each in (place, other):
        sell(each, contest, new_uuid())
    day = natural_day(clock.now())
    factories.time_pass(days=8)
    by = factories.staff(Role.ORGANISER)
    first, second = services.statements_issue(until=add_days(day, 7 - day.isoweekday()))

    def settle(statement: Statement, reference: str) -> Remittance | Proposal:
        return services.statement_settle(
            by=by,
            statement=statement.uuid,
            amount_cents=statement.closing_cents,
            paid_on=natural_day(clock.now()),
            reference=reference,
        )

    with transaction.atomic():
        assert isinstance(settle(first, "TRF 1"), Remittance)
        asked = apart(lambda: settle(second, "trf 1"))
        eventually(lambda: asked.done() or waiting_for((int(Lock.STATEMENT), 0x7FFFFFFF)) > 0)
    assert isinstance(asked.result(PATIENCE_S), Proposal)


@pytest.mark.usefixtures("own_database")
def test_a_rate_waits_for_the_statements_in_flight_and_does_not_begin_behind_them() -> None:
    """The statements were computed without it: they would differ from their rates for good."""
    sunday = week_sold(tickets=2)
    by, second = factories.two_organisers()
    proposal = services.commission_rate_propose(
        by=by,
        game="lototrot",
        premises=None,
        percent="10",
        in_force_from=add_days(sunday, -6),
        reference="Contract",
    )
    with transaction.atomic():
        services.statements_issue(until=sunday)
        confirming = apart(
            lambda: together(lambda: two_persons.confirm(proposal=proposal.uuid, by=second))[0]
        )
        key = (int(Lock.STATEMENT), 0)
        eventually(lambda: confirming.done() or waiting_for(key) > 0)
    outcome = confirming.result(PATIENCE_S)
    assert nightly.audit(sunday).counts["statements"] == Statement.objects.count() == 1
    assert isinstance(outcome, services.RateTooLate)


def week_sold(*, tickets: int) -> date:
    """Sell tickets, let the week end, and return its Sunday."""
    contest, place = selling_point()
    for _ in range(tickets):
        sell(place, contest, new_uuid())
    day = natural_day(clock.now())
    factories.time_pass(days=8)
    return add_days(day, 7 - day.isoweekday())
