"""Pages and archives tell of a statement that left; its retirement takes locks in their order."""

from pathlib import Path

from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from core.database.locks import MOVEMENTS, Lock
from core.kernel.days import add_days
from core.periods.archive import retiring
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod
from core.staff import two_persons
from core.staff.powers import Role
from core.statements import weeks
from core.statements.models import Statement
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_statements_leave import (
    LATE,
    PAYMENTS,
    SETTLED,
    STATEMENTS,
    night,
    of_shop,
)
from tests.core.periods.archive.test_statements_leave import june as june
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, row_url, text_of
from tests.support.concurrency.locks import locks_of
from tests.support.journaling import seal_all


def test_pages_say_of_a_statement_that_left_which_archive_has_it(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    left, stays = of_shop(SETTLED), of_shop(LATE)
    (paid,) = left.remittances.all()
    desk = Desk(Role.ORGANISER)

    def not_there(url: str) -> str:
        answer: HttpResponse = desk.client.get(url)
        assert answer.status_code == 404
        return text_of(answer)

    assert "in the archives" not in desk.get(row_url(left.premises))
    retired(june, tmp_path)
    night()
    for row in (left, paid):
        assert "were retired with 2030-06: its archive has them" in not_there(row_url(row))
    paper = f"{list_url(Statement)}{left.uuid}"
    for form in ("pdf", "csv"):
        words = not_there(f"{paper}.{form}")
        assert "That statement was settled and has left." in words
        assert "2030-06" in words and "Safe of the Central Office" in words
    never = weeks.ident(left.premises_id, add_days(left.week_from, -7))
    assert "There is no such statement." in not_there(f"{list_url(Statement)}{never}.pdf")
    page = desk.get(row_url(left.premises))
    assert "Those up to 31 Mar 2030 that are not listed are in the archives." in page
    assert desk.client.get(row_url(Statement(pk=10**9))).status_code == 302
    assert desk.get(row_url(stays))


def test_an_inquiry_into_an_archive_reads_the_payments_of_a_statement(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    left = of_shop(SETTLED)
    retired(june, tmp_path)
    night()
    attach(tmp_path / "2030-06")
    tables = [table for table, _ in rows_about("2030-06", str(left.uuid))]
    assert [table for table in tables if table in (STATEMENTS, PAYMENTS)] == [STATEMENTS, PAYMENTS]


def test_a_retirement_asks_for_bank_movements_before_the_public_log(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    """A holder of the lock of the log waits for nobody: all else that is published waits for it."""
    archive_write(period=june, folder=tmp_path)
    seal_all()
    by, second = factories.staff(Role.ORGANISER), factories.staff(Role.AUDITOR)
    proposal = retiring.retirement_propose(by=by, number=june.number, kept="Safe")
    with CaptureQueriesContext(connection) as queries:
        two_persons.confirm(proposal=proposal.uuid, by=second)
    taken = locks_of(queries)
    assert {(Lock.STATEMENT, MOVEMENTS), (Lock.LOG, 0)} <= set(taken)
    assert taken == sorted(taken)
