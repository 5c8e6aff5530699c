"""Close a cash session by notes and coins over the API."""

import pytest

from core.ledger.selectors import trial
from core.payoffice.models import CashSession
from core.staff.powers import Role
from tests.support import paying
from tests.support.api import Api, refused, staff_api
from tests.support.payoffice.counting import counting_of

pytestmark = pytest.mark.django_db


def close_path(cashier: Api) -> str:
    (session,) = cashier.get("office/cash-sessions", own="true").json()["items"]
    return f"office/cash-sessions/{session['uuid']}/close"


@pytest.mark.parametrize(
    ("count", "cents", "code"),
    [
        ([(50_00, -1), (100_00, 1)], 50_00, "count_malformed"),
        ([(50_00, 10_001)], 50_00 * 10_001, "count_malformed"),
        ([(300_00, 1)], 300_00, "count_malformed"),
        ([(50_00, 1), (50_00, 2)], 150_00, "count_malformed"),
        ([(50_00, 1)], 50_01, "count_not_the_sum"),
    ],
)
def test_a_count_that_cannot_be_is_refused(
    count: list[tuple[int, int]], cents: int, code: str
) -> None:
    cashier = paying.desk_api()
    body = [{"denomination_cents": each, "pieces": many} for each, many in count]
    answer = cashier.post(close_path(cashier), {"count": body, "counted_cents": cents})
    refused(answer, 422, code)
    assert not CashSession.objects.exclude(closed_at=None).exists()


def test_a_whole_count_closes_it_once_and_has_a_slip() -> None:
    cashier = paying.desk_api()
    path = close_path(cashier)
    slip = path.replace("/close", "/closing.pdf")
    refused(cashier.get(slip), 404, "closing_unknown")
    proposed = cashier.post(path, counting_of(2_000_000))
    assert proposed.status_code == 202
    refused(cashier.get(slip), 404, "closing_unknown")
    assert paying.confirmed_over_api(proposed.json()).status_code == 200
    (closed,) = cashier.get("office/cash-sessions", own="true").json()["items"]
    assert closed["count"] == [{"denomination_cents": 500_00, "pieces": 40}]
    assert (closed["difference_cents"], closed["difference_reason"]) == (0, "")
    refused(cashier.post(path, counting_of(2_000_000)), 404, "cash_session_unknown")
    assert cashier.get(slip).content.startswith(b"%PDF")
    refused(staff_api(Role.STEWARDS).get(slip), 403, "power_missing")


def test_a_difference_without_a_reason_is_refused_and_another_count_waits() -> None:
    cashier = paying.desk_api()
    path = close_path(cashier)
    refused(cashier.post(path, counting_of(1_999_900)), 422, "difference_unexplained")
    why = {"reason": "note", "words": "A token, not a coin."}
    proposed = cashier.post(path, counting_of(1_999_900) | why)
    assert proposed.status_code == 202
    refused(cashier.post(path, counting_of(1_999_800) | why), 409, "proposal_pending")
    assert paying.confirmed_over_api(proposed.json()).status_code == 200
    (closed,) = cashier.get("office/cash-sessions", own="true").json()["items"]
    assert (closed["counted_cents"], closed["difference_reason"]) == (1_999_900, "note")


def test_no_amount_of_one_movement_breaks_the_sums_of_the_books() -> None:
    """Sums are of 64 bits, and no row is ever taken back."""
    cashier, stocker = staff_api(Role.CASHIER), staff_api(Role.SUPERVISOR)
    office = paying.office().code
    session = {"premises": office, "float_cents": 1_000}
    assert cashier.post("office/cash-sessions", session).status_code == 201
    most = 10**12
    for cents, status in ((2**63 - 1, 422), (most + 1, 422), (most, 201)):
        moved = cashier.post("office/cash-sessions/movements", {"cents": cents, "reason": "More."})
        assert moved.status_code == status, cents
    item = {"code": "bicycle", "description": "Bicycle"}
    for cents, status in ((2**63 - 1, 422), (most + 1, 422), (most, 201)):
        item["unit_cents"] = cents
        assert stocker.post("office/stock", item).status_code == status, cents
    for units, status in ((2, 422), (1, 202)):
        brought = {"premises": office, "units": units, "reason": "Delivered."}
        answer = stocker.post("office/stock/bicycle/movements", brought)
        assert answer.status_code == status, answer.content
    assert paying.confirmed_over_api(answer.json()).status_code == 200
    assert trial().difference_cents == 0
