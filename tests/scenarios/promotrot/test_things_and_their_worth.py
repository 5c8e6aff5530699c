"""The equivalent of a thing belongs to its emission, was valued in the last twelve months when that
opens, and opening warns where the stock is short (second list, P21; 15.III.6.5).
"""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.kernel.days import natural_day
from core.ledger.books import differences
from core.ledger.services import balance_cents
from core.payoffice import accounts
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot.engine.rules import valuation_last_day
from promotrot.models.emission import Emission, Opening
from promotrot.models.valuation import Valuation
from tests.support import emitting, factories, paying
from tests.support.api import refused, staff_api, terminal_api

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.5")]


def bicycles(code: str, cents: int) -> dict[str, Any]:
    """Return a game of 20 tickets with 14 bicycles, each worth so much, valued yesterday."""
    document = emitting.document("six-at-the-post")
    valued_on = (natural_day(clock.now()) - timedelta(days=1)).isoformat()
    thing = {"description": "bicycle", "equivalent_cents": cents, "source": "Shops"}
    return document | {
        "code": code,
        "tickets": 20,
        "block_tickets": 20,
        "price_cents": cents,
        "prize_percent": "70",
        "presentation": document["presentation"] | {"matches": [6]},
        "tiers": [{"in_kind": thing | {"valued_on": valued_on}, "count": 14}],
    }


def ready(code: str, cents: int = 400) -> Emission:
    """Return an emission that waits to be opened."""
    game = emitting.approved(bicycles(code, cents))
    return emitting.witnessed(emitting.committed(emitting.planned(game)))


def test_an_emission_opens_within_twelve_months_of_the_valuation_and_not_a_day_later() -> None:
    valued_on = natural_day(clock.now()) - timedelta(days=1)
    late, in_time = ready("late"), ready("in-time")
    last = valuation_last_day(valued_on)
    factories.time_to(clock.now() + (last - natural_day(clock.now())))
    organiser = staff_api(Role.ORGANISER)
    second = staff_api(Role.ORGANISER)
    asked = organiser.post("promotrot/emissions/in-time/1/opening").json()
    assert second.post(f"proposals/{asked['proposal']}/confirmation").status_code == 200
    factories.time_pass(days=1)
    organiser = staff_api(Role.ORGANISER)
    path = "promotrot/emissions/late/1"
    problem = refused(organiser.post(f"{path}/opening"), 409, "valuation_too_old")
    assert problem["data"]["things"] == [
        {"tier": 1, "thing": "bicycle", "valued_on": valued_on.isoformat()}
    ]
    assert organiser.get(path).json()["state"] == "mixed" and not late.lanes.exists()
    columns = ("tickets", "price_cents", "extra_cents", "stop_without_top")
    named = {name: getattr(late, name) for name in columns}
    named |= {"emission": late.reference, "commitment": late.commitment.digest}
    proposal = factories.proposal("promotrot.opening", content=named)
    with pytest.raises(DatabaseError, match="valu"), transaction.atomic():
        Opening.objects.create(emission=late, opened_at=clock.now(), proposal=proposal)

    today = natural_day(clock.now())
    body = {"tier": 1, "source": "Three shops", "valued_on": today.isoformat()}
    tomorrow = body | {"valued_on": (today + timedelta(days=1)).isoformat()}
    refused(organiser.post(f"{path}/valuations", tomorrow), 422, "valuation_day_wrong")
    before = body | {"valued_on": valued_on.isoformat()}
    refused(organiser.post(f"{path}/valuations", before), 422, "valuation_day_wrong")
    refused(organiser.post(f"{path}/valuations", body | {"tier": 2}), 404, "thing_unknown")
    refused(staff_api(Role.AUDITOR).post(f"{path}/valuations", body), 403, "power_missing")
    answer = organiser.post(f"{path}/valuations", body)
    assert (answer.status_code, answer.json()["equivalent_cents"]) == (201, 400)
    asked = organiser.post(f"{path}/opening").json()
    second = staff_api(Role.ORGANISER)
    assert second.post(f"proposals/{asked['proposal']}/confirmation").status_code == 200
    assert organiser.get(path).json()["state"] == "open"
    refused(organiser.post(f"{path}/valuations", body), 409, "valuation_late")
    assert Valuation.objects.filter(tier__emission__in=(late, in_time)).count() == 3


def test_a_bicycle_of_another_emission_may_be_worth_more_than_that_of_the_first() -> None:
    keeper = staff_api(Role.SUPERVISOR)
    item = {"code": "bicycle", "description": "Bicycle", "unit_cents": 450}
    assert keeper.post("office/stock", item).status_code == 201
    desk, office = paying.desk_api(), paying.office()
    moved = {"premises": office.code, "units": 2, "reason": "Delivered."}
    paying.confirmed_over_api(keeper.post("office/stock/bicycle/movements", moved).json())
    for code, cents in (("cheap", 400), ("dear", 900)):
        emission, place = emitting.opened(bicycles(code, cents)), factories.point()
        voucher = None
        while voucher is None:
            (play,) = emitting.sold(emission, 1, place)
            act = {"number": 1, "act": "reveal"}
            card = terminal_api(place).post(f"promotrot/plays/{play}/acts", act).json()
            voucher = card["vouchers"][0] if card["vouchers"] else None
        assert voucher["amount_cents"] == cents
        body = {"uuid": str(new_uuid()), "code": voucher["code"], "intact": True}
        assert desk.post("office/exchanges", body).status_code == 201
        path = f"office/exchanges/{body['uuid']}/document.txt"
        assert f"{cents // 100}.00" in desk.get(path, lang="en").content.decode()
    assert balance_cents(accounts.goods()) == 0
    assert balance_cents(accounts.goods_differences()) == (400 - 450) + (900 - 450)
    assert differences()[1] == []


def test_opening_warns_of_things_that_are_not_in_stock_and_opens_all_the_same() -> None:
    ready("short")
    keeper, organiser = staff_api(Role.SUPERVISOR), staff_api(Role.ORGANISER)
    item = {"code": "bicycle", "description": "Bicycle", "unit_cents": 400}
    keeper.post("office/stock", item)
    moved = {"premises": paying.office().code, "units": 10, "reason": "Delivered."}
    paying.confirmed_over_api(keeper.post("office/stock/bicycle/movements", moved).json())
    asked = organiser.post("promotrot/emissions/short/1/opening").json()
    second = staff_api(Role.ORGANISER)
    assert second.post(f"proposals/{asked['proposal']}/confirmation").status_code == 200
    opened = organiser.get("promotrot/emissions/short/1").json()
    assert opened["state"] == "open"
    assert opened["stock_short"] == [{"thing": "bicycle", "needed": 14, "in_stock": 10}]
    more = keeper.post("office/stock/bicycle/movements", moved | {"units": 4}).json()
    assert organiser.get("promotrot/emissions/short/1").json()["stock_short"]
    paying.confirmed_over_api(more)
    assert organiser.get("promotrot/emissions/short/1").json()["stock_short"] == []
    place = factories.point()
    emission = Emission.objects.get(reference="short/1")
    emitting.played(place, emitting.sold(emission, 20, place))
    assert organiser.get("promotrot/emissions/short/1").json()["stock_short"] == []
