"""The sums of tickets that left are the database's, and no others."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import DatabaseError, connections, transaction

from core.journal import rules
from core.journal.verifying import Fault
from core.kernel.days import natural_day
from core.ledger.books import differences
from core.periods.models import ClosedPeriod
from lototrot import journal_rules
from lototrot.models.retired import RetiredMarks, RetiredSales
from lototrot.selectors.retired import left, left_of_terminal
from lototrot.services.settlement.auditing import audit_contests
from tests.core.periods.archive.conftest import own_month as own_month
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_retiring import forge, row_findings
from tests.core.periods.conftest import closed
from tests.lototrot.selectors.test_retired import TICKETS
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import seal_all
from tests.support.stating import days_end


def test_other_sums_than_left_are_found(own_month: ClosedPeriod, tmp_path: Path) -> None:
    retired(own_month, tmp_path)
    seal_all()
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        RetiredSales.objects.update(amounts_cents=[1])
    forge("lototrot_retiredsales", "UPDATE lototrot_retiredsales SET amounts_cents = '{50}'")
    assert {each.check for each in audit_contests().findings} >= {"takings_cents"}
    assert row_findings() == [(Fault.ROW_CHANGED, "lototrot_retiredsales")]
    forge("lototrot_retiredsales", "UPDATE lototrot_retiredsales SET amounts_cents = '{300}'")
    assert audit_contests().findings == []
    _prizes()
    marks = RetiredMarks.objects.get(leg=1)
    assert (len(marks.bets), sum(marks.bets)) == (31, 3)
    assert _broken() == set()
    forge(
        "lototrot_retiredmarks",
        "UPDATE lototrot_retiredmarks SET bets[1] = bets[1] + leg - 1",
    )
    assert _broken() == {"periods_retiredrows"}
    forge("lototrot_retiredmarks", "UPDATE lototrot_retiredmarks SET bets[1] = bets[1] - leg + 1")
    forge(
        "periods_retiredrows",
        f"UPDATE periods_retiredrows SET leaves = 0 WHERE relation = '{TICKETS}'",
    )
    assert _broken() == {"periods_retiredrows"}


def test_sums_that_are_none_are_refused(own_month: ClosedPeriod, tmp_path: Path) -> None:
    retired(own_month, tmp_path)
    kept = RetiredSales.objects.get()
    assert [each["amount_cents"] for each in kept.by_terminal()] == [300]
    names = [field.column for field in RetiredSales._meta.concrete_fields if not field.primary_key]
    for name, array in (
        ("bets", "{0}"),  # tickets without a bet
        ("amounts_cents", "{-300}"),
        ("annulled_cents", "{5}"),  # money of no annulled ticket
        ("terminals", "{1,2}"),  # another has no sums
        ("tickets", "{NULL}"),
        ("terminals", "{}"),
    ):
        columns = ", ".join(f"'{array}'::bigint[]" if each == name else each for each in names)
        refusing = pytest.raises(DatabaseError, match="these are no sums of tickets that left")
        with refusing, transaction.atomic("owner"), connections["owner"].cursor() as owner:
            owner.execute(
                f"INSERT INTO lototrot_retiredsales ({', '.join(names)})"
                f" SELECT {columns} FROM lototrot_retiredsales"
            )
    assert RetiredSales.objects.get() == kept


def test_bets_that_are_none_are_refused(own_month: ClosedPeriod, tmp_path: Path) -> None:
    retired(own_month, tmp_path)
    kept = list(RetiredMarks.objects.order_by("pk"))
    for bets in (
        "array_fill(0, '{31}')",  # nobody marked a number
        "array_fill(1, '{30}')",  # a number has no sum
        "array_fill(1, '{32}')",  # no ticket can mark that number
        "array_fill(1, '{30}') || ARRAY[-1]",
        "array_fill(1, '{30}') || ARRAY[NULL::integer]",
    ):
        refusing = pytest.raises(DatabaseError, match="these are no bets of tickets that left")
        with refusing, transaction.atomic("owner"), connections["owner"].cursor() as owner:
            owner.execute(
                "INSERT INTO lototrot_retiredmarks (contest_id, retired_id, leg, bets)"
                f" SELECT contest_id, retired_id, leg, {bets} FROM lototrot_retiredmarks"
            )
    assert list(RetiredMarks.objects.order_by("pk")) == kept


def test_a_row_has_the_sums_of_128_terminals_at_most(
    own_database: Database, tmp_path: Path
) -> None:
    day = natural_day(factories.time_to(rounds.NOON))
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2)] * 2)
    sold = {factories.point(): 1 + number % 2 for number in range(130)}
    for point, tickets in sold.items():
        rounds.sell(contest, point, [(2, 2)] * tickets)
    rounds.run(contest, [rounds.Facts((1, 2), winners=frozenset({1}))] * 2)
    rounds.order(contest)
    factories.prints_ended(contest)
    days_end(110)
    closed()
    retired(ClosedPeriod.objects.get(number=1), tmp_path)
    rows = RetiredSales.objects.order_by("pk")
    assert [len(row.terminals) for row in rows] == [128, 2]
    assert {point: left_of_terminal(point.terminal.pk, day).tickets for point in sold} == sold
    assert left_of_terminal(rows[0].terminals[0], day + timedelta(days=1)).tickets == 0
    everything = left(contest.pk)
    assert everything and everything.tickets == 195 == sum(len(row.tickets) for row in rows) * 1.5
    assert _broken() == set() and audit_contests().findings == [] and differences()[1] == []


def _prizes() -> None:
    """A cent more, a bet more in a category, or a ticket more is found by the audit."""
    for more, less in (
        ("prize_cents = prize_cents + 1", "prize_cents = prize_cents - 1"),
        ("winning_bets[1] = winning_bets[1] + 1", "winning_bets[1] = winning_bets[1] - 1"),
        ("tickets = tickets + 1", "tickets = tickets - 1"),
        ("day = day + 1", "day = day - 1"),
    ):
        forge("lototrot_retiredprizes", f"UPDATE lototrot_retiredprizes SET {more}")
        assert audit_contests().findings
        assert row_findings() == [(Fault.ROW_CHANGED, "lototrot_retiredprizes")]
        forge("lototrot_retiredprizes", f"UPDATE lototrot_retiredprizes SET {less}")
    assert audit_contests().findings == [] and row_findings() == []


def _broken() -> set[str]:
    return {name for name, _, _ in rules.broken(journal_rules.LEFT)}
