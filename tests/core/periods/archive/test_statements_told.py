"""Pages and archives tell of a statement that left; its retirement takes locks in their order."""

from pathlib import Path

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from core.database import clock
from core.database.locks import MOVEMENTS, Lock
from core.journal.acting import name_process
from core.kernel.days import add_days, natural_day
from core.payoffice.services.paying import payment_make
from core.periods.archive import retiring
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements import weeks
from core.statements.left import paid_left
from core.statements.models import Remittance, Statement
from lototrot.engine.races import Race
from lototrot.models.settlement import Prize
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_statements_leave import (
    IN_PART,
    LATE,
    PAYMENTS,
    SETTLED,
    SOLD,
    STATEMENTS,
    night,
    of_shop,
    settle,
    sound,
)
from tests.core.periods.archive.test_statements_leave import june as june
from tests.core.periods.conftest import closed
from tests.support import factories, paying, rounds
from tests.support.admin_desk import Desk, list_url, row_url, text_of
from tests.support.concurrency.locks import locks_of
from tests.support.databases import Database
from tests.support.journaling import seal_all
from tests.support.stating import days_end, rate, remitted
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier
from tests.verify.test_archive import rewritten


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


def test_the_search_box_names_the_archive_of_a_statement_that_left(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    left = of_shop(SETTLED)
    never = weeks.ident(left.premises_id, add_days(left.week_from, -7))
    retired(june, tmp_path)
    night()
    desk = Desk(Role.ORGANISER)

    def answer_to(ident: object) -> str:
        return text_of(desk.client.post("/admin/find/", {"q": str(ident)}, follow=True))

    assert "The archive of 2030-06 has it: Safe of the Central Office." in answer_to(left.uuid)
    assert "Nothing was found" in answer_to(never)
    assert "has left" not in answer_to(of_shop(LATE).uuid)


def test_the_list_says_up_to_which_week_statements_left(june: ClosedPeriod, tmp_path: Path) -> None:
    """Those of April to June stay: their month was retired, and debts by age read them."""
    retired(june, tmp_path)
    night()
    desk, premises = Desk(Role.ORGANISER), of_shop(LATE).premises.code
    page = text_of(desk.client.get(list_url(Statement), {"premises.is": premises}))
    assert "Rows up to 31 Mar 2030 were retired" in page
    later = {"premises.is": premises, "week_to.from": "2030-04-01"}
    assert "were retired" not in text_of(desk.client.get(list_url(Statement), later))


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


def test_a_payment_that_was_proposed_before_a_retirement_is_confirmed_after_it(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    """The first part of its bank movement is a row when it is proposed, and has left then."""
    owing = of_shop(IN_PART)
    proposal = settle(owing, "TRF 1/2030", 10)
    assert isinstance(proposal, Proposal)
    retired(june, tmp_path)
    night()
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    assert owing.remittances.count() == 2
    sound()


def test_what_was_paid_to_premises_leaves_with_its_statement(
    own_database: Database, tmp_path: Path
) -> None:
    factories.time_to(rounds.NOON)
    rate(factories.staff(Role.ORGANISER), since=add_days(SOLD, -6))
    seller, payer = factories.point(), factories.point()
    contest = paying.contest()
    (won,) = paying.tickets(contest, 1, seller)
    rounds.sell(contest, seller, [(2, 4)])
    rounds.run(contest, [Race((1, 2, 3), winners=frozenset({1}))] * 2)
    rounds.order(contest)
    factories.prints_ended(contest)
    seal_all()
    factories.time_pass(days=1)
    prize_cents = Prize.objects.get().prize_cents
    payment_make(at=payer.actor, request=won.request(amount_cents=prize_cents))
    seal_all()
    days_end(3)
    paid = {}
    for statement in Statement.objects.order_by("premises"):
        paid[statement.premises_id] = statement.closing_cents
        by, today = factories.staff(Role.SUPERVISOR), natural_day(clock.now())
        remitted(by, statement, statement.closing_cents, today, f"TRF {statement.pk}")
    assert paid[payer.premises.pk] == -prize_cents
    seal_all()
    days_end(35)
    seal_all()
    days_end(91)
    for month in range(1, 5):
        closed()
        name_process("command:period_archive")
        log = written(tmp_path.parent, f"{tmp_path.name}.jsonl", published_log())
        retired(ClosedPeriod.objects.get(number=month), tmp_path)
    compared(tmp_path, log)
    night()
    assert not Statement.objects.filter(week_to=SOLD).exists()
    assert not Remittance.objects.exists()
    assert dict(paid_left()) == paid
    sound()


def compared(folder: Path, log: str) -> None:
    """Check that the archives of earlier months prove the statements in that of June.

    `log` is of before the retirement of June, which names the digest of the true archive.
    """
    archive, june = verifier("archive"), folder / "2030-06"
    earlier = [str(folder / f"2030-0{month}") for month in (3, 4, 5)]
    files = (str(june), log, public_key())
    assert "rows not compared" in archive.check(*files)
    assert "rows not compared" not in archive.check(*files, *earlier)
    newest = written(folder.parent, f"{folder.name}.newest.jsonl", published_log())
    verdict = archive.check(str(june), newest, public_key(), *earlier)
    assert verdict.endswith("it is the archive of which rows were retired")
    # The statements have another number, and the manifest fits.
    rewritten(june, f"{STATEMENTS}.jsonl.gz", lambda lines: [_renumbered(each) for each in lines])
    assert "rows not compared" in archive.check(*files)
    with pytest.raises(verifier("forms").Refused, match="its own month did not seal it"):
        archive.check(*files, *earlier)


def _renumbered(line: str) -> str:
    return line.replace('"number": ', '"number": 1')
