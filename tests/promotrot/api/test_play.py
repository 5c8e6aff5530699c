"""Sell and play a ticket through the API; a refused request writes nothing."""

import json
from typing import Any

import pytest
from rest_framework.exceptions import ValidationError

from core.api import bodies
from core.database import clock, statements
from core.ledger.models import Transfer
from core.premises.models import OperatorSession, Premises, Suspension, Terminal
from core.premises.requests import new_uuid
from core.proofs.head import head_text
from promotrot.api.play import ActIn, PlayCard, PlayIn
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.services.dealing import dealing
from tests.support import emitting, factories
from tests.support.api import Api, places, refused, terminal_api
from tests.support.factories import Point
from tests.support.promotrot.playing import PLAYS, acted, asked, card_bought

pytestmark = pytest.mark.django_db


def nothing_written() -> bool:
    return not (PlayTicket.objects.exists() or Transfer.objects.exists())


@pytest.mark.article("15.I.1", "15.III.2", "15.III.5.2", "15.III.6.1", "15.III.6.3")
def test_a_whole_play(place: Point, emission: Emission) -> None:
    card = card_bought(place, emission)
    assert set(card) == set(PlayCard().fields)
    assert card["public_log"] == head_text() != "", "it is on the slip of any terminal"
    assert (card["state"], card["legal"], card["ending"]) == ("playing", ["reveal"], None)
    assert card["prize_percent"] and card["screen"]["presentation"]["kind"] == "symbols"
    answer = acted(place, card["uuid"], Accept_Language="en")
    assert answer.status_code == 201
    assert answer["Cache-Control"] == "no-store"
    played = answer.json()
    assert (played["state"], played["legal"]) == ("ended", [])
    assert played["acts"] == [{"number": 1, "act": "reveal", "shown": played["ending"]["tier"]}]
    assert len(played["ending"]["picture"]["cells"]) == 9
    again = acted(place, card["uuid"], Accept_Language="en")
    assert (again.status_code, again.json()) == (200, played)
    state = terminal_api(place, signed_on=False).get(f"{PLAYS}/{card['uuid']}")
    assert state.status_code == 200


@pytest.mark.usefixtures("facts_stay")
@pytest.mark.article("15.III.2")
def test_a_sale_and_its_act_ask_the_database_once_each(
    place: Point,
    emission: Emission,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: Any,
) -> None:
    """Each question costs more than its answer, and every play waits for all of them."""
    api, of_emission = terminal_api(place), dealing(emission.pk)
    acted(place, card_bought(place, emission)["uuid"])  # the process keeps facts now
    asked_of_it: list[str] = []
    once = statements._run
    monkeypatch.setattr(
        statements,
        "_run",
        lambda text, parameters: asked_of_it.append(text) or once(text, parameters),
    )
    while True:
        body = asked(emission)
        asked_of_it.clear()
        with django_assert_num_queries(0):
            assert api.post(PLAYS, body).status_code == 201
        assert len(asked_of_it) == 1, asked_of_it
        ticket = PlayTicket.objects.get(uuid=body["uuid"])
        if not of_emission.tier(ticket.opening, ticket.position):
            break  # for a voucher, a test's transaction reads the secret of the day
    asked_of_it.clear()
    with django_assert_num_queries(0):
        assert acted(place, body["uuid"]).status_code == 201
    assert len(asked_of_it) == 1, asked_of_it


@pytest.mark.parametrize("form", ["pdf", "escpos", "html", "txt"])
def test_the_receipt_of_a_play_names_it(place: Point, emission: Emission, form: str) -> None:
    card = card_bought(place, emission)
    answer = terminal_api(place).get(f"{PLAYS}/{card['uuid']}/receipt.{form}", lang="en")
    assert answer.status_code == 200
    assert form in ("pdf", "escpos") or card["uuid"] in answer.content.decode()


def test_a_replayed_sale_is_the_play_as_it_stands(place: Point, emission: Emission) -> None:
    body = asked(emission)
    api = terminal_api(place)
    first, second = api.post(PLAYS, body), api.post(PLAYS, body)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    played = acted(place, body["uuid"]).json()
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
    play = card_bought(place, emission)["uuid"]
    for body, status, code in (
        ({"number": 2, "act": "reveal"}, 409, "act_out_of_turn"),
        ({"number": 1, "act": "stop"}, 409, "act_out_of_turn"),
        ({"number": 0, "act": "reveal"}, 422, "fields_invalid"),
        ({"number": 1}, 422, "fields_invalid"),
        ({"number": 1, "act": "reveal", "draw": 0}, 422, "unknown_field"),
    ):
        refused(acted(place, play, body), status, code)
    refused(acted(place, str(new_uuid())), 404, "play_unknown")
    refused(acted(factories.point(), play), 404, "play_unknown")
    refused(acted(factories.point(place.premises), play), 409, "play_elsewhere")
    assert not PlayAct.objects.exists()
    assert acted(place, play).status_code == 201
    refused(acted(place, play, {"number": 2, "act": "reveal"}), 409, "play_ended")
    refused(acted(place, play, {"number": 1, "act": "stop"}), 409, "act_already_done")
    assert PlayEnd.objects.count() == PlayAct.objects.count() == 1


@pytest.mark.article("15.III.6.1")
def test_a_paid_play_goes_on_whatever_becomes_of_operator_and_sales(
    place: Point, emission: Emission
) -> None:
    play, other = card_bought(place, emission)["uuid"], card_bought(place, emission)["uuid"]
    OperatorSession.objects.filter(pk=place.session.pk).update(ended_at=clock.now())
    by = factories.staff()
    Suspension.objects.create(
        reason="Fire", since=clock.now(), suspended_by_id=by.user_id, suspended_in_id=by.session_id
    )
    assert acted(place, play).status_code == 201
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=clock.now())
    refused(acted(place, other), 403, "terminal_revoked")


def test_a_burnt_uuid(place: Point, emission: Emission) -> None:
    body, api = asked(emission), terminal_api(place)
    assert api.post(f"{PLAYS}/{body['uuid']}/inquiry").json() == {"outcome": "burnt"}
    refused(api.post(PLAYS, body), 409, "uuid_burnt")
    assert nothing_written()
    sold = card_bought(place, emission)["uuid"]
    assert api.post(f"{PLAYS}/{sold}/inquiry").json() == {"outcome": "sold"}
    foreign = terminal_api(factories.point())
    refused(foreign.post(f"{PLAYS}/{sold}/inquiry"), 409, "uuid_reused")


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
