"""The books as they are read."""

import uuid

import pytest

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.staff.powers import Role
from tests.support.api import Api, refused, staff_api
from tests.support.contributing import contributed

pytestmark = pytest.mark.django_db

CASH, POOL = ledger.asset("test:cash"), ledger.liability("test:pool")


@pytest.fixture
def reference() -> uuid.UUID:
    ident = uuid.uuid4()
    ledger.post(
        reference=ident,
        lines=[
            ledger.Line("test.sale", CASH, POOL, 500),
            ledger.Line("test.sale", CASH, POOL, 250),
            ledger.Line("test.prize", POOL, CASH, 100),
        ],
    )
    return ident


def test_balances(auditor: Api, reference: uuid.UUID) -> None:
    answer = auditor.get("ledger/accounts", prefix="test:").json()
    assert answer == {
        "items": [
            {
                "code": "test:cash",
                "side": "debit",
                "debit_cents": 750,
                "credit_cents": 100,
                "balance_cents": 650,
            },
            {
                "code": "test:pool",
                "side": "credit",
                "debit_cents": 100,
                "credit_cents": 750,
                "balance_cents": 650,
            },
        ],
        "next": None,
    }


def test_balances_of_a_past_day(auditor: Api, reference: uuid.UUID) -> None:
    """An inspector asks what stood on an account then, not now."""
    today = natural_day(clock.now())
    for day, held in ((add_days(today, -1), (0, 0, 0)), (today, (100, 750, 650))):
        answer = auditor.get("ledger/accounts", prefix="test:pool", day=day.isoformat()).json()
        (pool,) = answer["items"]
        assert (pool["debit_cents"], pool["credit_cents"], pool["balance_cents"]) == held
    refused(auditor.get("ledger/accounts", day="9999-12-31"), 422, "day_out_of_range")
    refused(auditor.get("ledger/accounts", day="tomorrow"), 422, "fields_invalid")


def test_balances_page_by_page(auditor: Api, reference: uuid.UUID) -> None:
    first = auditor.get("ledger/accounts", prefix="test:", limit=1).json()
    second = auditor.get("ledger/accounts", prefix="test:", limit=1, cursor=first["next"]).json()
    assert [p["items"][0]["code"] for p in (first, second)] == ["test:cash", "test:pool"]
    assert second["next"] is None
    for cursor in ("WzFd", "WyJcdWQ4MDAiXQ", "WyJcdTAwMDAiXQ"):  # [1], half a pair, NUL
        refused(auditor.get("ledger/accounts", cursor=cursor), 422, "cursor_invalid")


def test_transfers_by_account_reference_and_kind(auditor: Api, reference: uuid.UUID) -> None:
    def lines(**query: object) -> list[int]:
        return [t["line"] for t in auditor.get("ledger/transfers", **query).json()["items"]]

    assert lines(reference=str(reference)) == [0, 1, 2]
    refused(auditor.get("ledger/transfers", kind="test.prize"), 422, "fields_invalid")
    kinds = {"test.sale": "sale", "test.prize": "prize", "test.tax": "tax"}
    with contributed("rebuild", "TRANSFERS", kinds):
        assert lines(reference=str(reference), kind="test.prize") == [2]
        assert lines(account="test:pool", kind="test.sale") == [0, 1]
        assert lines(kind="test.tax") == []  # there is this kind, and no transfer of it
        refused(auditor.get("ledger/transfers", kind="test.sal"), 422, "fields_invalid")
    assert lines(reference=str(uuid.uuid4())) == []
    refused(auditor.get("ledger/transfers", account="test:nothing"), 404, "account_unknown")
    refused(auditor.get("ledger/transfers", reference="x"), 422, "fields_invalid")
    refused(auditor.get("ledger/transfers", kind="\x00"), 422, "fields_invalid")


def test_the_trial_balance_is_zero(auditor: Api, reference: uuid.UUID) -> None:
    answer = auditor.get("ledger/trial-balance").json()
    assert answer["difference_cents"] == 0
    assert answer["debit_cents"] == answer["credit_cents"] == 650
    assert (answer["accounts"], answer["transfers"]) == (2, 3)


@pytest.mark.parametrize("path", ["accounts", "transfers", "trial-balance"])
def test_who_reads_the_books(anybody: Api, path: str) -> None:
    refused(anybody.get(f"ledger/{path}"), 401, "credentials_missing")
    for role in Role:
        response = staff_api(role).get(f"ledger/{path}")
        if role in (Role.ORGANISER, Role.AUDITOR, Role.INSPECTOR):
            assert response.status_code == 200
        else:
            refused(response, 403, "power_missing")
