"""Ask about, print, copy and annul a terminal's tickets through the API, and read its totals."""

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from core.database import clock
from core.premises.models import BurntRequest, OperatorSession
from core.premises.requests import new_uuid
from lototrot.api.tickets import TicketCard
from lototrot.models.contest import Contest
from lototrot.models.tickets import PrintConfirmation, Reprint, Void
from lototrot.services.contest.closing import contest_close
from tests.support import factories
from tests.support.api import Api, places, refused, staff_api, terminal_api
from tests.support.factories import Point

pytestmark = pytest.mark.django_db
Card = dict[str, Any]


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Contest:
    return factories.contest(correction_window_s=300)


@pytest.fixture
def api(place: Point) -> Api:
    return terminal_api(place)


@pytest.fixture
def sell(api: Api, contest: Contest) -> Callable[[], Card]:
    def one() -> Card:
        body = {
            "uuid": str(new_uuid()),
            "contest": contest.pk,
            "price_cents": 100,
            "amount_cents": 200,
            "races": [[1], [2, 3], [3], [4], [5], [6], [1]],
        }
        response = api.post("lototrot/tickets", body)
        assert response.status_code == 201, response.content
        card: Card = response.json()
        return card

    return one


@pytest.fixture
def card(sell: Callable[[], Card]) -> Card:
    return sell()


def path(card: Card, last: str) -> str:
    return f"lototrot/tickets/{card['uuid']}/{last}"


def unsold() -> Card:
    return {"uuid": str(new_uuid())}


# --- Inquiry --------------------------------------------------------------------------------------


def test_asking_about_a_sold_ticket(api: Api, card: Card) -> None:
    answer = api.post(path(card, "inquiry")).json()
    assert answer == {"outcome": "sold", "ticket": card | {"given_again": 1}}
    assert not BurntRequest.objects.exists()


def test_asking_needs_no_operator_and_burns_once(place: Point) -> None:
    alone = terminal_api(place, signed_on=False)
    gone = unsold()
    for _ in range(2):
        assert alone.post(path(gone, "inquiry")).json()["outcome"] == "burnt"
    assert BurntRequest.objects.count() == 1


def test_another_terminal_learns_nothing(card: Card) -> None:
    other = terminal_api(factories.point())
    refused(other.post(path(card, "inquiry")), 409, "uuid_reused")
    refused(other.get(path(card, "slip.json")), 404, "ticket_unknown")
    refused(other.post(path(card, "print-confirmation")), 404, "ticket_unknown")
    refused(other.post(path(card, "reprints"), {"format": "json"}), 404, "ticket_unknown")
    refused(
        other.post(path(card, "annulment"), {"code": card["code"], "reason": "x"}),
        404,
        "ticket_unknown",
    )
    assert not (Reprint.objects.exists() or Void.objects.exists())


def test_get_does_not_ask(api: Api, card: Card) -> None:
    refused(api.get(path(card, "inquiry")), 405, "method_not_allowed")


# --- Paper ----------------------------------------------------------------------------------------


@pytest.mark.article("14.II.1", "14.II.3")
def test_the_slip_in_every_form(api: Api, card: Card) -> None:
    answer = api.get(path(card, "slip.json"))
    assert answer.json() == card
    assert set(answer.json()) == set(TicketCard().fields)
    forms = {
        "pdf": "application/pdf",
        "escpos": "application/octet-stream",
        "html": "text/html; charset=utf-8",
        "txt": "text/plain; charset=utf-8",
    }
    reply = {form: api.get(path(card, f"slip.{form}"), lang="en") for form in forms}
    for form, media_type in forms.items():
        assert reply[form].status_code == 200
        assert reply[form]["Content-Type"] == media_type
        assert reply[form]["Cache-Control"] == "no-store"
    assert answer["Cache-Control"] == "no-store"
    (page,) = PdfReader(BytesIO(reply["pdf"].content)).pages
    assert round(page.mediabox.width * 25.4 / 72) == 80
    assert card["code"] in page.extract_text()
    for form in ("escpos", "html", "txt"):
        assert card["code"].encode() in reply[form].content
        assert b"DUPLICATE" not in reply[form].content


def test_the_slip_in_the_language_asked_for_or_of_the_request(place: Point, card: Card) -> None:
    catalan = terminal_api(place)
    catalan.headers["Accept-Language"] = "ca"
    page = catalan.get(path(card, "slip.html")).content.decode()
    assert '<html lang="ca">' in page
    page = catalan.get(path(card, "slip.html"), lang="es").content.decode()
    assert '<html lang="es">' in page
    problem = refused(catalan.get(path(card, "slip.html"), lang="fr"), 422, "fields_invalid")
    assert places(problem) == {"$.lang": "invalid_choice"}


def test_once_the_paper_is_confirmed_the_original_is_not_given_again(api: Api, card: Card) -> None:
    first = api.post(path(card, "print-confirmation"))
    assert first.status_code == 200
    assert api.post(path(card, "print-confirmation")).json() == first.json()
    assert PrintConfirmation.objects.count() == 1
    for form in ("json", "pdf", "escpos", "html", "txt"):
        refused(api.get(path(card, f"slip.{form}")), 409, "slip_printed")


def test_no_slip_of_a_printed_ticket_after_the_closing(
    api: Api, card: Card, contest: Contest
) -> None:
    api.post(path(card, "print-confirmation"))
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    refused(api.get(path(card, "slip.pdf")), 409, "slip_printed")
    refused(api.post(path(card, "reprints"), {"format": "pdf"}), 409, "slip_printed")
    assert api.post(path(card, "inquiry")).json()["ticket"]["code"] is None


def test_no_slip_of_what_was_not_sold(api: Api) -> None:
    refused(api.get(path(unsold(), "slip.json")), 404, "ticket_unknown")
    refused(api.get("lototrot/tickets/not-a-uuid/slip.json"), 404, "route_unknown")
    refused(api.post(path(unsold(), "print-confirmation")), 404, "ticket_unknown")


def test_reprints_are_numbered_and_marked(api: Api, card: Card) -> None:
    first = api.post(path(card, "reprints"), {"format": "json"})
    assert first.status_code == 201
    assert first.json() == card | {"copy": 1}
    second = api.post(path(card, "reprints"), {"format": "txt", "lang": "en"})
    assert second.status_code == 201
    assert b"DUPLICATE" in second.content
    assert card["code"].encode() in second.content
    assert [r.number for r in Reprint.objects.order_by("pk")] == [1, 2]


def test_what_a_reprint_may_ask_for(api: Api, card: Card) -> None:
    for body, wanted in (
        ({}, {"$.format": "required"}),
        ({"format": "gif"}, {"$.format": "invalid_choice"}),
        ({"format": "pdf", "lang": 1}, {"$.lang": "invalid_choice"}),
        ({"format": "pdf", "copies": 2}, {"$.copies": "unknown_field"}),
    ):
        response = api.post(path(card, "reprints"), body)
        assert response.status_code == 422
        assert places(response.json()) == wanted
    assert not Reprint.objects.exists()


# --- Correction of an error -----------------------------------------------------------------------


@pytest.mark.article("14.III.1.4")
def test_an_error_is_annulled_against_the_paper(api: Api, card: Card) -> None:
    body = {"code": card["code"].lower(), "reason": "Number mistyped"}
    first = api.post(path(card, "annulment"), body)
    assert first.status_code == 200, first.content
    assert first.json()["uuid"] == card["uuid"]
    assert first.json()["refund_cents"] == 200
    assert api.post(path(card, "annulment"), body).json() == first.json()
    assert Void.objects.count() == 1
    again = api.post(path(card, "inquiry")).json()["ticket"]
    assert again == card | {"state": "void", "code": None}
    refused(api.get(path(card, "slip.json")), 409, "ticket_not_printable")
    refused(api.post(path(card, "reprints"), {"format": "json"}), 409, "ticket_not_printable")


@pytest.mark.article("14.III.1.4")
def test_an_annulment_refused(
    api: Api, card: Card, sell: Callable[[], Card], contest: Contest
) -> None:
    other = sell()

    def annul(code: str, status: int, problem: str) -> None:
        refused(api.post(path(card, "annulment"), {"code": code, "reason": "x"}), status, problem)

    annul("", 422, "fields_invalid")
    annul("ABC", 422, "code_malformed")
    swapped = card["code"][:2] + ("1" if card["code"][2] != "1" else "2") + card["code"][3:]
    annul(swapped, 422, "code_mistyped")
    annul(other["code"], 422, "code_of_another_ticket")
    factories.time_pass(seconds=301)
    annul(card["code"], 409, "correction_too_late")
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    annul(card["code"], 409, "contest_closed")
    assert not Void.objects.exists()


@pytest.mark.article("14.III.1.4")
def test_without_a_window_nothing_is_annulled(api: Api, place: Point) -> None:
    contest = factories.contest(factories.meeting(first_start_at=clock.now() + timedelta(days=1)))
    factories.acknowledge(contest, place)
    body = {
        "uuid": str(new_uuid()),
        "contest": contest.pk,
        "price_cents": 100,
        "amount_cents": 100,
        "races": [[1]] * 7,
    }
    card = api.post("lototrot/tickets", body).json()
    response = api.post(path(card, "annulment"), {"code": card["code"], "reason": "x"})
    refused(response, 403, "correction_not_offered")
    assert not Void.objects.exists()


# --- The terminal's own day -----------------------------------------------------------------------


def test_the_last_tickets_of_the_terminal(api: Api, sell: Callable[[], Card]) -> None:
    cards = [sell() for _ in range(3)]
    api.post(path(cards[0], "print-confirmation"))
    api.post(path(cards[1], "annulment"), {"code": cards[1]["code"], "reason": "x"})
    first = api.get("lototrot/terminal/tickets", limit=2).json()
    second = api.get("lototrot/terminal/tickets", limit=2, cursor=first["next"]).json()
    rows = [*first["items"], *second["items"]]
    assert [row["uuid"] for row in rows] == [card["uuid"] for card in reversed(cards)]
    assert [(row["printed"], row["voided"]) for row in rows] == [
        (False, False),
        (False, True),
        (True, False),
    ]
    assert second["next"] is None
    assert "code" not in rows[0]
    assert rows[0]["races"] == [race["numbers"] for race in cards[2]["races"]]
    assert rows[0]["correction_window_s"] == cards[2]["correction_window_s"]
    elsewhere = terminal_api(factories.point()).get("lototrot/terminal/tickets").json()
    assert elsewhere == {"items": [], "next": None}


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"marks": "1,0,3"}, 3),
        ({"marks": "0,99"}, 0),
        ({"amount_cents": 200}, 3),
        ({"amount_cents": 100}, 0),
        ({"day": "2020-02-29"}, 0),
    ],
)
def test_a_ticket_is_found_by_what_was_played(
    api: Api, sell: Callable[[], Card], query: dict[str, Any], count: int
) -> None:
    for _ in range(3):
        sell()
    assert len(api.get("lototrot/terminal/tickets", **query).json()["items"]) == count
    refused(api.get("lototrot/terminal/tickets", marks="1;2"), 422, "fields_invalid")


def test_the_totals_of_a_day(api: Api, sell: Callable[[], Card]) -> None:
    cards = [sell() for _ in range(3)]
    api.post(path(cards[1], "annulment"), {"code": cards[1]["code"], "reason": "x"})
    answer = api.get("lototrot/terminal/totals").json()
    day = answer.pop("day")
    assert answer == {
        "tickets": 3,
        "bets": 6,
        "amount_cents": 600,
        "annulled_tickets": 1,
        "annulled_cents": 200,
    }
    assert api.get("lototrot/terminal/totals", day=day).json() == answer | {"day": day}
    empty = api.get("lototrot/terminal/totals", day="2020-02-29").json()
    assert set(empty.values()) == {0, "2020-02-29"}
    refused(api.get("lototrot/terminal/totals", day="2021-02-29"), 422, "fields_invalid")


# --- Who ------------------------------------------------------------------------------------------

BARE = ["inquiry", "print-confirmation"]
SIGNED = [("reprints", {"format": "json"}), ("annulment", {"code": "x", "reason": "x"})]


def test_who_may_ask(place: Point, card: Card) -> None:
    strangers = (Api(), staff_api())
    for stranger in strangers:
        for last in BARE:
            refused(stranger.post(path(card, last)), 401, "credentials_missing")
        for last, body in SIGNED:
            refused(stranger.post(path(card, last), body), 401, "credentials_missing")
        refused(stranger.get(path(card, "slip.pdf")), 401, "credentials_missing")
        refused(stranger.get("lototrot/terminal/tickets"), 401, "credentials_missing")
        refused(stranger.get("lototrot/terminal/totals"), 401, "credentials_missing")
    OperatorSession.objects.filter(pk=place.session.pk).update(ended_at=clock.now())
    api = terminal_api(place)
    for last, body in SIGNED:
        refused(api.post(path(card, last), body), 401, "operator_session_expired")
    refused(api.get(path(card, "slip.json")), 401, "operator_session_expired")
    assert not (Reprint.objects.exists() or PrintConfirmation.objects.exists())
