"""A retired month leaves an opening; balances begin with it, and a touched one is found."""

import datetime
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import DatabaseError, connections, transaction

from core.database import clock
from core.journal import rules
from core.journal.acting import name_process
from core.journal.verifying import Fault, verify
from core.kernel.days import add_days, day_bounds, natural_day
from core.ledger import openings, selectors
from core.ledger import services as ledger
from core.ledger.blocks import ACCOUNTS
from core.ledger.books import differences
from core.ledger.models import Account, OpeningBalance, Transfer
from core.periods import journal_rules, nightly
from core.periods.archive import writing
from core.periods.archive.files import PeriodNotAsPublished
from core.periods.archive.opening import OPENING, opening_differs
from core.periods.archive.retiring import RowsNotAsArchived
from core.periods.models import ClosedPeriod, Retirement
from core.staff.powers import Role
from core.statements.balances import mark_make
from core.statements.services import statements_issue
from lototrot.models.contest import Contest
from tests.core.ledger.conftest import opening_of, transfer_at
from tests.core.periods.archive.conftest import forge, retired
from tests.core.periods.conftest import closed, late_transfer, march_ended
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.databases import Database
from tests.support.journaling import seal_all
from tests.support.stating import debts_now
from tests.support.verifying.forging import Refused, public_key, published_log, written
from tests.support.verifying.load import verifier

CASH, OWED = ledger.asset("test:cash"), ledger.liability("test:owed")


def ledger_findings() -> list[tuple[str, str]]:
    """Return what the journal says of rows of the ledger."""
    return [
        (each.what, each.table)
        for each in verify().findings
        if each.what is not Fault.RULE and str(each.table).startswith("ledger_")
    ]


def all_balances(period: ClosedPeriod) -> list[object]:
    """Return the balances of now and of the end of a month, in every way in which they are read."""
    return [
        ledger.balances(),
        selectors.trial(),
        openings.balances_before(period.ends_at),
        debts_now(),
    ]


def test_balances_begin_with_the_opening_of_the_last_retired_month(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    before = all_balances(own_month)
    one = ledger.balances()[0]
    retired(own_month, tmp_path)
    up_to = openings.newest()
    in_opening = Transfer.objects.filter(pk__lte=up_to)
    assert 0 < in_opening.count() < Transfer.objects.count()
    assert {row.ends_at for row in OpeningBalance.objects.all()} == {own_month.ends_at}
    assert nightly.audit_everything().counts == {"periods": 1}
    assert [row for rule in journal_rules.RULES for row in rules.broken(rule)] == []
    row = OpeningBalance.objects.order_by("pk")[0]
    desk = Desk(Role.AUDITOR)
    codes = {account.code for account in Account.objects.filter(pk__in=row.by_account())}
    assert len(codes) > 1
    assert all(code in desk.get(row_url(row)) for code in codes)
    listed = list_url(OpeningBalance)
    assert row_url(row) in desk.get(f"{listed}?q={min(codes)}")
    assert row_url(row) not in desk.get(f"{listed}?q=no-account")
    nightly.remove(natural_day(clock.now()))
    assert not in_opening.exists()
    assert all_balances(own_month) == before
    assert ledger.balances(prefix=one.code, limit=1) == [one]
    side = Account.Side(one.side)
    assert ledger.balance_cents(ledger.AccountCode(one.code, side)) == one.cents
    assert differences()[1] == []
    assert opening_differs(own_month) == []
    assert ledger_findings() == []


def test_a_cent_more_in_an_opening_is_found_by_night_journal_and_books(
    retired_month: ClosedPeriod,
) -> None:
    seal_all()
    assert (ledger_findings(), differences()[1]) == ([], [])
    # Both sides of one account: its balance stays as it was.
    row = OpeningBalance.objects.order_by("pk")[0]
    first, at = row.pk, min(row.by_account()) % ACCOUNTS + 1
    forge(
        OPENING,
        f"UPDATE ledger_openingbalance SET debits_cents[{at}] = debits_cents[{at}] + 1,"
        f" credits_cents[{at}] = credits_cents[{at}] + 1 WHERE id = {first}",
    )
    assert opening_differs(retired_month) == ["opening"]
    assert differences()[1] == []
    forge(
        OPENING,
        f"UPDATE ledger_openingbalance SET debits_cents[{at}] = debits_cents[{at}] + 1"
        f" WHERE id = {first}",
    )
    with pytest.raises(nightly.PeriodsDiffer) as raised:
        nightly.audit(add_days(natural_day(clock.now()), -1))
    (march,) = raised.value.data["found"]
    assert march["differ"] == ["opening", "opening_balances"]
    assert len(differences()[1]) == 1
    assert ledger_findings() == [(Fault.ROW_CHANGED, OPENING)]
    forge(OPENING, f"DELETE FROM ledger_openingbalance WHERE id = {first}")
    assert ledger_findings() == [(Fault.ROW_REMOVED, OPENING)]
    assert opening_differs(retired_month) == ["opening"]  # its transfers are still there


COLUMNS = "up_to, ends_at, debits_cents, credits_cents, transfers"


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE ledger_openingbalance SET debits_cents[{at}] = NULL", Fault.ROW_CHANGED),
        ("UPDATE ledger_openingbalance SET transfers[{at}] = NULL", Fault.ROW_CHANGED),
        ("DELETE FROM ledger_openingbalance", Fault.ROW_REMOVED),
        (
            f"INSERT INTO ledger_openingbalance (block, {COLUMNS})"
            f" SELECT block, {COLUMNS} FROM ledger_openingbalance",
            Fault.ROW_WITHOUT_ACT,
        ),
    ],
    ids=["no sum", "no count", "left out", "twice"],
)
def test_a_block_that_the_owner_spoiled_is_found(
    retired_month: ClosedPeriod, statement: str, fault: Fault
) -> None:
    """Its transfers have left: nobody can sum them again."""
    seal_all()
    nightly.remove(natural_day(clock.now()))
    assert (ledger_findings(), differences()[1]) == ([], [])
    at = min(OpeningBalance.objects.order_by("pk")[0].by_account()) % ACCOUNTS + 1
    with connections["owner"].cursor() as owner:
        owner.execute("ALTER TABLE ledger_openingbalance DROP CONSTRAINT opening_balance_once")
    forge(OPENING, statement.format(at=at))
    assert opening_differs(retired_month)
    assert differences()[1]
    assert fault in {what for what, _table in ledger_findings()}


def test_an_account_may_come_into_a_hole_of_a_block_that_is_opened(
    retired_month: ClosedPeriod,
) -> None:
    """Ids have holes, where an act was undone. It has no opening, and its transfers count."""
    before = Account.objects.order_by("-pk")[0].pk
    up_to = openings.newest()
    late = Account.objects.create(
        pk=before + 2, code="test:late", side="debit", opened_at=clock.now()
    )
    transfer_at(clock.now(), ledger.asset("test:late"), OWED, 7)
    assert not OpeningBalance.objects.filter(block=late.pk // ACCOUNTS, up_to__gt=up_to).exists()
    assert ledger.balance_cents(ledger.asset("test:late")) == 7
    assert opening_differs(retired_month) == []


def test_a_month_with_a_late_transfer_is_not_retired(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    """A transfer of March that came after its closing would be in no opening that was closed."""
    sold = Contest.objects.get()
    late_transfer(sold)
    with pytest.raises(PeriodNotAsPublished) as refused:
        retired(own_month, tmp_path)
    assert refused.value.data["differ"] == ["balances", "transfers", "stored_balances"]


def test_a_late_transfer_after_the_archive_stops_the_retirement(
    own_month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def then_late(**kwargs: object) -> None:
        writing.archive_write(**kwargs)
        late_transfer(Contest.objects.get())

    monkeypatch.setattr("tests.core.periods.archive.conftest.archive_write", then_late)
    with pytest.raises(RowsNotAsArchived) as refused:
        retired(own_month, tmp_path)
    assert refused.value.data == {"table": OPENING}
    assert not OpeningBalance.objects.exists()


def test_nothing_else_writes_an_opening(retired_month: ClosedPeriod) -> None:
    row = OpeningBalance.objects.order_by("pk")[0]
    account = Account.objects.get(pk=min(row.by_account()))
    for up_to in (row.up_to, row.up_to + 1):
        with pytest.raises(DatabaseError, match="no month is retired"), transaction.atomic():
            opening_of(account, up_to, row.ends_at, debit_cents=1)
    forge(
        OPENING,
        "INSERT INTO ledger_openingbalance"
        " (block, up_to, ends_at, debits_cents, credits_cents, transfers)"
        " SELECT block, up_to + 1, now(), debits_cents, credits_cents, transfers"
        f" FROM ledger_openingbalance WHERE id = {row.pk}",
    )
    (name,) = (
        rule.name
        for rule in journal_rules.RULES
        if rule.table == OPENING and any(rules.broken(rule))
    )
    assert name == "ledger_openingbalance.with_periods_retirement"


def test_openings_follow_from_the_archives_also_of_a_night_at_the_end_of_a_month(
    month_with_night: ClosedPeriod, tmp_path: Path
) -> None:
    """Two transfers of April were numbered after one of May."""
    months = list(ClosedPeriod.objects.order_by("number"))
    for period in months:
        retired(period, tmp_path)
        assert opening_differs(period) == []
    assert nightly.audit_everything().counts == {"periods": 3}
    march, april, may = (
        retirement.entry.document["openings"] for retirement in Retirement.objects.order_by("pk")
    )
    night = Transfer.objects.filter(kind="test").order_by("pk").values_list("pk", flat=True)
    assert march["last_row"] < night[0]
    assert (april["first_row"], april["last_row"]) == (march["last_row"] + 1, march["last_row"])
    assert (may["first_row"], may["last_row"]) == (april["first_row"], night[2])
    assert months[1].document["transfers"]["count"] == 2
    log = published_log()
    files = written(tmp_path, "log.jsonl", log), public_key()
    archive = verifier("archive")
    for name in ("2030-03", "2030-04", "2030-05"):
        assert "of which rows were retired" in archive.check(str(tmp_path / name), *files)
    for lie in ({"sha256": "00" * 32}, {"accounts": 1}, {"first_row": night[0]}):
        folder = archive.Archive(str(tmp_path / "2030-05"))
        with pytest.raises(Refused, match=r"periods\.retired\.openings"):
            archive.check_openings(folder, may | lie, april)
    with pytest.raises(Refused, match=r"periods\.retired\.openings"):
        archive.check_openings(archive.Archive(str(tmp_path / "2030-05")), may, None)


@pytest.fixture
def month_with_night(own_database: Database) -> ClosedPeriod:
    """March to May 2030, closed. At midnight before May three transfers were under way."""
    ledger.account_open([CASH, OWED])
    march_ended()
    midnight = day_bounds(datetime.date(2030, 4, 30))[1]
    for seconds in (-2, 1, -1):
        transfer_at(midnight + timedelta(seconds=seconds), CASH, OWED, 100 + seconds)
    mark_make()
    factories.time_pass(days=35)
    statements_issue(until=add_days(natural_day(clock.now()), -1))
    for _ in range(3):
        closed()
    name_process("command:period_archive")
    return ClosedPeriod.objects.get(number=1)
