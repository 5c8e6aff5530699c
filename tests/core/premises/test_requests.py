"""Keep a terminal's UUID for one act: a sale, a play or a payment, of one game alone."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from core.ledger.models import Transfer
from core.premises.models import BurntRequest
from core.premises.requests import new_uuid
from lototrot.models.tickets import Ticket
from promotrot.models.emission import Lane
from promotrot.models.play import PlayTicket
from tests.support import emitting, factories, paying
from tests.support.api import Api, refused, terminal_api

pytestmark = pytest.mark.django_db
Act = Callable[[Api, str], Any]


@pytest.fixture
def acts() -> tuple[Api, dict[str, Act]]:
    """A terminal, and what it may ask for under a UUID."""
    (won,) = paying.worth(500)  # at a later day, when the others begin
    place, contest = factories.point(), factories.contest()
    factories.acknowledge(contest, place)
    emission = emitting.opened(emitting.small())

    def sale(api: Api, ident: str) -> Any:
        body = {"uuid": ident, "contest": contest.pk, "price_cents": 100, "amount_cents": 100}
        return api.post("lototrot/tickets", body | {"races": [[1]] * 7})

    def play(api: Api, ident: str) -> Any:
        body = {"uuid": ident, "emission": emission.pk, "price_cents": emission.price_cents}
        return api.post("promotrot/plays", body)

    def payment(api: Api, ident: str) -> Any:
        body = {"uuid": ident, "code": won.code, "amount_cents": 500, "intact": True}
        return api.post("claims/payments", body)

    return terminal_api(place), {"sale": sale, "play": play, "payment": payment}


def written() -> tuple[int, ...]:
    taken = sum(Lane.objects.values_list("taken", flat=True))
    return (*(m.objects.count() for m in (Ticket, PlayTicket, Transfer)), taken)


@pytest.mark.parametrize("first", ["sale", "play", "payment"])
def test_the_uuid_of_one_act_is_refused_to_any_other(
    acts: tuple[Api, dict[str, Act]], first: str
) -> None:
    api, named = acts
    ident = str(new_uuid())
    assert named[first](api, ident).status_code == 201
    before = written()
    for other in named.keys() - {first}:
        code = "payment_uuid_reused" if other == "payment" else "uuid_reused"
        refused(named[other](api, ident), 409, code)
    assert written() == before
    assert named[first](api, ident).status_code == 200


@pytest.mark.parametrize(("game", "other"), [("sale", "play"), ("play", "sale")])
def test_a_uuid_burnt_in_one_game_is_burnt_in_both(
    acts: tuple[Api, dict[str, Act]], game: str, other: str
) -> None:
    api, by_name = acts
    inquiry = {"sale": "lototrot/tickets/{}/inquiry", "play": "promotrot/plays/{}/inquiry"}
    burnt, sold = str(new_uuid()), str(new_uuid())
    assert api.post(inquiry[game].format(burnt)).json()["outcome"] == "burnt"
    refused(by_name[other](api, burnt), 409, "uuid_burnt")
    assert by_name[other](api, sold).status_code == 201
    refused(api.post(inquiry[game].format(sold)), 409, "uuid_reused")
    assert by_name[other](api, sold).status_code == 200
    assert set(BurntRequest.objects.values_list("uuid", flat=True)) == {uuid.UUID(burnt)}
