"""A game is sold only where its operator has acknowledged its rules and its percentage, and what is
left of its prizes is told with the instant of the figures (second list, P20; 15.III.5.2).
"""

from typing import Any

import pytest

from core.ledger.models import Transfer
from core.premises.models import Premises
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot.models.emission import Emission, Lane
from promotrot.models.game import DisplayAcknowledgement
from promotrot.models.play import PlayTicket
from tests.support import emitting, factories
from tests.support.api import Api, refused, staff_api, terminal_api
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.5.2")]


def bought(api: Api, emission: Emission, ident: str = "") -> Any:
    body = {"uuid": ident or str(new_uuid()), "emission": emission.pk}
    return api.post("promotrot/plays", body | {"price_cents": emission.price_cents})


def path_of(emission: Emission) -> str:
    return f"promotrot/terminal/emissions/{emission.pk}/display-acknowledgement"


def game_at(api: Api, emission: Emission) -> dict[str, Any]:
    items = api.get("promotrot/terminal/games").json()["items"]
    return next(item for item in items if item["emission"] == emission.pk)


def new_operator(place: Point) -> Api:
    """Return the terminal with another operator, who has acknowledged nothing."""
    token = factories.operator_at(place, displays=False)
    return Api(**{"Authorization": f"Terminal {place.token}", "X-Operator-Session": token})


def nothing_sold() -> bool:
    taken = sum(Lane.objects.values_list("taken", flat=True))
    return not (PlayTicket.objects.exists() or Transfer.objects.exists() or taken)


def test_nothing_is_sold_before_the_operator_acknowledged_the_game() -> None:
    emission = emitting.opened(emitting.small())
    place = factories.point(displays=False)
    api, ident = terminal_api(place), str(new_uuid())
    listed = game_at(api, emission)
    assert (listed["acknowledged"], listed["prize_percent"]) == (False, "70") and listed["rules"]
    refused(bought(api, emission, ident), 409, "display_not_acknowledged")
    assert nothing_sold()
    first = api.post(path_of(emission)).json()
    assert (
        api.post(path_of(emission)).json() == first and DisplayAcknowledgement.objects.count() == 1
    )
    assert game_at(api, emission)["acknowledged"]
    assert bought(api, emission, ident).status_code == 201, "the same request, once displayed"

    refused(bought(new_operator(place), emission), 409, "display_not_acknowledged")
    neighbour = terminal_api(factories.point(place.premises, displays=False))
    refused(bought(neighbour, emission), 409, "display_not_acknowledged")
    assert bought(api, emission).status_code == 201


def test_each_game_and_each_version_of_its_rules_is_acknowledged_by_itself() -> None:
    emission, other = emitting.opened(emitting.small()), emitting.opened(emitting.small("other"))
    place = factories.point(displays=False)
    api = terminal_api(place)
    assert api.post(path_of(emission)).status_code == 200
    refused(bought(api, other), 409, "display_not_acknowledged")
    second = emitting.opened(emission.game)
    assert bought(api, second).status_code == 201, "the same rules, the next emission"
    texts = emitting.small()["texts"]
    changed = texts | {"en": texts["en"] | {"rules": ["Other rules."]}}
    version = emitting.recorded(emitting.small(texts=changed))
    organiser = staff_api(Role.ORGANISER)
    approval = organiser.post(f"promotrot/games/small/versions/{version.version}/approval").json()
    confirmation = f"proposals/{approval['proposal']}/confirmation"
    assert staff_api(Role.ORGANISER).post(confirmation).status_code == 200
    third = emitting.opened(emission.game)
    refused(bought(api, third), 409, "display_not_acknowledged")


def test_what_cannot_be_sold_is_not_acknowledged() -> None:
    emission = emitting.opened(emitting.small())
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE), displays=False)
    refused(terminal_api(office).post(path_of(emission)), 403, "terminal_cannot")
    api = terminal_api(factories.point(displays=False))
    draft = emitting.planned(emitting.approved(emitting.small("draft")))
    refused(api.post(path_of(draft)), 409, "emission_not_open")
    emitting.closed(emission)
    refused(api.post(path_of(emission)), 409, "emission_closed")
    unknown = "promotrot/terminal/emissions/99999/display-acknowledgement"
    refused(api.post(unknown), 404, "emission_unknown")
    refused(bought(api, emission), 409, "emission_closed")


def test_what_is_left_is_told_with_the_instant_of_the_figures() -> None:
    emission = emitting.opened(emitting.small())
    opened_at = emission.opening.opened_at.isoformat().replace("+00:00", "Z")
    api = terminal_api(factories.point())
    assert game_at(api, emission)["as_of"] == opened_at
    figures = Api().get("promotrot/public/emissions/small/1").json()
    assert (figures["as_of"], figures["tickets_remaining"]) == (opened_at, 40)
