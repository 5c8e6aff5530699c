"""Files of the bank with the cheques that it paid, over the API (14.III.10.6)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.database import clock
from core.journal.rules import broken
from core.kernel.days import natural_day
from core.payoffice import accounts, journal_rules
from core.payoffice.models import Cheque
from core.staff.powers import Role
from tests.support import paying
from tests.support.api import Api, refused, staff_api

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def _reconciled(by: Api, numbers: range) -> int:
    """Reconcile cheques in one request; return how many statements it asked."""
    day = natural_day(clock.now()).isoformat()
    items = [{"number": each, "amount_cents": 100_001, "presented_on": day} for each in numbers]
    with CaptureQueriesContext(connection) as asked:
        answer = by.post("office/cheques/reconciliation", {"items": items})
    rows = answer.json()["items"]
    assert [(row["number"], row["state"]) for row in rows] == [
        (each, "presented") for each in numbers
    ]
    return len(asked)


@pytest.mark.article("14.III.10.6")
def test_a_file_of_many_cheques_asks_as_few_statements_as_one_of_two() -> None:
    cashier = paying.cashier()
    for won in paying.worth(*[100_001] * 23):
        paying.paid_by_two(cashier, won.request(payee=paying.MARIA))
    by = staff_api(Role.SUPERVISOR)
    _reconciled(by, range(1, 2))  # what the process looks up once
    few, many = _reconciled(by, range(2, 4)), _reconciled(by, range(4, 24))
    assert few == many
    assert paying.balance(accounts.cheques()) == 0
    rules = (rule for rule in journal_rules.RULES if rule.table == "payoffice_cheque")
    assert [breach for rule in rules for breach in broken(rule)] == []


@pytest.mark.article("14.III.10.6")
def test_a_file_is_recorded_whole_or_not_at_all() -> None:
    """Also where a line stands twice: once with the same day, it is recorded once."""
    cashier = paying.cashier()
    for won in paying.worth(100_001, 100_001):
        paying.paid_by_two(cashier, won.request(payee=paying.MARIA))
    by, day = staff_api(Role.SUPERVISOR), natural_day(clock.now()).isoformat()
    first, second = (
        {"number": each, "amount_cents": 100_001, "presented_on": day} for each in (1, 2)
    )
    path = "office/cheques/reconciliation"
    for wrong, status, code in (
        ({"number": 9}, 404, "cheque_unknown"),
        ({"amount_cents": 100_002}, 409, "cheque_amount_differs"),
        ({"presented_on": "2030-01-01"}, 422, "cheque_day_wrong"),
        ({"number": 1, "presented_on": "2030-01-01"}, 409, "cheque_not_issued"),
    ):
        refused(by.post(path, {"items": [first, second | wrong]}), status, code)
        assert set(Cheque.objects.values_list("state", flat=True)) == {"issued"}
    answer = by.post(path, {"items": [first, second, first]})
    assert [row["number"] for row in answer.json()["items"]] == [1, 2, 1]
    assert paying.balance(accounts.cheques()) == 0
