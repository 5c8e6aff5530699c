"""Tickets whose prize was paid or lapsed leave, and then prizes, payments and claims (ADR 57)."""

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import DatabaseError, connections, transaction
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.journal import rules
from core.journal.acting import name_process
from core.journal.verifying import Fault
from core.kernel.regulation import Place
from core.ledger.books import differences
from core.payoffice import journal_rules as office_rules
from core.payoffice.judging import Standpoint
from core.payoffice.models import Claim, Payment, RetiredPayments
from core.payoffice.services.finding import by_uuid
from core.payoffice.services.paying import Payer, PayRequest, pay, payment_make
from core.payoffice.services.presenting import acted_by, presentation_make
from core.payoffice.sources import DocumentArchived
from core.periods.archive.removing import retired_remove
from core.premises.models import Premises
from core.premises.requests import new_uuid
from core.staff.powers import Role
from lototrot import journal_rules
from lototrot.models.contest import Contest
from lototrot.models.retired import RetiredPrizes
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from lototrot.period_parts import waits
from lototrot.services.settlement.auditing import audit_contests
from tests.core.periods.archive.conftest import next_month_retired, night_killed, retired_copy
from tests.core.periods.archive.test_acts_leave import verified
from tests.core.periods.archive.test_retiring import forge, row_findings
from tests.core.periods.conftest import closed
from tests.lototrot.selectors.test_retired import accounts_of
from tests.support import databases, factories, paying, rounds
from tests.support.admin_desk import Desk, row_url
from tests.support.journaling import seal_all
from tests.support.stating import days_end

TICKETS, PRIZES = "lototrot_ticket", "lototrot_prize"
PAYMENTS, CLAIMS = "payoffice_payment", "payoffice_claim"
PAID_IN_MARCH, LAPSED, PRESENTED, PAID_IN_APRIL, LOST = range(5)


@pytest.fixture
def sold(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[list[Ticket]]:
    """Five tickets of March 2030, in a database of this test; it is July, no month is closed."""
    with django_db_blocker.unblock(), databases.restored(databases.prepared(_play)):
        name_process("command:period_archive")
        yield list(Ticket.objects.order_by("pk"))


@pytest.fixture
def sold_and_retired(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[list[Ticket]]:
    """The same, with March archived in `tmp_path` and retired; the night has not come yet."""
    with django_db_blocker.unblock():
        month = databases.prepared(closed, databases.prepared(_play))
        with retired_copy(month, tmp_path, tmp_path_factory):
            yield list(Ticket.objects.order_by("pk"))


def _play(*, collected: bool = True) -> None:
    """Four tickets won: one was paid in March, one lapsed, one was presented and paid later, if it
    was collected, and one was paid in April.
    """
    factories.time_to(rounds.NOON)
    point = factories.point()
    contest = paying.contest()
    won = paying.tickets(contest, 4, point)
    rounds.sell(contest, point, [(2, 4)])
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    rounds.order(contest)
    factories.prints_ended(contest)
    (cents,) = set(Prize.objects.values_list("prize_cents", flat=True))

    def pay(number: int) -> None:
        payment_make(at=point.actor, request=won[number].request(amount_cents=cents))
        seal_all()

    seal_all()
    factories.time_pass(days=1)
    pay(PAID_IN_MARCH)
    presentation_make(at=point.actor, code=won[PRESENTED].code)
    factories.time_pass(days=29)
    pay(PAID_IN_APRIL)
    if collected:
        pay(PRESENTED)
    days_end(30)
    days_end(65)


def here(sold: list[Ticket]) -> dict[str, set[int]]:
    """Return which of the tickets have which rows, by table."""
    number = {ticket.pk: place for place, ticket in enumerate(sold)}
    named = {
        TICKETS: Ticket.objects.values_list("pk", flat=True),
        PRIZES: Prize.objects.values_list("ticket_id", flat=True),
        CLAIMS: Claim.objects.values_list("document_id", flat=True),
        PAYMENTS: Payment.objects.values_list("claim__document_id", flat=True),
    }
    return {table: {number[key] for key in keys} for table, keys in named.items()}


def need_as_told(contest: Contest, before: dict[str, Any]) -> None:
    """Refuse another word of audits, reports, pages or journal than before."""
    now = accounts_of(contest)
    assert {key: now[key] for key in now if now[key] != before[key]} == {}
    assert row_findings() == []
    mine = {
        rule
        for rule in (*journal_rules.RULES, *office_rules.RULES)
        if "retired" in rule.name or "summed" in rule.name
    }
    assert len(mine) >= 6 and [row for rule in mine for row in rules.broken(rule)] == []


def test_what_follows_from_a_ticket_leaves_after_it(sold: list[Ticket], tmp_path: Path) -> None:
    contest = Contest.objects.get()
    before = accounts_of(contest)
    assert before["audit"] == (1, 5, 4, []) and before["ledger"][1] == []
    assert len(before["report payments"]) == 2
    all_of_them = {PAID_IN_MARCH, LAPSED, PRESENTED, PAID_IN_APRIL, LOST}
    won, stays = all_of_them - {LOST}, {PRESENTED}
    paid = won - {LAPSED}
    left_by_month = [
        # Claims and payments leave with the month in which they were made.
        {TICKETS: stays, PRIZES: stays, CLAIMS: won - {PAID_IN_MARCH}, PAYMENTS: paid - {0}},
        {TICKETS: stays, PRIZES: stays, CLAIMS: {LAPSED, PRESENTED}, PAYMENTS: stays},
        {TICKETS: stays, PRIZES: stays, CLAIMS: stays, PAYMENTS: stays},
    ]
    for month, left in enumerate(left_by_month, start=1):
        is_here = here(sold)
        assert next_month_retired(tmp_path).number == month
        assert here(sold) == is_here
        need_as_told(contest, before)  # the night has not come yet
        retired_remove()
        assert retired_remove() == 0
        assert here(sold) == left
        need_as_told(contest, before)
        verified(tmp_path)
    with pytest.raises(DocumentArchived):
        by_uuid("lototrot", sold[LAPSED].uuid)
    sums = RetiredPrizes.objects.order_by("state").values_list("state", "tickets", "prize_cents")
    cents = Prize.objects.get().prize_cents
    assert list(sums) == [("lapsed", 1, cents), ("paid", 2, 2 * cents)]
    payments = RetiredPayments.objects.values_list("day", "amounts_cents", "counts")
    days = [datetime.date(2030, 3, 3), datetime.date(2030, 4, 1)]
    assert sorted(payments) == [(day, [cents], [1]) for day in days]


@pytest.mark.article("14.III.10.2")
def test_a_prize_that_was_presented_and_never_collected_holds_no_month_back(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path
) -> None:
    """[D6]: its ticket stays, and is paid on any later day."""
    with django_db_blocker.unblock(), databases.clone():
        _play(collected=False)
        sold = list(Ticket.objects.order_by("pk"))
        contest = Contest.objects.get()
        before = accounts_of(contest)
        next_month_retired(tmp_path)
        retired_remove()
        need_as_told(contest, before)
        assert here(sold)[TICKETS] == here(sold)[PRIZES] == {PRESENTED}
        claim = Claim.objects.get(document_id=sold[PRESENTED].pk)
        payable = by_uuid("lototrot", sold[PRESENTED].uuid)
        request = PayRequest(new_uuid(), payable.amount_cents, intact=True)
        point = factories.point()
        payer = Payer(
            Standpoint(Place.ESTABLISHMENT, point.premises.pk),
            acted_by(point.actor) | {"session_id": point.actor.session_id},
        )
        assert pay(payable, request, payer).amount_cents == claim.amount_cents
        assert differences()[1] == []
        next_month_retired(tmp_path)
        retired_remove()
        assert here(sold)[TICKETS] == {PRESENTED} and row_findings() == []
        assert differences()[1] == []


def test_a_row_that_follows_never_leaves_before_its_ticket(
    sold: list[Ticket], tmp_path: Path
) -> None:
    contest = Contest.objects.get()
    before = accounts_of(contest)
    next_month_retired(tmp_path)
    for table, column in ((PRIZES, "ticket_id"), (CLAIMS, "document_id")):
        statement = f"DELETE FROM {table} WHERE {column} = {sold[PAID_IN_MARCH].pk}"
        error = pytest.raises((DatabaseError, psycopg.Error))
        with error, connections["owner"].cursor() as owner:
            owner.execute(statement)
    night_killed("_sealed_remove", PRIZES)
    assert here(sold)[TICKETS] == {PRESENTED} and len(here(sold)[PRIZES]) == 4
    refused = pytest.raises(DatabaseError, match="its payment is there")
    with refused, connections["owner"].cursor() as owner:
        owner.execute(statement)  # its ticket is gone
    need_as_told(contest, before)
    assert retired_remove() > 0
    need_as_told(contest, before)


@pytest.mark.article("14.III.10.5", "14.III.10.7")
def test_what_lapsed_is_not_restored_once_its_month_was_retired(
    sold_and_retired: list[Ticket],
) -> None:
    lapsed = Claim.objects.filter(state="lapsed")
    with pytest.raises(DatabaseError, match="was retired"), transaction.atomic():
        lapsed.update(state="held", changed_at=clock.now(), day=None)


@pytest.mark.article("14.III.10.5")  # [C8]
def test_a_deposit_in_time_that_nobody_has_matched_keeps_the_month_open(
    sold: list[Ticket],
) -> None:
    contest = Contest.objects.get()
    month = datetime.date(2030, 3, 1), datetime.date(2030, 3, 31)
    assert waits(*month) == []
    point = factories.point()
    paying.deposited(paying.worth(100)[0].code, point.actor)
    assert waits(*month) == []  # it was deposited after the last day
    in_time = f"TIMESTAMPTZ '{contest.lapse.last_claim_day} 12:00+02'"
    forge("payoffice_deposit", f"UPDATE payoffice_deposit SET deposited_at = {in_time}")
    forge("payoffice_depositmatch", "DELETE FROM payoffice_depositmatch")
    assert waits(*month) == [{"code": "deposits_unmatched", "deposits": 1}]


def test_other_sums_than_left_are_found(sold_and_retired: list[Ticket]) -> None:
    seal_all()
    assert retired_remove() > 0 and row_findings() == []
    sums, kept = "payoffice_retiredpayments", RetiredPayments.objects.get()
    assert str(Premises.objects.get(pk=kept.premises[0])) in Desk(Role.AUDITOR).get(row_url(kept))
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        RetiredPayments.objects.update(amounts_cents=[1])
    forge(sums, f"UPDATE {sums} SET amounts_cents[1] = amounts_cents[1] + 1")
    assert row_findings() == [(Fault.ROW_CHANGED, sums)]
    assert [each.account for each in differences()[1]]
    forge(sums, f"UPDATE {sums} SET amounts_cents = ARRAY{kept.amounts_cents}, counts = ARRAY[2]")
    assert [name for name, _, _ in rules.broken(office_rules.PAYMENTS_LEFT)] == [
        "periods_retiredrows"
    ]
    forge(sums, f"UPDATE {sums} SET counts = ARRAY[1]")
    for bad in ("counts = '{0}'", "amounts_cents = '{-5}'", "premises = '{1,2}'", "counts = '{}'"):
        with (
            pytest.raises(DatabaseError, match="these are no sums of payments that left"),
            transaction.atomic("owner"),
            connections["owner"].cursor() as owner,
        ):
            owner.execute(f"ALTER TABLE {sums} DISABLE TRIGGER USER")
            owner.execute(f"ALTER TABLE {sums} ENABLE TRIGGER sums")
            owner.execute(f"UPDATE {sums} SET {bad}")
    forge(
        "lototrot_retiredprizes",
        "UPDATE lototrot_retiredprizes SET state = 'lapsed', day = '2030-04-01'"
        " WHERE state = 'paid'",
    )
    assert audit_contests().findings and differences()[1]


def test_a_prize_or_payment_that_had_to_stay_is_missed(sold_and_retired: list[Ticket]) -> None:
    retired_remove()
    for table in (PRIZES, CLAIMS, PAYMENTS):
        with connections["owner"].cursor() as owner:
            owner.execute(f"CREATE TABLE kept AS SELECT * FROM {table}")
            ids = f"SELECT max(id) FROM {table} WHERE id IN (SELECT id FROM kept)"
        forge(table, f"DELETE FROM {table} WHERE id = ({ids})")
        assert {where for _, where in row_findings()} >= {table}
        missing = f"SELECT id FROM {table}"
        forge(table, f"INSERT INTO {table} SELECT * FROM kept WHERE id NOT IN ({missing})")
        with connections["owner"].cursor() as owner:
            owner.execute("DROP TABLE kept")
    assert row_findings() == []


def test_an_inquiry_into_an_archive_is_told_who_was_paid(
    sold_and_retired: list[Ticket], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("period_attach", str(tmp_path / "2030-03"))
    tables = {}
    for number in (PAID_IN_MARCH, PAID_IN_APRIL, LOST):
        capsys.readouterr()
        call_command("period_look", "2030-03", str(sold_and_retired[number].uuid))
        tables[number] = [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()]
    assert tables[PAID_IN_MARCH].count(CLAIMS) == tables[PAID_IN_MARCH].count(PAYMENTS) == 1
    # What was paid in April is in the archive of April.
    assert not {CLAIMS, PAYMENTS} & {*tables[PAID_IN_APRIL], *tables[LOST]}
