"""Sell tickets through the API; a refused request writes nothing."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from core.database import clock
from core.ledger.models import Transfer
from core.premises.models import BurntRequest, OperatorSession, Premises, Suspension, Terminal
from lototrot.api.tickets import TicketCard
from lototrot.models.contest import Contest, TicketModel
from lototrot.models.tickets import Ticket
from lototrot.services.contest.closing import contest_close
from lototrot.services.tickets.layout import layout_digest
from tests.support import factories
from tests.support.api import Api, LogText, refused, staff_api, terminal_api
from tests.support.factories import Point
from tests.support.lototrot.sale_bodies import RACES, SINGLE, TICKETS, asked, nothing_written, sell

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.II.1", "14.II.3", "14.III.6.2")
def test_a_sale_is_answered_with_the_whole_ticket(place: Point, contest: Contest) -> None:
    body = asked(contest)
    response = sell(place, body, Accept_Language="en")
    assert response.status_code == 201, response.content
    card = response.json()
    ticket = Ticket.objects.get()
    assert card["uuid"] == body["uuid"] == str(ticket.uuid)
    assert set(card) == set(TicketCard().fields)
    assert [race["numbers"] for race in card["races"]] == RACES
    assert not any(race["quick_pick"] for race in card["races"])
    assert (card["bets"], card["amount_cents"], card["price_cents"]) == (2, 200, 100)
    assert card["state"] == "sold"
    assert card["premises"]["code"] == place.premises.code
    assert (card["terminal"], card["operator"]) == (place.terminal.code, place.operator.number)
    assert len(card["code"]) == 24 + 5
    assert card["notices"][0] == "Only for people over 18."
    assert response["X-Server-Time"]


def test_the_notices_come_in_the_language_of_the_request(place: Point, contest: Contest) -> None:
    """Notices are kept by language, whichever language came first in this process."""
    seen = {
        language: sell(place, asked(contest), Accept_Language=language).json()["notices"]
        for language in ("en", "ca", "en")
    }
    assert seen["en"][0] == "Only for people over 18."


def test_a_quick_pick_shows_what_was_drawn(place: Point, contest: Contest) -> None:
    races = [{"quick_pick": 2}, *SINGLE[1:]]
    card = sell(place, asked(contest, races=races)).json()
    first = card["races"][0]
    assert first["quick_pick"]
    assert len(first["numbers"]) == 2
    assert card["bets"] == 2
    assert not card["races"][1]["quick_pick"]


def test_a_replay_is_the_same_ticket_with_200(place: Point, contest: Contest) -> None:
    body = asked(contest, races=[{"quick_pick": 2}, *SINGLE[1:]])
    first, second = sell(place, body), sell(place, body)
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == first.json() | {"given_again": 1}
    assert Ticket.objects.count() == Transfer.objects.count() == 1


def test_a_replay_has_no_code_when_the_time_to_print_is_over(
    place: Point, contest: Contest
) -> None:
    """For five minutes after the closing it has, if the print is not confirmed [E11]."""
    body = asked(contest)
    first = sell(place, body).json()
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    again = sell(place, body)
    assert again.status_code == 200
    assert again.json() == first | {"given_again": 1}
    OperatorSession.objects.filter(pk=place.session.pk).update(ended_at=clock.now())
    assert sell(place, body).json() == first | {"code": None, "given_again": 1}
    factories.prints_ended(contest)
    assert sell(place, body).json() == first | {"code": None, "given_again": 1}


def test_the_same_uuid_with_other_content(place: Point, contest: Contest) -> None:
    body = asked(contest)
    assert sell(place, body).status_code == 201
    refused(sell(place, body | {"races": [[2], *RACES[1:]]}), 409, "uuid_reused")
    other = factories.point()
    factories.acknowledge(contest, other)
    refused(sell(other, body), 409, "uuid_reused")
    assert Ticket.objects.count() == 1


# --- Refusals of the rules ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"contest": 10**15}, 404, "contest_unknown"),
        ({"races": RACES[:6]}, 422, "wrong_race_count"),
        ({"races": [*RACES, [1]]}, 422, "wrong_race_count"),
        ({"races": [[], *RACES[1:]]}, 422, "empty_race"),
        ({"races": [[31], *RACES[1:]]}, 422, "unknown_number"),
        ({"races": [[1, 1], *RACES[1:]]}, 422, "repeated_number"),
        ({"races": [{"quick_pick": 11}, *SINGLE[1:]]}, 422, "quick_pick_too_long"),
        ({"price_cents": 150, "amount_cents": 300}, 422, "wrong_price"),
        ({"amount_cents": 100}, 422, "wrong_amount"),
        (
            {"races": [[*range(1, 11)]] * 5 + [[1], [1]], "amount_cents": 10_000_000},
            422,
            "too_many_bets",
        ),
    ],
)
def test_a_ticket_that_is_none(
    place: Point, contest: Contest, changes: dict[str, Any], status: int, code: str
) -> None:
    refused(sell(place, asked(contest, **changes)), status, code)
    assert nothing_written()


@pytest.mark.article("14.III.5.4.1")
def test_a_withdrawn_number(place: Point, contest: Contest) -> None:
    factories.withdrawal(factories.races_of(contest)[1], 3)
    problem = refused(sell(place, asked(contest)), 409, "withdrawn_number")
    assert problem["data"] == {"race": 2}
    assert nothing_written()


@pytest.mark.article("14.II.2")
def test_a_multiple_ticket_that_the_paper_does_not_have(
    place: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = TicketModel.objects.create(
        code="narrow",
        version=1,
        authorisation="CAIB 9",
        authorised_on=clock.now().date(),
        multiple=False,
        layout=layout_digest(),
        recorded_at=clock.now(),
        recorded_by_id=factories.staff().user_id,
    )
    monkeypatch.setattr("tests.support.factories.contests.ticket_model", lambda by: narrow)
    contest = factories.contest(factories.meeting(first_start_at=clock.now() + timedelta(days=1)))
    factories.acknowledge(contest, place)
    refused(sell(place, asked(contest)), 422, "multiple_not_authorised")
    assert nothing_written()
    single = asked(contest, races=SINGLE, amount_cents=100)
    assert sell(place, single).status_code == 201


@pytest.mark.article("14.III.4")
def test_a_contest_that_is_not_on_sale(place: Point, contest: Contest) -> None:
    draft = factories.contest(
        factories.meeting(day=contest.day + timedelta(days=1)), state=Contest.State.DRAFT
    )
    refused(sell(place, asked(draft)), 409, "contest_not_open")
    factories.time_to(contest.scheduled_close_at)
    refused(sell(place, asked(contest)), 409, "contest_closed")
    assert nothing_written()


@pytest.mark.article("14.III.5.2", "14.III.6.2")
def test_the_display_must_have_been_acknowledged(contest: Contest) -> None:
    refused(sell(factories.point(), asked(contest)), 409, "display_not_acknowledged")
    assert nothing_written()


@pytest.mark.article("14.I.6")
def test_premises_without_authorisation(contest: Contest) -> None:
    place = factories.point(factories.premises(authorised=["promotrot"]))
    factories.acknowledge(contest, place)
    refused(sell(place, asked(contest)), 403, "premises_not_authorised")
    assert nothing_written()


def test_suspended_sales_may_be_sent_again(place: Point, contest: Contest) -> None:
    by = factories.staff()
    stop = Suspension.objects.create(
        terminal=place.terminal,
        reason="Fire",
        since=clock.now(),
        suspended_by_id=by.user_id,
        suspended_in_id=by.session_id,
    )
    body = asked(contest)
    assert refused(sell(place, body), 403, "sales_suspended")["transient"] is True
    Suspension.objects.filter(pk=stop.pk).update(lifted_at=clock.now(), lifted_by_id=by.user_id)
    assert sell(place, body).status_code == 201


@pytest.mark.article("14.I.6")
def test_the_offices_pay_and_do_not_sell(contest: Contest) -> None:
    for kind in (Premises.Kind.CENTRAL_OFFICE, Premises.Kind.ENTITY_OFFICE):
        office = factories.point(factories.premises(kind))
        factories.acknowledge(contest, office)
        refused(sell(office, asked(contest)), 403, "terminal_cannot")
    assert nothing_written()


def test_who_may_sell(place: Point, contest: Contest) -> None:
    body = asked(contest)
    refused(Api().post(TICKETS, body), 401, "credentials_missing")
    refused(staff_api().post(TICKETS, body), 401, "credentials_missing")
    made_up = Api(Authorization="Terminal " + "x" * 43)
    refused(made_up.post(TICKETS, body), 401, "terminal_unknown")
    unsigned = terminal_api(place, signed_on=False)
    refused(unsigned.post(TICKETS, body), 401, "operator_session_unknown")
    elsewhere = factories.point()
    session = {"X-Operator-Session": elsewhere.session_token}
    foreign = Api(Authorization=f"Terminal {place.token}", **session)
    refused(foreign.post(TICKETS, body), 401, "operator_session_unknown")
    OperatorSession.objects.filter(pk=place.session.pk).update(ended_at=clock.now())
    refused(sell(place, body), 401, "operator_session_expired")
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=clock.now())
    refused(sell(place, body), 403, "terminal_revoked")
    assert nothing_written()


def test_a_burnt_uuid(place: Point, contest: Contest) -> None:
    body = asked(contest)
    answer = terminal_api(place).post(f"{TICKETS}/{body['uuid']}/inquiry").json()
    assert answer == {"outcome": "burnt", "ticket": None}
    assert BurntRequest.objects.get().terminal == place.terminal
    refused(sell(place, body), 409, "uuid_burnt")
    assert nothing_written()


@pytest.mark.usefixtures("facts_stay")
def test_the_whole_sale_asks_the_database_once(
    place: Point, contest: Contest, django_assert_num_queries: Any
) -> None:
    """Django does not count the statement of the sale itself; any other query would be counted."""
    sell(place, asked(contest))
    api, body = terminal_api(place), asked(contest)
    with django_assert_num_queries(0):
        assert api.post(TICKETS, body).status_code == 201


def test_a_code_is_in_no_log_line(place: Point, contest: Contest, log_text: LogText) -> None:
    card = sell(place, asked(contest)).json()
    assert len(log_text.events("request")) == 1
    for secret in (card["code"], card["code"].replace("-", ""), place.token, place.session_token):
        assert secret not in log_text.getvalue()


def test_a_refusal_in_another_language(place: Point) -> None:
    body = json.dumps({"uuid": "x"})
    response = Client().post(
        f"/api/v1/{TICKETS}",
        body,
        content_type="application/json",
        headers={
            "Authorization": f"Terminal {place.token}",
            "Accept-Language": "ca",
            "X-Operator-Session": place.session_token,
        },
    )
    assert refused(response, 422, "fields_invalid")["title"]
