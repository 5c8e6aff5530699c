"""Close a shift through the API: sales less refunds is what must be in the drawer."""

from typing import Any

from django.db import transaction

from core.database import clock
from core.premises.requests import new_uuid
from core.proofs import log
from core.proofs.head import head_text
from core.staff.powers import Role
from core.statements.models import CashUp
from tests.support import factories
from tests.support.api import refused, staff_api, terminal_api
from tests.support.databases import Database
from tests.support.lototrot.race_day import sell


def _body(**fields: Any) -> dict[str, Any]:
    return {
        "uuid": str(new_uuid()),
        "expected_cents": 0,
        "float_cents": 0,
        "counted_cents": 0,
    } | (fields)


def test_a_shift_is_counted_closed_and_printed(own_database: Database) -> None:
    contest = factories.contest(correction_window_s=300)
    place = factories.point()
    factories.acknowledge(contest, place)
    factories.sell(contest, place)
    second = sell(contest, place, [[1]] * len(contest.offered_masks))
    price = contest.price_cents
    factories.sell(contest, factories.point(place.premises))  # by somebody else
    api = terminal_api(place)
    annulled = api.post(
        f"lototrot/tickets/{second['uuid']}/annulment",
        {"code": second["code"], "reason": "Mistyped"},
    )
    assert annulled.status_code == 200, annulled.content
    drawer = api.get("terminal/drawer").json()
    assert drawer["expected_cents"] == price
    assert [(line["column"], line["count"], line["cents"]) for line in drawer["lines"]] == [
        ("annulments", 1, -price),
        ("sales", 2, 2 * price),
    ]

    refused(api.post("terminal/cash-ups", _body()), 409, "drawer_moved")
    body = _body(expected_cents=price, float_cents=5000, counted_cents=5000)
    answer = api.post("terminal/cash-ups", body)
    assert answer.status_code == 201, answer.content
    assert (answer.json()["number"], answer.json()["difference_cents"]) == (1, -price)
    assert api.post("terminal/cash-ups", body).json() == answer.json()
    changed = api.post("terminal/cash-ups", body | {"counted_cents": 1})
    refused(changed, 409, "uuid_reused")
    assert CashUp.objects.get().closed_at <= clock.now()
    with transaction.atomic():
        log.publish(kind="a.thing", subject="one", document={"format": "x"})
    slip = api.get(f"terminal/cash-ups/{body['uuid']}/slip.html?lang=en").content.decode()
    assert "Cash-up" in slip and "Difference" in slip
    operator = CashUp.objects.get().operator
    assert str(operator.number) in slip and operator.name not in slip
    assert head_text() and head_text() in slip
    other = terminal_api(factories.point())
    refused(other.get(f"terminal/cash-ups/{body['uuid']}/slip.html"), 404, "cash_up_unknown")

    factories.sell(contest, place)  # in the next shift
    assert api.get("terminal/drawer").json()["expected_cents"] == price
    assert api.post("terminal/cash-ups", _body(expected_cents=price)).json()["number"] == 2
    listed = staff_api(Role.AUDITOR).get(f"cash-ups?premises={place.premises.code}").json()
    assert [item["number"] for item in listed["items"]] == [2, 1]
    refused(staff_api(Role.STEWARDS).get("cash-ups"), 403, "power_missing")
