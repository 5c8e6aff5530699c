"""Transfers of a retired month leave; every audit holds without them, and old days are refused."""

import datetime
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from core.database import clock
from core.journal import acting, rules
from core.journal.verifying import Fault
from core.kernel.days import add_days, day_bounds, natural_day
from core.ledger import openings
from core.ledger import services as ledger
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.ledger.openings import LedgerArchived
from core.periods import nightly
from core.periods.archive import removing, retiring
from core.periods.archive.retiring import RightStands
from core.periods.archive.tables import retiring_tables
from core.periods.models import ClosedPeriod
from core.premises.requests import new_uuid
from core.reports.days import day_file
from core.reports.tables import Period
from core.statements import balances, weeks
from core.statements import nightly as stating
from core.statements.cash_ups import cash_up_close, drawer
from core.statements.journal_rules import DRAWER, LIMIT, TILLS
from core.statements.models import CashUp, Mark, Statement
from core.statements.selectors import terminal_account
from core.statements.services import statements_issue
from lototrot import reports
from tests.core.periods.archive.conftest import forge, retired
from tests.core.periods.archive.test_retiring import row_findings
from tests.core.periods.conftest import closed
from tests.support import factories
from tests.support.journaling import seal_all
from tests.support.stating import debts_now

TRANSFERS = "ledger_transfer"
MARCH = datetime.date(2030, 3, 30)


def removed(period: ClosedPeriod, folder: Path) -> int:
    """Retire the month and let the night delete what is retired; return the last transfer of it."""
    retired(period, folder)
    return night()


def night() -> int:
    """Delete what is retired; return the last transfer of it."""
    seal_all()
    nightly.remove(natural_day(clock.now()))
    up_to = openings.newest()
    assert up_to and not Transfer.objects.filter(pk__lte=up_to).exists()
    return up_to


def broken() -> set[str]:
    return {rule.name for rule in rules.rules() if any(rules.broken(rule))}


def test_audits_and_rules_hold_without_the_transfers_that_left(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    """The tickets of `rounds` are of no sale's act: that rule names them before and after."""
    before, debts = broken(), debts_now()
    removed(own_month, tmp_path)
    assert (broken() - before, row_findings(), differences()[1]) == (set(), [], [])
    assert nightly.audit_everything().counts == {"periods": 1}
    stated = dict(stating.audit_everything().counts)
    assert stated["statements"] == Statement.objects.count() > 0
    assert debts_now() == debts
    place = factories.point()
    factories.sell(factories.contest(), place)
    account = terminal_account(terminal=place.actor)  # of premises without a statement
    assert account.columns["sales"] == account.balance_cents > 0
    mark = balances.mark_make()[0]
    assert balances.mark_differences() == []
    assert debts_now()[place.premises.pk] > 0
    assert not [rule.name for rule in (LIMIT, TILLS, DRAWER) if any(rules.broken(rule))]
    seal_all()
    forge(TRANSFERS, f"DELETE FROM {TRANSFERS} WHERE id = {mark.up_to}")
    assert set(row_findings()) == {(Fault.ROW_REMOVED, TRANSFERS), (Fault.ROWS_DIFFER, TRANSFERS)}


def test_marks_and_debts_begin_with_the_opening_where_a_mark_is_older(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    """A mark of March is not compared any more; without a newer one the opening stands in."""
    debts = debts_now()
    up_to = removed(own_month, tmp_path)
    older = f"UPDATE statements_mark SET up_to = up_to - 1000 WHERE up_to >= {up_to}"
    forge("statements_mark", older)
    assert not Mark.objects.filter(up_to__gte=up_to).exists()
    assert debts_now() == debts
    assert balances.mark_differences() == []
    assert not [rule.name for rule in (LIMIT, TILLS) if any(rules.broken(rule))]
    mark, _ = balances.mark_make()
    assert mark.up_to >= up_to
    assert balances.mark_differences() == []
    marked = sum(map(len, mark.balances.values_list("debts_cents", flat=True)))
    seven = """(SELECT jsonb_object_agg(key, 7) FROM jsonb_each(debts_cents))"""
    forge("statements_markedbalance", f"UPDATE statements_markedbalance SET debts_cents = {seven}")
    assert len(balances.mark_differences()) == marked > 0


def _day_file() -> None:
    day_file.write(MARCH, io.StringIO())


READERS: list[Callable[[], object]] = [
    lambda: openings.balances_before(day_bounds(MARCH)[0]),
    lambda: weeks.week(datetime.date(2030, 3, 31)),
    lambda: weeks.ledger_cents(datetime.date(2030, 3, 24)),
    lambda: list(reports.history(Period(MARCH, datetime.date(2030, 5, 1)))),
    _day_file,
]


def test_a_time_before_the_end_of_the_retired_month_is_refused_and_not_guessed(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    until = own_month.ends_at
    list(reports.history(Period(MARCH, datetime.date(2030, 5, 1))))
    removed(own_month, tmp_path)
    for read in READERS:
        with pytest.raises(LedgerArchived) as refused:
            read()
        assert refused.value.data == {"until": until.isoformat()}
    later = Period(natural_day(until), natural_day(clock.now()))
    afterwards = {row[3:] for row in reports.history(later)}
    assert len(afterwards) == len(list(reports.history(later)))
    day_file.write(add_days(natural_day(clock.now()), -1), io.StringIO())


def test_a_week_that_is_not_stated_holds_back_its_month(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    stated = "DELETE FROM statements_statement WHERE week_to > '2030-03-30'"
    forge("statements_statement", stated)
    with pytest.raises(RightStands) as refused:
        retired(own_month, tmp_path)
    assert set(refused.value.data["rows"]) == {TRANSFERS}
    statements_issue(until=add_days(natural_day(clock.now()), -1))
    removed(own_month, tmp_path)


def test_a_night_that_was_killed_half_way_goes_on(own_month: ClosedPeriod, tmp_path: Path) -> None:
    held = ledger.balances()
    retired(own_month, tmp_path)
    there = Transfer.objects.count()
    (table,) = (each for each in retiring_tables() if each.name == TRANSFERS)
    assert removing._remove(table, 1, 5) == 5
    assert Transfer.objects.count() == there - 5
    assert (ledger.balances(), row_findings(), differences()[1]) == (held, [], [])
    assert nightly.audit_everything().counts == {"periods": 1}
    nightly.remove(natural_day(clock.now()))
    assert (ledger.balances(), row_findings()) == (held, [])


def test_a_transfer_changed_after_archiving_stops_the_retirement(
    own_month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing leaves, and what was changed back may."""
    write = retiring.retirement_propose

    def changed(**arguments: object) -> object:
        forge(TRANSFERS, f"UPDATE {TRANSFERS} SET amount_cents = amount_cents + 1 WHERE line = 0")
        return write(**arguments)

    with monkeypatch.context() as patch:
        patch.setattr("tests.core.periods.archive.conftest.retirement_propose", changed)
        with pytest.raises(retiring.RowsNotAsArchived) as refused:
            retired(own_month, tmp_path)
    assert refused.value.data["table"] == TRANSFERS
    assert dict(nightly.remove(natural_day(clock.now())).counts)["removed"] == 0


def test_the_next_month_leaves_after_it(retired_month: ClosedPeriod, tmp_path: Path) -> None:
    night()
    closed()
    april = ClosedPeriod.objects.get(number=2)
    retired(april, tmp_path)
    assert nightly.audit_everything().counts == {"periods": 2}
    assert (row_findings(), differences()[1]) == ([], [])


def _close(place: factories.Point) -> CashUp:
    expected = drawer(by=place.actor).expected_cents
    with acting.acting("test", terminal=place.terminal.pk, operator=place.operator.pk):
        return cash_up_close(
            by=place.actor,
            ident=new_uuid(),
            expected_cents=expected,
            float_cents=0,
            counted_cents=expected,
        )


def test_a_shift_that_was_open_when_its_month_was_retired_begins_after_it(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    contest, place = factories.contest(), factories.point()
    factories.sell(contest, place)
    first = _close(place)
    opened = "UPDATE statements_cashup SET since = '2030-03-09', closed_at = '2030-03-10'"
    forge("statements_cashup", opened)  # nobody closed a shift since
    factories.sell(contest, place)
    removed(own_month, tmp_path)
    second = _close(place)
    assert (second.number, second.since) == (first.number + 1, own_month.ends_at)
    assert second.expected_cents == contest.price_cents
    assert not any(rules.broken(DRAWER))
    forge("statements_cashup", "UPDATE statements_cashup SET since = '2030-03-10'")
    assert [row for _, row, _ in rules.broken(DRAWER)] == [second.pk]
