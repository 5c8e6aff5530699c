"""The report of debts of premises by age."""

import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from core.kernel.days import add_days
from core.ledger import services as ledger
from core.ledger.services import Line, asset, balance_cents, premises_account
from core.reports import selectors
from core.reports.debts import aged
from core.staff.powers import Role
from core.statements import services
from tests.support import factories, rounds
from tests.support.stating import MONDAY, SUNDAY, at, limited, remitted

AGES = ("to_7_days_cents", "to_30_days_cents", "to_90_days_cents", "older_cents")


@pytest.mark.parametrize(
    ("owed_cents", "charges", "parts"),
    [
        (0, [], [0, 0, 0, 0]),
        (100, [(0, 30), (7, 20), (8, 40), (31, 500)], [50, 40, 10, 0]),
        (100, [(0, 30)], [30, 0, 0, 70]),
        (100, [(0, -50), (30, 60), (90, 10), (91, 5)], [0, 60, 10, 30]),
        (10, [(0, 999), (40, 999)], [10, 0, 0, 0]),
    ],
)
def test_a_debt_is_of_the_newest_charges(
    owed_cents: int, charges: list[tuple[int, int]], parts: list[int]
) -> None:
    assert aged(owed_cents, charges) == parts
    assert sum(parts) == owed_cents


def rows_and_totals() -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the rows of the report by premises, and its totals."""
    auditor = factories.staff(Role.AUDITOR)
    table = selectors.report(by=auditor, name="premises-debts", first=MONDAY, last=MONDAY)
    names = [column.name for column in table.report.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    return {row["premises"]: row for row in rows}, dict(zip(names, table.totals, strict=True))


@pytest.mark.django_db
@pytest.mark.article("14.III.6.1")
def test_weeks_age_and_a_payment_settles_the_oldest() -> None:
    at(MONDAY)
    organiser = factories.staff(Role.ORGANISER)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    old, new, idle = factories.point(), factories.point(), factories.point()
    limited(organiser, old.premises.code, 77_700)
    rounds.sell(contest, old, [(1, 1)] * 5)
    at(add_days(MONDAY, 7), 1)
    (first,) = services.statements_issue(until=SUNDAY)
    rounds.sell(contest, old, [(1, 1)] * 3)
    rounds.sell(contest, new, [(1, 1)])
    rows, totals = rows_and_totals()
    assert idle.premises.code not in rows
    assert [rows[old.premises.code][age] for age in AGES] == [800, 0, 0, 0]
    at(add_days(MONDAY, 14), 1)
    services.statements_issue(until=add_days(SUNDAY, 7))
    organiser = factories.staff(Role.ORGANISER)
    remitted(organiser, first, 200, date(2030, 3, 18))
    rows, totals = rows_and_totals()
    # Of the first week 3.00 are left; it ended eight days ago, the second yesterday.
    assert [rows[old.premises.code][age] for age in AGES] == [300, 300, 0, 0]
    assert [rows[new.premises.code][age] for age in AGES] == [100, 0, 0, 0]
    assert rows[old.premises.code]["limit_cents"] == 77_700
    assert totals["owed_cents"] == 700
    owed = balance_cents(premises_account(old.premises.pk))
    assert rows[old.premises.code]["owed_cents"] == owed == 600
    factories.time_pass(days=90)
    rows, _totals = rows_and_totals()
    assert [rows[old.premises.code][age] for age in AGES] == [0, 0, 0, 600]


@pytest.mark.django_db
def test_who_is_owed_money_is_left_out() -> None:
    at(MONDAY)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(MONDAY + timedelta(days=7), 1)
    services.statements_issue(until=SUNDAY)
    paid = Line("test.prize", asset("treasury"), premises_account(place.premises.pk), 150)
    ledger.post(reference=uuid.uuid4(), lines=[paid])
    rows, totals = rows_and_totals()
    assert rows == {} and not totals["owed_cents"]
