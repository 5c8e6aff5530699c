"""Name what only the owner of the database can write: debts beyond the limit, tills that lie."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.journal.rules import broken
from core.ledger.books import differences
from core.statements.journal_rules import LIMIT, TILLS
from core.statements.models import Till
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_sale_beyond_the_limit_is_named(organiser: Any, contest: Any) -> None:
    place = factories.point()
    assert factories.sell(contest, place).outcome == "sold"
    assert not list(broken(LIMIT))
    factories.guarantee(place.premises, 1, since=clock.now() - timedelta(days=1))
    ((table, _, _),) = broken(LIMIT)
    assert table == "ledger_transfer"


def test_a_till_that_lies_is_named_and_found_in_the_books(organiser: Any, contest: Any) -> None:
    place = factories.point()
    factories.sell(contest, place)
    assert not list(broken(TILLS))
    Till.objects.filter(terminal=place.terminal).update(owed_cents=0)
    ((table, _, _),) = broken(TILLS)
    assert table == "statements_till"
    code = f"premises:{place.premises.pk}"
    assert [lie.rebuilt_cents for lie in differences()[1] if lie.account == code] == [0]
