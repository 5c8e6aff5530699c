"""Print vouchers at the terminal and hand over held ones through the API."""

from typing import Any

import pytest

from core.staff.actor import StaffActor
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from promotrot.api.vouchers import VoucherCard
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.dealing import dealing
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.factories import Point
from tests.support.promotrot.playing import acted, card_bought

pytestmark = pytest.mark.django_db


VOUCHERS = "promotrot/vouchers"


def won(place: Point, emission: Emission) -> dict[str, Any]:
    while True:
        card: dict[str, Any] = acted(place, card_bought(place, emission)["uuid"]).json()
        if card["vouchers"]:
            return card


@pytest.mark.article("15.III.6.3", "15.III.6.6")
def test_a_voucher_says_all_it_must_in_every_form(place: Point, emission: Emission) -> None:
    (voucher,) = won(place, emission)["vouchers"]
    assert set(voucher) == set(VoucherCard().fields)
    assert voucher["premises"]["code"] == place.premises.code
    api = terminal_api(place)
    base = f"{VOUCHERS}/{voucher['uuid']}"
    assert api.get(f"{base}/voucher.json").json()["code"] == voucher["code"]
    for form, start in (("pdf", b"%PDF"), ("escpos", b"\x1b@"), ("html", b"<!doctype")):
        assert api.get(f"{base}/voucher.{form}", lang="en").content.startswith(start)
    for language in ("ca", "es", "en"):
        text = api.get(f"{base}/voucher.txt", lang=language).content.decode()
        for expected in (
            voucher["code"],
            place.premises.code,
            place.premises.name,
            place.premises.address,
            "Promotrot",
            voucher["uuid"],
            voucher["play"],
        ):
            assert expected in text
    copy = api.post(f"{base}/reprints", {"format": "json"})
    assert (copy.status_code, copy.json()["copy"], copy.json()["code"]) == (201, 1, voucher["code"])
    paper = api.post(f"{base}/reprints", {"format": "txt", "lang": "en"})
    assert "DUPLICATE" in paper.content.decode()
    assert api.post(f"{base}/print-confirmation").status_code == 200
    refused(api.get(f"{base}/voucher.json"), 409, "voucher_printed")
    refused(api.post(f"{base}/reprints", {"format": "json"}), 409, "voucher_printed")
    refused(terminal_api(factories.point()).get(f"{base}/voucher.json"), 404, "voucher_unknown")


@pytest.mark.article("15.III.6.5")
def test_a_prize_in_kind_has_a_voucher_of_its_own_with_its_equivalent(place: Point) -> None:
    bicycle = {
        "description": "bicycle",
        "equivalent_cents": 100,
        "source": "Shops",
        "valued_on": "2026-10-15",
    }
    picture = emitting.document("six-at-the-post")
    emission = emitting.opened(
        picture
        | {
            "code": "kind",
            "tickets": 20,
            "block_tickets": 20,
            "price_cents": 100,
            "prize_percent": "70",
            "presentation": picture["presentation"] | {"matches": [6]},
            "tiers": [{"in_kind": bicycle, "count": 14}],
        }
    )
    (voucher,) = won(place, emission)["vouchers"]
    assert (voucher["nature"], voucher["amount_cents"]) == ("in_kind", 100)
    assert voucher["thing"]["key"] == "bicycle"
    text = terminal_api(place).get(f"{VOUCHERS}/{voucher['uuid']}/voucher.txt", lang="en").content
    assert "Electric bicycle" in text.decode() and "1.00" in text.decode()


def test_a_held_voucher_is_handed_over_at_the_central_office(
    place: Point, emission: Emission
) -> None:
    while True:
        ticket = PlayTicket.objects.get(uuid=card_bought(place, emission)["uuid"])
        if dealing(emission.pk).tier(ticket.opening, ticket.position):
            break
    play_end_unfinished(ticket)
    desk = staff_api(Role.CASHIER)
    (held,) = desk.get("promotrot/office/vouchers/held").json()["items"]
    assert held["play"] == str(ticket.uuid)
    path = f"promotrot/office/vouchers/{held['uuid']}"
    refused(desk.post(f"{path}/handover", {"claim": "mine"}), 409, "cash_session_missing")
    refused(staff_api(Role.AUDITOR).get("promotrot/office/vouchers/held"), 403, "power_missing")
    cashier = paying.cashier()
    desk = staff_api_of(cashier)
    card = paying.handed_over_by_api(desk, held["uuid"])
    assert card["code"] and not card["held"]
    assert card["code"] in desk.get(f"{path}/voucher.txt").content.decode()
    assert desk.post(f"{path}/print-confirmation").status_code == 200
    refused(desk.get(f"{path}/voucher.txt"), 409, "voucher_printed")
    assert Voucher.objects.get().code_digest


def staff_api_of(who: StaffActor) -> Api:
    """Return the API for an existing member of staff."""
    _session, token = session_start(user=User.objects.get(pk=who.user_id), verified=True)
    return Api(Authorization=f"Bearer {token}")
