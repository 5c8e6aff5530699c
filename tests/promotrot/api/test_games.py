"""Record, check and approve games through the API."""

import pytest

from core.staff.powers import Role
from tests.support import emitting
from tests.support.api import refused, staff_api
from tests.support.promotrot.approving import HOME, done

pytestmark = pytest.mark.django_db


def _prize(cents: int, count: int) -> dict[str, int]:
    return {"cash_cents": cents, "count": count}


BAD = {
    "prizes_too_low": {"tiers": [_prize(399, 1), _prize(400, 1), _prize(100, 20)]},
    "more_prizes_than_tickets": {"tiers": [_prize(400, 2), _prize(100, 39)]},
    "equivalent_missing": {
        "tiers": [{"in_kind": {"description": "bicycle"}, "count": 2}, _prize(100, 20)]
    },
    "price_out_of_range": {"price_cents": 1_001},
}


@pytest.mark.article("15.III.4")
@pytest.mark.parametrize("code", BAD)
def test_bad_input_has_its_own_code_and_nothing_is_approved(code: str) -> None:
    one = staff_api(Role.ORGANISER)
    definition = emitting.small(**BAD[code])
    answer = done(one.post(f"{HOME}/games", {"definition": definition}), 201)
    version = f"{HOME}/games/{answer['game']}/versions/{answer['version']}"
    problem = refused(one.post(f"{version}/approval"), 422, "approval_refused")
    assert code in {fault["code"] for fault in problem["data"]["faults"]}
    assert code in {fault["code"] for fault in done(one.get(f"{version}/check"))["faults"]}
    refused(one.post(f"{HOME}/emissions", {"game": "small"}), 409, "game_not_approved")
