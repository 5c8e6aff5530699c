"""Statements that their own payments settled leave with these; debts, books and answers stay."""

import io
import tempfile
import uuid
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.journal import rules
from core.journal.acting import name_process
from core.journal.export import export
from core.journal.models import Act
from core.journal.services import checkpoint_publish, last_batch
from core.kernel.days import add_days, natural_day
from core.payoffice.services.recovering import RecoveryRecorded
from core.periods import journal_rules as period_rules
from core.periods.archive import retiring
from core.periods.archive.attaching import attach
from core.periods.archive.removing import entries_remove, retired_remove
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.reports.debts import by_age
from core.reports.tables import Period
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements import journal_rules, selectors, services, weeks
from core.statements import nightly as stating
from core.statements.balances import with_outstanding
from core.statements.left import StatementArchived, StatementUnknown
from core.statements.models import (
    Remittance,
    RetiredCommission,
    RetiredRemittances,
    RetiredStatements,
    Statement,
)
from core.statements.services import RemittanceRecorded, statement_settle
from lototrot.engine.races import Race
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_retiring import row_findings
from tests.core.periods.conftest import closed
from tests.support import databases, factories, rounds
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.factories.people import somebody
from tests.support.journaling import seal_all
from tests.support.payoffice import losing
from tests.support.stating import at, days_end, debts_now, rate, remitted
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

STATEMENTS, PAYMENTS = "statements_statement", "statements_remittance"
OF_ROWS = {
    STATEMENTS,
    PAYMENTS,
    *(f"statements_retired{name}" for name in ("commission", "remittances", "statements")),
}
SOLD = date(2030, 3, 3)
"""The Sunday of the week in which the shops sell."""
SETTLED, SHARING, IN_PART, LATE = range(4)
"""The shops: two are settled by one bank movement, one in part, and one when others pay later."""
LEFT = 5
"""The weeks of a shop that end 91 days before the end of June or earlier."""


@pytest.fixture
def june(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ClosedPeriod]:
    """June 2030, closed, in a database of its own; March to May were retired."""
    with django_db_blocker.unblock(), databases.restored(databases.prepared(_played)):
        name_process("command:period_archive")
        yield ClosedPeriod.objects.get(number=4)


def _played() -> None:
    factories.time_to(rounds.NOON)
    clerk = factories.staff(Role.ORGANISER)
    rate(clerk, "6", since=add_days(SOLD, -6))
    shops = [factories.point() for _ in range(4)]
    seal_all()
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    for shop in shops:
        rounds.sell(contest, shop, ((1, 2), (2, 4), (4, 4)))
    rounds.sell(contest, shops[0], ((1, 1),))
    rounds.run(contest, [Race((1, 2, 3), winners=frozenset({1}))] * 2)
    rounds.order(contest)
    factories.prints_ended(contest)
    seal_all()
    days_end(3)
    for shop in (SETTLED, SHARING):
        _pay(_statement(shops[shop]), "TRF 1/2030")
    _pay(_statement(shops[IN_PART]), "TRF 3/2030", cents=100)
    seal_all()
    at(date(2030, 4, 9))
    days_end(1)
    _pay(_statement(shops[IN_PART], date(2030, 4, 7)), "TRF 4/2030", cents=50)
    _pay(_statement(shops[LATE]), "TRF 5/2030")
    seal_all()
    days_end(91)
    with tempfile.TemporaryDirectory() as folder:
        for month in range(1, 5):
            closed()
            if month < 4:
                name_process("command:period_archive")
                retired(ClosedPeriod.objects.get(number=month), Path(folder))
    retired_remove()


def _pay(statement: Statement, reference: str, cents: int = 0) -> None:
    clerk, paid_cents = factories.staff(Role.SUPERVISOR), cents or statement.closing_cents
    remitted(clerk, statement, paid_cents, natural_day(clock.now()), reference)


def _statement(of: factories.Point, sunday: date = SOLD) -> Statement:
    return Statement.objects.get(premises=of.premises, week_to=sunday)


def of_shop(shop: int, sunday: date = SOLD) -> Statement:
    """Return the statement of a shop, by its place among those that sold."""
    places = Statement.objects.order_by("premises").values_list("premises", flat=True).distinct()
    return Statement.objects.get(premises=places[shop], week_to=sunday)


def named(period: ClosedPeriod) -> dict[str, tuple[int, int]]:
    """Return rows and leaving rows of statements and payments that were retired with a month."""
    rows = RetiredRows.objects.filter(
        retirement__period=period, relation__in=(STATEMENTS, PAYMENTS)
    )
    return {row.relation: (row.count, row.leaves) for row in rows}


def night() -> int:
    removed = retired_remove()
    entries_remove()
    return removed


def sound() -> None:
    """Check books, statements and the journal."""
    rounds.books_agree()
    assert stating.audit_everything().counts["statements"] == Statement.objects.count()
    assert row_findings() == []
    movements = (journal_rules.MOVEMENT, journal_rules.ONCE)
    of_months = (journal_rules.LEFT_SUMMED, *movements, *period_rules.RULES)
    of_rows = [rule for rule in journal_rules.RULES if rule.table in OF_ROWS]
    assert [rule.name for rule in (*of_months, *of_rows) if any(rules.broken(rule))] == []


def acts_of(rows: Any) -> set[int]:
    with connection.cursor() as cursor:
        table, keys = rows.model._meta.db_table, list(rows.values_list("pk", flat=True))
        cursor.execute(f"SELECT journal_xid FROM {table} WHERE id = ANY (%s)", [keys])
        return {act for (act,) in cursor.fetchall()}


def settle(statement: Statement, reference: str, cents: int) -> Remittance | Proposal:
    return statement_settle(
        by=factories.staff(Role.SUPERVISOR),
        statement=statement.uuid,
        amount_cents=cents,
        paid_on=natural_day(clock.now()),
        reference=reference,
    )


def test_they_leave_with_their_payments_and_debts_and_books_are_as_before(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    assert not RetiredRows.objects.filter(relation__in=(STATEMENTS, PAYMENTS)).exists()
    debts, left = (
        debts_now(),
        dict(with_outstanding(Statement.objects).values_list("pk", "left_cents")),
    )
    retired(june, tmp_path)
    # Of the shops that were settled; of the two others, all of March stay.
    assert named(june) == {STATEMENTS: (4 * LEFT, 2 * LEFT), PAYMENTS: (3, 2)}
    sound()
    gone = Statement.objects.filter(premises__in=RetiredStatements.objects.get().premises)
    acts = acts_of(gone.filter(number__lte=LEFT)) | acts_of(
        Remittance.objects.filter(reference="TRF 1/2030")
    )
    assert night() > 0 and night() == 0
    assert gone.order_by("number")[0].number == LEFT + 1
    assert Statement.objects.filter(week_to=SOLD).count() == 2
    assert sorted(Remittance.objects.values_list("reference", flat=True)) == [
        "TRF 3/2030",
        "TRF 4/2030",
        "TRF 5/2030",
    ]
    assert debts_now() == debts
    outstanding = with_outstanding(Statement.objects.all()).values_list("pk", "left_cents")
    assert set(outstanding) == {(key, left[key]) for key, _ in outstanding}
    assert set(Act.objects.filter(pk__in=acts).values_list("pk", flat=True)) == acts
    sound()
    assert list(by_age(Period(SOLD, SOLD)))
    verified(tmp_path)
    schema = attach(tmp_path / "2030-06")
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT count(*) FROM "{schema}"."{STATEMENTS}" s JOIN "{schema}"."{PAYMENTS}" m'
            " ON m.statement_id = s.id AND m.amount_cents = s.closing_cents"
        )
        assert cursor.fetchone() == (2,)


def verified(folder: Path) -> None:
    """Check the exported journal and the archive of June by `verify/`."""
    seal_all()
    last = last_batch()
    assert last is not None
    checkpoint_publish(number=last.number)
    exported = io.StringIO()
    export(exported)
    path = folder / "journal"
    path.write_text(exported.getvalue(), "utf-8")
    files = (written(folder, "log.jsonl", published_log()), public_key())
    assert "WHOLE" in verifier("journal").check(str(path), *files)
    verdict = verifier("archive").check(str(folder / "2030-06"), *files)
    assert "it is the archive of which rows were retired" in verdict
    # Of statements and payments all: their weeks ended 91 days before.
    assert int(verdict.partition(" rows not compared")[0].rpartition("; ")[2]) >= 4 * LEFT + 3


def test_one_that_left_is_told_from_one_that_never_was(june: ClosedPeriod, tmp_path: Path) -> None:
    places = [of_shop(shop).premises_id for shop in range(4)]
    retired(june, tmp_path)
    by = factories.staff(Role.AUDITOR)
    monday = add_days(SOLD, -6)
    first = weeks.ident(places[SETTLED], monday)
    assert selectors.statement_one(by=by, ident=first).number == 1  # before the night
    night()
    with pytest.raises(StatementArchived) as refusal:
        selectors.statement_one(by=by, ident=first)
    assert refusal.value.data["month"] == "2030-06"
    assert refusal.value.data["kept"] == "Safe of the Central Office"
    with pytest.raises(StatementArchived):
        selectors.remittances(by=by, statement=weeks.ident(places[SHARING], date(2030, 3, 25)))
    desk = Desk(Role.AUDITOR)
    assert desk.client.get(f"/admin/statements/statement/{first}.pdf").status_code == 404
    for model in (RetiredStatements, RetiredRemittances, RetiredCommission):
        for url in (list_url(model), row_url(model.objects.get())):
            desk.get(url)
    never = (
        weeks.ident(places[SETTLED], add_days(monday, -7)),  # of before its first sale
        weeks.ident(places[SETTLED], add_days(monday, 1)),
        weeks.ident(places[SETTLED], date(2030, 12, 30)),
        weeks.ident(places[SETTLED], monday, 1),
        weeks.ident(99_999, monday),
        uuid.uuid4(),
        uuid.UUID(int=0),
    )
    for ident in never:
        with pytest.raises(StatementUnknown) as refusal:
            selectors.statement_one(by=by, ident=ident)
        assert not isinstance(refusal.value, StatementArchived)
    for shop in (IN_PART, LATE):
        stays = weeks.ident(places[shop], monday)
        assert selectors.statement_one(by=by, ident=stays).premises_id == places[shop]


def test_a_bank_movement_whose_payment_left_is_not_recorded_again(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    first, shop, other = of_shop(SETTLED), of_shop(SETTLED).premises, of_shop(IN_PART).premises
    sharing = of_shop(SHARING).premises
    retired(june, tmp_path)
    night()
    with pytest.raises(StatementArchived):
        settle(first, "TRF 1/2030", first.closing_cents)
    newest = Statement.objects.filter(premises=shop).order_by("-number")[0]
    for reference in ("TRF 1/2030", " trf  1/2030"):
        with pytest.raises(RemittanceRecorded):
            settle(newest, reference, 10)
    owing = Statement.objects.filter(premises=other).order_by("-number")[0]
    proposal = settle(owing, "trf 1/2030", 10)
    assert isinstance(proposal, Proposal)
    assert proposal.content["also_of"] == sorted([shop.code, sharing.code])
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    assert isinstance(settle(owing, "TRF 2/2030", 10), Remittance)
    sound()


def test_a_movement_whose_payment_left_gives_back_no_loss(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    retired(june, tmp_path)
    night()
    supervisor = losing.lost()
    losing.recovered(supervisor, 40, "TRF 2/2030")
    with pytest.raises(RecoveryRecorded):
        losing.recovered(supervisor, 40, "trf 1/2030")
    assert not list(rules.broken(journal_rules.ONCE))


def forged(statement: Statement, reference: str) -> None:
    """Insert a payment as a dishonest service could."""
    by = somebody()
    count = statement.remittances.count() + 1
    with transaction.atomic():
        Remittance.objects.create(
            uuid=weeks.ident(statement.premises_id, statement.week_from, count),
            statement=statement,
            number=count,
            premises_id=statement.premises_id,
            amount_cents=10,
            paid_on=natural_day(clock.now()),
            reference=reference,
            recorded_at=clock.now(),
            recorded_by_id=by.user_id,
            recorded_in=by,
        )


def test_the_database_refuses_a_payment_again_and_one_of_a_statement_that_leaves(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    first, sharing = of_shop(SETTLED), of_shop(SHARING)
    newest = Statement.objects.filter(premises=first.premises_id).order_by("-number")[0]
    owing = Statement.objects.filter(premises=of_shop(IN_PART).premises_id).order_by("-number")[0]
    retired(june, tmp_path)
    with pytest.raises(DatabaseError, match="it is settled, and was retired"):
        forged(first, "TRF 9/2030")
    night()
    with pytest.raises(DatabaseError, match="the bank movement was recorded before"):
        forged(newest, "Trf 1/2030")
    with pytest.raises(DatabaseError, match="other premises have a part of the bank movement"):
        forged(owing, "TRF 1/2030")
    for statement in (first, sharing):
        with pytest.raises(DatabaseError, match="have no statement"):
            forged(statement, "TRF 9/2030")
    forged(owing, "TRF 9/2030")


def test_a_payment_of_an_old_statement_between_archive_and_retirement_stays(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=june, folder=tmp_path)
    seal_all()
    by = factories.staff(Role.ORGANISER)
    proposal = retiring.retirement_propose(by=by, number=june.number, kept="Safe")
    _pay(of_shop(IN_PART), "TRF 7/2030", cents=100)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    assert named(june) == {STATEMENTS: (4 * LEFT, 2 * LEFT), PAYMENTS: (3, 2)}
    assert night() > 0 and night() == 0
    assert of_shop(IN_PART).remittances.count() == 2
    sound()


def test_the_next_month_follows_on_and_what_stayed_once_stays(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    first, late = of_shop(SETTLED), of_shop(LATE)
    retired(june, tmp_path)
    assert night() > 0
    days_end(31)
    closed()
    july = ClosedPeriod.objects.get(number=5)
    name_process("command:period_archive")
    retired(july, tmp_path)
    # Four weeks of each: of who paid late the last three, of who owes none. Both payments stay.
    assert named(july) == {STATEMENTS: (16, 11), PAYMENTS: (2, 0)}
    sound()
    assert night() > 0 and night() == 0
    assert late.remittances.count() == 1 and Statement.objects.filter(pk=late.pk).exists()
    sound()
    for statement, number_left in ((first, LEFT + 4), (late, LEFT + 4)):
        monday = add_days(statement.week_from, 7 * (number_left - 1))
        with pytest.raises(StatementArchived) as refusal:
            services.statement_get(weeks.ident(statement.premises_id, monday))
        assert refusal.value.data["month"] == "2030-07"
