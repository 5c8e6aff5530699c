"""Record bet types, internal bet types and ticket models through the API."""

import pytest

from lototrot.models.contest import BetType, TicketModel
from tests.support.api import Api, places, refused

pytestmark = pytest.mark.django_db


BET_TYPE = {
    "code": "lototrot",
    "version": 1,
    "name": "Lototrot",
    "legs": 7,
    "prize_percent": "60",
    "payout_step_cents": 1,
    "jackpot_threshold_cents": 15000000,
    "shares_below": {"7": "30", "6": "20", "5": "20", "4": "30", "reserve": "0"},
    "shares_above": {"7": "20", "6": "20", "5": "20", "4": "30", "reserve": "10"},
}


MODEL = {
    "code": "roll-80",
    "version": 1,
    "authorisation": "CAIB 2/2006",
    "authorised_on": "2006-01-02",
    "multiple": True,
    "layout": "5d6f" * 16,
}


@pytest.mark.article("14.III.7")
def test_bet_types(organiser: Api, steward: Api) -> None:
    body = {"document": BET_TYPE, "authorisation": "CAIB 1/2006"}
    refused(steward.post("lototrot/bet-types", body), 403, "power_missing")
    first = organiser.post("lototrot/bet-types", body)
    assert first.status_code == 201, first.content
    assert organiser.post("lototrot/bet-types", body).json() == first.json()
    other = {"document": BET_TYPE | {"name": "Other"}, "authorisation": "CAIB 1/2006"}
    refused(organiser.post("lototrot/bet-types", other), 409, "bet_type_recorded")
    bad = {"document": BET_TYPE | {"legs": 11, "prize_percent": "59"}, "authorisation": "x"}
    problem = refused(organiser.post("lototrot/bet-types", bad), 422, "bet_type_refused")
    assert {"legs", "prize_percent"} <= {error["field"] for error in problem["data"]["errors"]}
    assert [each["code"] for each in steward.get("lototrot/bet-types").json()["items"]] == [
        "lototrot"
    ]
    assert BetType.objects.count() == 1


def test_bet_types_of_no_shape(organiser: Api) -> None:
    for body, wanted in (
        ({}, {"$.document": "required", "$.authorisation": "required"}),
        ({"document": [], "authorisation": "x"}, {"$.document": "not_a_dict"}),
        ({"document": {}, "authorisation": " "}, {"$.authorisation": "blank"}),
    ):
        response = organiser.post("lototrot/bet-types", body)
        assert places(refused(response, 422, "fields_invalid")) == wanted
    refused(
        organiser.post("lototrot/bet-types", {"document": {}, "authorisation": "x"}),
        422,
        "bet_type_refused",
    )
    assert not BetType.objects.exists()


@pytest.mark.article("14.II.2")
def test_ticket_models(organiser: Api, steward: Api) -> None:
    refused(steward.post("lototrot/ticket-models", MODEL), 403, "power_missing")
    first = organiser.post("lototrot/ticket-models", MODEL, Idempotency_Key="model-roll-80")
    assert first.status_code == 201, first.content
    again = organiser.post("lototrot/ticket-models", MODEL, Idempotency_Key="model-roll-80")
    assert again.json() == first.json()
    refused(organiser.post("lototrot/ticket-models", MODEL), 409, "ticket_model_recorded")
    for changes in ({"version": 0}, {"authorised_on": "2006-13-01"}, {"multiple": "yes"}):
        refused(organiser.post("lototrot/ticket-models", MODEL | changes), 422, "fields_invalid")
    refused(
        organiser.post("lototrot/ticket-models", MODEL | {"version": 9, "layout": "Z" * 64}),
        422,
        "ticket_layout_malformed",
    )
    assert TicketModel.objects.count() == 1
    assert len(steward.get("lototrot/ticket-models").json()["items"]) == 1
