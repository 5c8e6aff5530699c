"""A play over HTTP: what is answered, what is refused, and that nothing is written then."""

import json
import uuid
from typing import Any

import pytest
from rest_framework.exceptions import ValidationError

from core.api import bodies
from core.database import clock
from core.ledger.models import Transfer
from core.premises.models import OperatorSession, Premises, Suspension, Terminal
from core.staff.actor import StaffActor
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from promotrot.api.play import ActIn, PlayCard, PlayIn
from promotrot.api.vouchers import VoucherCard
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd, PlayMove, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.dealing import dealing
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.api import Api, places, refused, staff_api, terminal_api
from tests.support.factories import Point

pytestmark = pytest.mark.django_db
PLAYS = "promotrot/plays"
VOUCHERS = "promotrot/vouchers"
REVEAL = {"number": 1, "act": "reveal"}


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def emission() -> Emission:
    return emitting.opened(emitting.small())


def asked(emission: Emission, /, **changes: Any) -> dict[str, Any]:
    plain = {
        "uuid": str(uuid.uuid4()),
        "emission": emission.pk,
        "price_cents": emission.price_cents,
    }
    return plain | changes


def buy(place: Point, emission: Emission) -> dict[str, Any]:
    answer = terminal_api(place).post(PLAYS, asked(emission))
    assert answer.status_code == 201, answer.content
    card: dict[str, Any] = answer.json()
    return card


def act(place: Point, play: str, body: Any = REVEAL, **headers: str) -> Any:
    return terminal_api(place).post(f"{PLAYS}/{play}/acts", body, **headers)


def won(place: Point, emission: Emission) -> dict[str, Any]:
    while True:
        card: dict[str, Any] = act(place, buy(place, emission)["uuid"]).json()
        if card["vouchers"]:
            return card


def nothing_written() -> bool:
    return not (PlayTicket.objects.exists() or Transfer.objects.exists())


@pytest.mark.article("15.I.1", "15.III.2", "15.III.5.2", "15.III.6.1", "15.III.6.3")
def test_a_whole_play(place: Point, emission: Emission) -> None:
    card = buy(place, emission)
    assert set(card) == set(PlayCard().fields)
    assert (card["state"], card["legal"], card["ending"]) == ("playing", ["reveal"], None)
    assert card["prize_percent"] and card["screen"]["presentation"]["kind"] == "symbols"
    answer = act(place, card["uuid"], Accept_Language="en")
    assert answer.status_code == 201
    assert answer["Cache-Control"] == "no-store"
    played = answer.json()
    assert (played["state"], played["legal"]) == ("ended", [])
    assert played["acts"] == [{"number": 1, "act": "reveal", "shown": played["ending"]["tier"]}]
    assert len(played["ending"]["picture"]["cells"]) == 9
    again = act(place, card["uuid"], Accept_Language="en")
    assert (again.status_code, again.json()) == (200, played)
    state = terminal_api(place, signed_on=False).get(f"{PLAYS}/{card['uuid']}")
    assert state.status_code == 200


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
        for shown in (
            voucher["code"],
            place.premises.code,
            place.premises.name,
            place.premises.address,
            "Promotrot",
            voucher["uuid"],
            voucher["play"],
        ):
            assert shown in text
    assert api.post(f"{base}/print-confirmation").status_code == 200
    refused(api.get(f"{base}/voucher.json"), 409, "voucher_printed")
    copy = api.post(f"{base}/reprints", {"format": "json"})
    assert (copy.status_code, copy.json()["copy"], copy.json()["code"]) == (201, 1, voucher["code"])
    paper = api.post(f"{base}/reprints", {"format": "txt", "lang": "en"})
    assert "DUPLICATE" in paper.content.decode()
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


@pytest.mark.parametrize("form", ["pdf", "escpos", "html", "txt"])
def test_the_receipt_of_a_play_names_it(place: Point, emission: Emission, form: str) -> None:
    card = buy(place, emission)
    answer = terminal_api(place).get(f"{PLAYS}/{card['uuid']}/receipt.{form}", lang="en")
    assert answer.status_code == 200
    assert form in ("pdf", "escpos") or card["uuid"] in answer.content.decode()


def test_a_replayed_sale_is_the_play_as_it_stands(place: Point, emission: Emission) -> None:
    body = asked(emission)
    api = terminal_api(place)
    first, second = api.post(PLAYS, body), api.post(PLAYS, body)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    played = act(place, body["uuid"]).json()
    assert api.post(PLAYS, body).json()["ending"] == played["ending"]
    assert PlayTicket.objects.count() == 1
    refused(api.post(PLAYS, body | {"price_cents": 1}), 409, "uuid_reused")
    refused(terminal_api(factories.point()).post(PLAYS, body), 409, "uuid_reused")


@pytest.mark.article("15.III.4", "15.III.3")
def test_sales_that_are_none(place: Point, emission: Emission) -> None:
    api = terminal_api(place)
    draft = emitting.planned(emitting.approved(emitting.small("draft")))
    for body, status, code in (
        (asked(emission, emission=10**15), 404, "emission_unknown"),
        (asked(emission, price_cents=1), 422, "wrong_price"),
        (asked(draft), 409, "emission_not_open"),
        (asked(emission, uuid="x"), 422, "fields_invalid"),
        (asked(emission, more=1), 422, "unknown_field"),
    ):
        refused(api.post(PLAYS, body), status, code)
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    refused(terminal_api(office).post(PLAYS, asked(emission)), 403, "terminal_cannot")
    lototrot = factories.point(factories.premises(authorised=["lototrot"]))
    refused(terminal_api(lototrot).post(PLAYS, asked(emission)), 403, "premises_not_authorised")
    refused(Api().post(PLAYS, asked(emission)), 401, "credentials_missing")
    by = factories.staff()
    Suspension.objects.create(
        terminal=place.terminal,
        reason="Fire",
        since=clock.now(),
        suspended_by_id=by.user_id,
        suspended_in_id=by.session_id,
    )
    refused(api.post(PLAYS, asked(emission)), 403, "sales_suspended")
    assert nothing_written()


def test_acts_that_are_none(place: Point, emission: Emission) -> None:
    play = buy(place, emission)["uuid"]
    for body, status, code in (
        ({"number": 2, "act": "reveal"}, 409, "act_out_of_turn"),
        ({"number": 1, "act": "stop"}, 409, "act_out_of_turn"),
        ({"number": 0, "act": "reveal"}, 422, "fields_invalid"),
        ({"number": 1}, 422, "fields_invalid"),
        ({"number": 1, "act": "reveal", "draw": 0}, 422, "unknown_field"),
    ):
        refused(act(place, play, body), status, code)
    refused(act(place, str(uuid.uuid4())), 404, "play_unknown")
    refused(act(factories.point(), play), 404, "play_unknown")
    refused(act(factories.point(place.premises), play), 409, "play_elsewhere")
    assert not PlayAct.objects.exists()
    assert act(place, play).status_code == 201
    refused(act(place, play, {"number": 2, "act": "reveal"}), 409, "play_ended")
    refused(act(place, play, {"number": 1, "act": "stop"}), 409, "act_already_done")
    assert PlayEnd.objects.count() == PlayAct.objects.count() == 1


@pytest.mark.article("15.III.6.1")
def test_a_paid_play_goes_on_whatever_becomes_of_operator_and_sales(
    place: Point, emission: Emission
) -> None:
    play, other = buy(place, emission)["uuid"], buy(place, emission)["uuid"]
    OperatorSession.objects.filter(pk=place.session.pk).update(ended_at=clock.now())
    by = factories.staff()
    Suspension.objects.create(
        reason="Fire", since=clock.now(), suspended_by_id=by.user_id, suspended_in_id=by.session_id
    )
    assert act(place, play).status_code == 201
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=clock.now())
    refused(act(place, other), 403, "terminal_revoked")


def test_a_terminal_finds_its_unfinished_plays_and_staff_move_them(
    place: Point, emission: Emission
) -> None:
    play = buy(place, emission)["uuid"]
    act(place, buy(place, emission)["uuid"])
    neighbour = factories.point(place.premises)
    assert [each["uuid"] for each in _unfinished(place)] == [play]
    move = f"promotrot/office/plays/{play}/move"
    body = {"terminal": neighbour.terminal.code, "reason": "Dark screen"}
    refused(staff_api(Role.AUDITOR).post(move, body), 403, "power_missing")
    organiser = staff_api(Role.ORGANISER)
    refused(organiser.post(move, body | {"terminal": "NOWHERE"}), 409, "play_move_refused")
    for _ in range(2):
        assert organiser.post(move, body, Idempotency_Key="k" * 16).status_code == 200
    assert _unfinished(place) == []
    assert [each["uuid"] for each in _unfinished(neighbour)] == [play]
    assert PlayMove.objects.count() == 1
    assert act(neighbour, play).status_code == 201


def _unfinished(place: Point) -> list[dict[str, Any]]:
    page = terminal_api(place).get("promotrot/terminal/plays").json()
    return list(page["items"])


def test_staff_see_every_act_as_it_was_drawn_and_no_code(place: Point) -> None:
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    card = buy(place, ladder)
    act(place, card["uuid"], {"number": 1, "act": "trot"})
    auditor = staff_api(Role.AUDITOR)
    record = auditor.get(f"promotrot/office/plays/{card['uuid']}").json()
    assert [each["act"] for each in record["acts"]] == ["trot"]
    listed = auditor.get("promotrot/office/plays", emission=ladder.reference).json()["items"]
    assert [each["uuid"] for each in listed] == [card["uuid"]]
    assert "code" not in str(record).replace("terminal_code", "")
    refused(staff_api(Role.STEWARDS).get("promotrot/office/plays"), 403, "power_missing")


def test_a_held_voucher_is_handed_over_at_the_central_office(
    place: Point, emission: Emission
) -> None:
    while True:
        ticket = PlayTicket.objects.get(uuid=buy(place, emission)["uuid"])
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
    card = desk.post(f"{path}/handover", {"claim": "receipt"}).json()
    assert card["code"] and not card["held"]
    assert card["code"] in desk.get(f"{path}/voucher.txt").content.decode()
    assert desk.post(f"{path}/print-confirmation").status_code == 200
    refused(desk.get(f"{path}/voucher.txt"), 409, "voucher_printed")
    assert Voucher.objects.get().code_digest


def staff_api_of(who: StaffActor) -> Api:
    """The API for a member of staff who is there already."""
    _session, token = session_start(user=User.objects.get(pk=who.user_id), verified=True)
    return Api(Authorization=f"Bearer {token}")


def test_a_burnt_uuid(place: Point, emission: Emission) -> None:
    body, api = asked(emission), terminal_api(place)
    assert api.post(f"{PLAYS}/{body['uuid']}/inquiry").json() == {"outcome": "burnt"}
    refused(api.post(PLAYS, body), 409, "uuid_burnt")
    assert nothing_written()
    sold = buy(place, emission)["uuid"]
    assert api.post(f"{PLAYS}/{sold}/inquiry").json() == {"outcome": "sold"}
    foreign = terminal_api(factories.point())
    refused(foreign.post(f"{PLAYS}/{sold}/inquiry"), 409, "uuid_reused")


# --- Shape ----------------------------------------------------------------------------------------

_IDENT = "881c309e-e107-4421-862d-d8843dff293f"
BODIES: list[Any] = [
    None,
    [],
    "x",
    {},
    {"uuid": _IDENT},
    *[{"uuid": _IDENT, "emission": e, "price_cents": 50} for e in (0, -1, 2**63, True, "1", 1.0)],
    *[{"uuid": u, "emission": 1, "price_cents": 50} for u in ("", _IDENT[:-1], 7, None)],
    {"uuid": _IDENT, "emission": 1, "price_cents": 0},
    {"uuid": _IDENT, "emission": 1, "price_cents": 50, "more": 1},
]
ACTS: list[Any] = [
    None,
    {},
    {"number": 1},
    {"act": "reveal"},
    *[{"number": n, "act": "reveal"} for n in (0, -1, 1001, True, "1", 2**70)],
    *[{"number": 1, "act": a} for a in ("", " ", "x" * 41, 1, None, "a\n")],
    {"number": 1, "act": "reveal", "draw": 1},
]


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_what_the_quick_reader_of_sales_refuses_so_does_the_shape(body: Any) -> None:
    assert bodies._read_right(PlayIn, json.dumps(body).encode()) is None
    with pytest.raises(ValidationError):
        bodies.from_document(PlayIn, body)


@pytest.mark.parametrize("body", ACTS, ids=str)
def test_what_the_quick_reader_of_acts_refuses_so_does_the_shape(body: Any) -> None:
    assert bodies._read_right(ActIn, json.dumps(body).encode()) is None
    with pytest.raises(ValidationError):
        bodies.from_document(ActIn, body)


def test_the_quick_readers_read_what_the_shapes_read() -> None:
    sale, act_ = {"uuid": _IDENT, "emission": 1, "price_cents": 50}, {"number": 3, "act": "open-2"}
    for kind, body in ((PlayIn, sale), (ActIn, act_)):
        right = bodies._read_right(kind, json.dumps(body).encode())
        assert right is not None
        assert right == bodies.from_document(kind, body)


def test_a_fault_of_shape_names_its_place(place: Point, emission: Emission) -> None:
    problem = refused(
        terminal_api(place).post(PLAYS, asked(emission, emission="1")), 422, "fields_invalid"
    )
    assert places(problem) == {"$.emission": "type"}
