"""Offer tickets to the prize office as prizes, refunds or nothing (14.III.8.2, 14.III.10) [C6]."""

import uuid

import pytest
from django.db import connection

from core.payoffice.sources import DocumentUnknown, Nature, Standing
from core.staff import two_persons
from lototrot import accounts
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.models.tickets import Ticket
from lototrot.services.prizes.payables import TICKETS
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db
WON_BY_ONE = [Race((1, 2, 3, 4), winners=frozenset({1}))] * 2


@pytest.fixture
def contest() -> Contest:
    factories.time_to(rounds.NOON)
    return rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3, 4)] * 2)


def sold(contest: Contest, *, authorised: tuple[str, ...] = ("lototrot",)) -> list[Ticket]:
    """Sell a ticket with both results right, and one with none right."""
    at = factories.point(factories.premises(authorised=authorised))
    return rounds.sell(contest, at, [(1, 1), (4, 4)])


@pytest.mark.article("14.III.8.2")
def test_a_prize_is_owed_only_after_the_payment_order(contest: Contest) -> None:
    winning, losing = sold(contest)
    stages = [TICKETS.by_id(winning.pk).stage]
    rounds.run(contest, WON_BY_ONE)
    stages.append(TICKETS.by_id(winning.pk).stage)
    contest_settle(contest_id=contest.pk)
    payable = TICKETS.by_id(winning.pk)
    assert (payable.standing, payable.amount_cents) == (Standing.PENDING, 0)
    assert [*stages, payable.stage] == ["on_sale", "awaiting_results", "awaiting_order"]

    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    order = PaymentOrder.objects.get(contest=contest)
    payable = TICKETS.by_uuid(winning.uuid)
    assert (payable.standing, payable.nature) == (Standing.OWED, Nature.PRIZE)
    assert payable.owed == accounts.prizes_payable(contest.pk)
    assert payable.last_claim_day == order.last_claim_day
    assert payable.amount_cents == contest.settlements.get().prizes_cents > 0
    assert TICKETS.by_id(losing.pk).standing == Standing.NO_PRIZE
    assert TICKETS.forfeits_to(payable, order.last_claim_day) == accounts.carry_over(
        contest.bet_type_code, order.last_claim_day
    )


@pytest.mark.article("14.I.6")
def test_the_price_of_a_bet_in_breach_is_owed_as_a_refund(contest: Contest) -> None:
    ticket, _ = sold(contest, authorised=())
    rounds.run(contest, WON_BY_ONE)
    first, second = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=first, contest_id=contest.pk).uuid, by=second)
    payable = TICKETS.by_id(ticket.pk)
    assert (payable.standing, payable.nature) == (Standing.OWED, Nature.REFUND)
    assert payable.amount_cents == ticket.amount_cents
    assert payable.owed == accounts.refunds_due(contest.pk)


def test_a_ticket_is_found_by_the_digest_of_its_code(contest: Contest) -> None:
    ticket, _ = sold(contest)
    payable = TICKETS.by_code(bytes(ticket.code_digest))
    assert payable is not None
    assert (payable.document_id, payable.issuer_id) == (ticket.pk, ticket.premises_id)


def test_an_unknown_ticket_is_not_found() -> None:
    assert TICKETS.by_code(bytes(16)) is None
    with pytest.raises(DocumentUnknown):
        TICKETS.by_id(2**40)
    with pytest.raises(DocumentUnknown):
        TICKETS.by_uuid(uuid.uuid4())


def test_one_prize_is_read_for_a_ticket_whatever_the_planner_knows() -> None:
    """A plan made before the prizes were counted is used for all that are presented afterwards."""
    query = TICKETS.code_query.sql.replace("%s", "$1")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE by_code AS {query}")
        cursor.execute("EXPLAIN EXECUTE by_code('')")
        plan = "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute("DEALLOCATE by_code")
    looked_up = "(settlement_id = o.settlement_id) AND (ticket_id = t.id)"
    assert looked_up in plan, plan
    assert "Seq Scan on lototrot_prize" not in plan
