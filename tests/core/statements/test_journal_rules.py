"""Name what only the owner of the database can write: debts beyond the limit, tills that lie."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.journal.rules import broken
from core.kernel.days import add_days
from core.ledger.books import differences
from core.staff.powers import Role
from core.statements import services
from core.statements.journal_rules import LIMIT, RULES, TILLS
from core.statements.models import Till
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched
from tests.support.stating import MONDAY, SUNDAY, at, rate, remitted


@pytest.mark.django_db
def test_a_sale_beyond_the_limit_is_named(organiser: Any, contest: Any) -> None:
    place = factories.point()
    assert factories.sell(contest, place).outcome == "sold"
    assert not list(broken(LIMIT))
    factories.guarantee(place.premises, 1, since=clock.now() - timedelta(days=1))
    ((table, _, _),) = broken(LIMIT)
    assert table == "ledger_transfer"


@pytest.mark.django_db
def test_a_till_that_lies_is_named_and_found_in_the_books(organiser: Any, contest: Any) -> None:
    place = factories.point()
    factories.sell(contest, place)
    assert not list(broken(TILLS))
    Till.objects.filter(terminal=place.terminal).update(owed_cents=0)
    ((table, _, _),) = broken(TILLS)
    assert table == "statements_till"
    code = f"premises:{place.premises.pk}"
    assert [lie.rebuilt_cents for lie in differences()[1] if lie.account == code] == [0]


def test_a_rate_or_a_payment_that_two_persons_did_not_name_is_named(
    own_database: Database,
) -> None:
    """The triggers were taken away before the row was changed."""
    by, place = factories.staff(Role.ORGANISER), factories.point()
    at(MONDAY)
    rate(by, "10")
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, price_cents=300_000)
    rounds.sell(contest, place, [(1, 1)] * 2)
    at(add_days(SUNDAY, 1))
    (issued,) = services.statements_issue(until=SUNDAY)
    remitted(by, issued, issued.closing_cents, SUNDAY)
    for table, changes in (
        ("statements_commissionrate", ("percent = '11'", "in_force_from = in_force_from - 7")),
        ("statements_remittance", ("amount_cents = 1", "reference = 'TRF 9'")),
    ):
        (rule,) = (each for each in RULES if each.name == f"{table}.as_named")
        assert not list(broken(rule))
        for change in changes:
            with as_owner(own_database), touched(table):
                execute(f"UPDATE {table} SET {change}")
                assert [name for name, *_ in broken(rule)] == [table], change
