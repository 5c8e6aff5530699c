"""A bearer and a cashier who cheat, by requests of the API: what is owed leaves the house once."""

from collections import Counter
from functools import partial
from typing import Any

import pytest

from core.payoffice.models import Claim, Exchange, Payment
from core.premises.requests import new_uuid
from core.staff.powers import Role
from tests.support import factories, paying, rounds
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.concurrency.sales import together

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.article("14.III.10.4")]
DESK, TILL, SWAP = "office/payments", "claims/payments", "office/exchanges"


def _ended(answers: list[Any]) -> Counter[str]:
    return Counter(
        str(each.status_code) if each.status_code < 400 else each.json()["code"] for each in answers
    )


def _left() -> tuple[int, int]:
    """Return how many payments and exchanges there are; each has its own claim."""
    left = Payment.objects.count(), Exchange.objects.count()
    assert Claim.objects.filter(state__in=("paid", "exchanged")).count() == sum(left)
    return left


def test_a_voucher_presented_everywhere_at_once_goes_once() -> None:
    """As money at two desks and a till, and as its thing at two desks."""
    factories.time_to(rounds.NOON)
    won, _ = paying.bicycles()
    place = paying.office()
    paying.stocked(place, 2)
    desks = [paying.desk_api() for _ in range(4)]
    till = terminal_api(factories.point())
    swap = {"code": won.code, "intact": True}
    answers = together(
        *(partial(each.post, DESK, won.body()) for each in desks[:2]),
        *(partial(each.post, SWAP, swap | {"uuid": str(new_uuid())}) for each in desks[2:]),
        partial(till.post, TILL, won.body()),
    )
    ended = _ended(answers)
    assert ended["201"] == 1, ended
    assert sum(_left()) == 1
    refused = {"place_not_allowed", "thing_place_not_allowed"}
    assert not set(ended) - {"201", "already_paid", "already_exchanged"} - refused


def test_two_desks_propose_one_large_document_and_both_are_confirmed() -> None:
    factories.time_to(rounds.NOON)
    (won,) = paying.worth(40_000)
    desks = [paying.desk_api() for _ in range(2)]
    answers = together(*(partial(each.post, DESK, won.body()) for each in desks))
    proposals = [each.json()["proposal"] for each in answers if each.status_code == 202]
    assert proposals, _ended(answers)
    others = [staff_api(Role.SUPERVISOR) for _ in range(4)]
    together(
        *(
            partial(other.post, f"proposals/{each['proposal']}/confirmation")
            for each in proposals
            for other in others[:2]
        )
    )
    assert _left() == (1, 0)


def test_no_amount_but_what_is_owed_and_no_second_use_of_a_uuid() -> None:
    factories.time_to(rounds.NOON)
    first, second, void = *paying.worth(500, 700), *paying.worth(0)
    desk, till = paying.desk_api(), terminal_api(factories.point())
    for api, path in ((desk, DESK), (till, TILL)):
        for cents in (1, 499, 501, 50_000, 10**12):
            refused(api.post(path, first.body(amount_cents=cents)), 409, "amount_differs")
        for cents in (0, -500, 5.0, "500", True, None):
            assert api.post(path, first.body(amount_cents=cents)).status_code == 422
        refused(api.post(path, void.body(amount_cents=1)), 409, "no_prize")
    body = first.body()
    assert desk.post(DESK, body).status_code == 201
    for api, path in ((desk, DESK), (paying.desk_api(), DESK), (till, TILL)):
        for changes in ({"code": second.code, "amount_cents": 700}, {"intact": False}, {}):
            if (api, changes) == (desk, {}):
                continue
            answer = api.post(path, body | changes)
            assert answer.status_code in (403, 409), (path, changes, answer.content)
    assert desk.post(DESK, body).status_code in (200, 201)  # its own answer again
    assert _left() == (1, 0)
    swap = {"uuid": body["uuid"], "code": second.code, "intact": True}
    assert desk.post(SWAP, swap).status_code == 409
    taken = {"uuid": body["uuid"], "code": second.code, "reason": "damaged", "notes": ""}
    assert desk.post("office/deposits", taken).status_code == 409
    assert till.post("claims/deposits", taken).status_code == 409


def test_a_deposit_has_no_uuid_in_common_with_a_payment_or_an_exchange() -> None:
    """A cashier gave the receipt of a payment the number of somebody's deposit."""
    factories.time_to(rounds.NOON)
    torn, paid = paying.worth(500, 700)
    desk, till = paying.desk_api(), terminal_api(factories.point())
    facts = {"code": torn.code, "reason": "damaged", "notes": ""}
    taken = facts | {"uuid": str(new_uuid())}
    assert desk.post("office/deposits", taken).status_code == 201
    body = paid.body(uuid=taken["uuid"])
    swap = {"uuid": taken["uuid"], "code": paid.code, "intact": True}
    for api, path, content in ((desk, DESK, body), (till, TILL, body), (desk, SWAP, swap)):
        refused(api.post(path, content), 409, "payment_uuid_reused")
    assert _left() == (0, 0)


def test_codes_that_are_guessed_are_no_documents_and_are_throttled(settings: Any) -> None:
    settings.ANONYMOUS_PER_S, settings.ANONYMOUS_TOTAL_PER_S = 1, 10
    factories.time_to(rounds.NOON)
    paying.worth(500)
    answers = [Api().post("check", {"code": paying.forged_code()}) for _ in range(30)]
    assert {each.json()["code"] for each in answers} == {"code_forged", "throttled"}
    till = terminal_api(factories.point())
    body = {"uuid": str(new_uuid()), "amount_cents": 500, "intact": True}
    for code in (paying.forged_code(), paying.unknown_code()):
        assert till.post(TILL, body | {"code": code}).status_code in (404, 422)
    assert _left() == (0, 0)
