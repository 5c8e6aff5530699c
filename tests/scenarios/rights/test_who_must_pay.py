"""A terminal, a desk and the holder of a paper are told who must and who may pay it.

Exactly 120.00 at an authorised entity, 80.00 at an establishment, a voucher of 80.00 at the Central
Office (scenario 10, C4 as amended; 14.III.10.2, 15.III.6.4).
"""

from typing import Any

import pytest

from core.premises.models import Premises
from promotrot.models.voucher import Voucher
from promotrot.services.voucher_codes import code_of
from tests.support import emitting, factories, paying, rounds
from tests.support.api import Api, refused, terminal_api
from tests.support.factories import Point
from tests.support.paying import Presented

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.10.2", "15.III.6.4")]
ALL = ["establishment", "central_office", "authorised_entity"]


def entity() -> Point:
    return factories.point(factories.premises(Premises.Kind.ENTITY_OFFICE))


def checked(api: Api, paper: Presented) -> dict[str, Any]:
    path = "claims/check" if "X-Operator-Session" in api.headers else "office/check"
    answer: dict[str, Any] = api.post(path, {"code": paper.code}).json()
    return answer


def duty_at(api: Api, paper: Presented) -> tuple[str, str]:
    """Return the duty to pay that a place is told, and the refusal that it would meet."""
    answer = checked(api, paper)
    return answer["duty"], answer["refusal"]


def vouchers() -> tuple[Point, list[Presented]]:
    """Return an establishment and the vouchers of 80.00 that it issued."""
    place = factories.point()
    tiers = [{"cash_cents": 8000, "count": 3}, {"cash_cents": 4000, "count": 1}]
    emission = emitting.opened(emitting.small(price_cents=1000, tiers=tiers))
    for ident in emitting.sold(emission, 40, place):
        emitting.played(place, [ident])
    won = Voucher.objects.filter(amount_cents=8000).order_by("pk")
    return place, [Presented(v, code_of(v.uuid, v.issue_day).grouped, 8000) for v in won]


def test_exactly_120_must_be_paid_wherever_it_is_presented() -> None:
    factories.time_to(rounds.NOON)
    at_bar, at_entity, at_office = paying.worth(12_000, 12_000, 12_000)
    bar, office_of_entity = terminal_api(factories.point()), terminal_api(entity())
    desk = paying.desk_api()
    for api, paper in ((bar, at_bar), (office_of_entity, at_entity), (desk, at_office)):
        answer = checked(api, paper)
        assert (answer["duty"], answer["refusal"]) == ("must", "")
        assert answer["places"] == answer["must_places"] == ALL
    assert office_of_entity.post("claims/payments", at_entity.body()).status_code == 201
    assert bar.post("claims/payments", at_bar.body()).status_code == 201
    assert desk.post("office/payments", at_office.body()).status_code == 201


def test_an_establishment_is_told_that_it_must_pay_80_and_an_entity_that_it_must_not() -> None:
    factories.time_to(rounds.NOON)
    small, large = paying.worth(8_000, 12_001)
    bar, office_of_entity = terminal_api(factories.point()), terminal_api(entity())
    assert duty_at(bar, small) == ("must", "")
    assert duty_at(bar, large) == ("may", "")
    assert duty_at(office_of_entity, small) == ("must_not", "place_not_allowed")
    assert duty_at(office_of_entity, large) == ("must", "")
    desk = paying.desk_api()
    assert (duty_at(desk, small), duty_at(desk, large)) == (("may", ""), ("must", ""))
    refused(office_of_entity.post("claims/payments", small.body()), 403, "place_not_allowed")
    holder = Api().post("check", {"code": small.code}).json()
    assert (holder["must_places"], holder["issuer_must"]) == (["establishment"], False)
    assert "duty" not in holder
    slip = bar.post("claims/slip.html?lang=en", {"code": small.code}).content.decode()
    assert slip.index("Must pay it") < slip.index("May pay it")


def test_a_voucher_of_80_must_be_paid_by_its_issuer_and_by_the_central_office() -> None:
    factories.time_to(rounds.NOON)
    issuer, (here, there, at_office) = vouchers()
    assert duty_at(terminal_api(issuer), here) == ("must", "")
    assert duty_at(terminal_api(factories.point()), there) == ("may", "")
    assert duty_at(terminal_api(entity()), there) == ("must_not", "place_not_allowed")
    desk = paying.desk_api()
    answer = checked(desk, at_office)
    assert (answer["duty"], answer["must_places"]) == ("must", ["central_office"])
    assert answer["issuer_must"]
    assert desk.post("office/payments", at_office.body()).status_code == 201
