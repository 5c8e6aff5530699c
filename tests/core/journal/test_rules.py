"""Write impossible rows through the normal ways, and check that the journal rules name them."""

import uuid
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.journal import acting
from core.journal.verifying import Fault, verify
from core.ledger.models import Transfer
from core.payoffice.models import CashMovement
from core.premises.models import Authorisation
from core.staff import two_persons
from core.staff.models import Decision, User
from core.staff.powers import Role
from lototrot.models.contest import TicketModel
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from lototrot.services.settlement.settling import contest_settle
from tests.support import databases, factories, paying, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, seal_all, touched

TEST = two_persons.Kind("journal.test", "premises.register", lambda proposal, by: None)


def broken() -> set[tuple[str, str]]:
    """Return the broken rules and their tables, beyond those that the factories break."""
    findings = verify().findings
    assert {each.what for each in findings} <= {
        Fault.RULE,
        Fault.ACT_UNNAMED,
        Fault.ROW_WITHOUT_ACT,
    }
    return {
        (each.detail.rpartition("(")[2].rstrip(")"), each.table)
        for each in findings
        if each.what is Fault.RULE and not each.detail.endswith("confirmed)")
    }


@pytest.fixture
def day(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    """Yield a database of this test with a settled contest and a ticket that was sold and won."""
    with django_db_blocker.unblock(), databases.restored(databases.prepared(_play)) as database:
        yield database


def _play() -> None:
    rules = rounds.rules(**rounds.TWO_LEGS)
    contest, place = rounds.contest(rules, [(1, 2), (1, 2)]), factories.point()
    assert factories.sell(contest, place).outcome == "sold"
    assert factories.sell(contest, place, [(2,), (2,)]).outcome == "sold"
    factories.contest_closed(contest)
    for race in factories.races_of(contest):
        factories.classified(race, [1])
    contest_settle(contest_id=contest.pk)
    seal_all()
    assert broken() == set()


@pytest.mark.article("14.III.1.5", "14.III.9.5")
def test_a_prize_after_the_settlement(day: Database) -> None:
    won = Prize.objects.get()
    loser = Ticket.objects.exclude(pk=won.ticket_id).get()
    with acting.acting("task:lototrot.tasks.settle"):  # the application itself, under a false name
        Prize.objects.create(
            settlement=won.settlement,
            ticket=loser,
            winning_bets=won.winning_bets,
            prize_cents=won.prize_cents,
        )
    seal_all()
    assert broken() == {("lototrot_prize.with_lototrot_settlement", "lototrot_prize")}


@pytest.mark.article("14.III.1.5", "14.III.4")
def test_a_ticket_past_its_sale_and_one_put_back_in_time(day: Database) -> None:
    sold = Ticket.objects.order_by("pk").first()
    assert sold is not None
    values = {f.name: getattr(sold, f.name) for f in Ticket._meta.fields if f.name != "id"}
    sale = {"terminal": sold.terminal_id, "operator": sold.operator_id}
    with acting.acting("lototrot.sale", **sale):  # nobody paid
        Ticket.objects.create(**values | {"uuid": uuid.uuid4(), "code_digest": bytes(16)})
    assert broken() == {("lototrot_ticket.sold", "lototrot_ticket")}

    factories.time_pass(minutes=10)
    transfer = Transfer.objects.get(reference=sold.uuid)
    # With its money, but ten minutes after it says that it was sold.
    with acting.acting("lototrot.sale", **sale), transaction.atomic():
        ticket = Ticket.objects.create(
            **values | {"uuid": uuid.uuid4(), "code_digest": bytes(15) + b"1"}
        )
        Transfer.objects.create(
            reference=ticket.uuid,
            line=0,
            kind=transfer.kind,
            debit_id=transfer.debit_id,
            credit_id=transfer.credit_id,
            amount_cents=ticket.amount_cents,
            at=ticket.sold_at,
        )
    rows = {f.row for f in verify().findings if f.what is Fault.RULE and "sold" in f.detail}
    assert len(rows) == 2


@pytest.mark.article("14.I.6")
def test_an_authorisation_longer_time_back_and_roles_of_ones_own(day: Database) -> None:
    period = Authorisation.objects.order_by("pk").first()
    assert period is not None
    Authorisation.objects.filter(pk=period.pk).update(valid_until=clock.now())
    assert broken() == set()
    Authorisation.objects.filter(pk=period.pk).update(valid_until=clock.now() + timedelta(days=9))
    assert broken() == {("authorisation_only_shortened", "premises_authorisation")}
    factories.time_pass(minutes=1)
    factories.time_pass(minutes=-5)
    admin = factories.staff(Role.ADMINISTRATOR)
    with acting.acting("x", staff=admin.user_id):
        User.objects.filter(pk=admin.user_id).update(roles=["organiser"])
    assert broken() == {
        ("authorisation_only_shortened", "premises_authorisation"),
        ("clock_forward", "database_clockoffset"),
        ("power_by_two", "staff_user"),
        ("roles_by_another", "staff_user"),
    }


def test_persons_that_were_not_the_ones_who_acted(
    day: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = factories.two_organisers()
    monkeypatch.setitem(two_persons.kinds(), TEST.name, TEST)
    with acting.acting("a", staff=first.user_id, staff_session=first.session_id):
        proposal = two_persons.propose(kind=TEST, subject="s", content={}, by=first)
    with acting.acting("b", staff=second.user_id, staff_session=second.session_id):
        two_persons.confirm(proposal=proposal.uuid, by=second)
    assert broken() == set()
    with acting.acting("a", staff=second.user_id, staff_session=second.session_id):
        other = two_persons.propose(kind=TEST, subject="t", content={}, by=first)
        two_persons.confirm(proposal=other.uuid, by=second)
    assert broken() == {("proposer_is_who_acted", "staff_proposal")}
    with as_owner(day), touched("staff_proposal"):
        execute("UPDATE staff_proposal SET decided = false WHERE id = %s", [proposal.pk])
        findings = {f.detail.rpartition("(")[2] for f in verify().findings if f.what is Fault.RULE}
        assert "decided_with_its_decision)" in findings
    decision = Decision.objects.latest("pk")
    with as_owner(day), touched("staff_decision"):
        execute("ALTER TABLE staff_decision DROP CONSTRAINT confirmed_by_another_person")
        execute(
            "UPDATE staff_decision SET decided_by_id = %s, decided_in_id = %s WHERE id = %s",
            [first.user_id, first.session_id, decision.pk],
        )
        findings = {f.detail.rpartition("(")[2] for f in verify().findings if f.what is Fault.RULE}
        assert {"two_persons)", "decider_is_who_acted)"} <= findings


@pytest.mark.article("14.III.8.2")
def test_what_two_persons_make_is_of_their_act(day: Database) -> None:
    """Insert a payment order later, with a confirmation that was for something else."""
    contest = Prize.objects.get().settlement.contest
    proposal = factories.proposal("lototrot.payment_order", f"contest:{contest.pk}")
    with psycopg.connect(day.owner_url) as application:
        application.execute("ALTER TABLE lototrot_paymentorder DISABLE TRIGGER two_persons")
        application.execute("SELECT set_config('core.act', 'an order', false)")
        application.execute(
            "INSERT INTO lototrot_paymentorder (contest_id, settlement_id, proposal_id, ordered_at,"
            " results_day, first_pay_day, last_claim_day, claim_days)"
            " SELECT s.contest_id, s.id, %s, core_now(), k.day, k.day + 1, k.day + 30, 30"
            " FROM lototrot_settlement s JOIN lototrot_contest k ON k.id = s.contest_id",
            [proposal.pk],
        )
    tables = {f.table for f in verify().findings if f.detail.endswith("confirmed)")}
    assert "lototrot_paymentorder" in tables


@pytest.mark.article("15.III.3")
def test_rows_that_say_more_than_their_act(day: Database) -> None:
    """Insert money that no act moved, a time long past, a person who did not act."""
    cashier, other = paying.cashier(), factories.staff(Role.ORGANISER)
    session = paying.session_of(cashier)
    with acting.acting("payoffice", staff=cashier.user_id):
        CashMovement.objects.create(
            uuid=uuid.uuid4(), session=session, cents=100, reason="x", moved_at=clock.now()
        )
    assert broken() == {("payoffice_cashmovement.posted", "payoffice_cashmovement")}
    last = Transfer.objects.latest("pk")
    Transfer.objects.create(
        reference=uuid.uuid4(),
        line=0,
        kind="payoffice.cash",
        debit_id=last.debit_id,
        credit_id=last.credit_id,
        amount_cents=1,
        at=clock.now() - timedelta(days=40),
    )
    with acting.acting("models", staff=cashier.user_id):
        TicketModel.objects.create(
            code="other",
            version=1,
            authorisation="x",
            authorised_on=clock.now(),
            multiple=True,
            layout="0" * 64,
            recorded_at=clock.now(),
            recorded_by_id=other.user_id,
        )
    assert broken() == {
        ("payoffice_cashmovement.posted", "payoffice_cashmovement"),
        ("ledger_transfer.stamped", "ledger_transfer"),
        ("lototrot_ticketmodel.stamped", "lototrot_ticketmodel"),
    }
