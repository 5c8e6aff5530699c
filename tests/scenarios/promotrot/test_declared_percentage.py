"""An emission whose type declares 72 % and which is closed half sold gives 72 % of what was taken,
not the 70 % of the law: the difference is owed to prizes of that game (scenario 8; second list,
P18; 15.III.6.2).
"""

from typing import Any

import pytest
from django.db import connection

from core.ledger.books import differences
from core.ledger.services import balance_cents
from core.staff.powers import Role
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.selectors.owed import owed_cents
from promotrot.services.dealing import dealing
from tests.support import emitting, factories
from tests.support.api import refused, staff_api, terminal_api
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.factories.request_uuids import V7

pytestmark = pytest.mark.article("15.III.6.2")
TICKETS, SOLD, AT_ONCE = 10_000, 5_000, 500
WINNERS_SOLD = 35
"""Of 72 prizes of 1,000.00, so many lie on the half that is sold: 35,000.00 of 50,000.00."""


def definition() -> dict[str, Any]:
    picture = emitting.small()["presentation"]
    one_prize = picture | {"winning": picture["winning"][:1]}
    return emitting.small(
        "seventy-two",
        tickets=TICKETS,
        block_tickets=TICKETS,
        price_cents=1_000,
        prize_percent="72",
        tiers=[{"cash_cents": 100_000, "count": 72}],
        presentation=one_prize,
    )


def on_sale() -> Emission:
    def wanted(tiers: bytes) -> bool:
        return tiers[:SOLD].count(1) == WINNERS_SOLD

    with emitting.seeded(emitting.seed_where("seventy-two/1", wanted, definition())):
        return emitting.opened(definition())


def half_sold(place: Point, emission: Emission) -> None:
    """Sell half of the emission by the statement that every sale is."""
    seller = place.credentials
    sale = f"""SELECT count(*) FROM generate_series(1, %s) n, LATERAL
        promotrot_sell(%s, %s, {V7}, %s, %s + 0 * n) s WHERE s.outcome = 'sold'"""
    terms = [AT_ONCE, seller.token_digest, seller.session_digest, emission.pk, emission.price_cents]
    for _ in range(SOLD // AT_ONCE):
        with connection.cursor() as cursor:
            cursor.execute(sale, terms)
            assert cursor.fetchone() == (AT_ONCE,)


def test_closed_at_half_it_owes_what_is_missing_to_what_it_declared(
    own_database: Database,
) -> None:
    place, emission = factories.point(), on_sale()
    half_sold(place, emission)
    dealt = dealing(emission.pk)
    for ticket in PlayTicket.objects.order_by("pk"):
        if dealt.tier(ticket.opening, ticket.position):
            act = {"number": 1, "act": "reveal"}
            path = f"promotrot/plays/{ticket.uuid}/acts"
            assert terminal_api(place).post(path, act).status_code == 201

    one, two = staff_api(Role.ORGANISER), staff_api(Role.ORGANISER)
    path = "promotrot/emissions/seventy-two/1"
    standing = one.get(f"{path}/standing").json()
    assert (standing["takings_cents"], standing["minimum_cents"]) == (5_000_000, 3_600_000)
    proposal = one.post(f"{path}/closing").json()["proposal"]
    refused(one.post(f"proposals/{proposal}/confirmation"), 403, "same_person")
    for _ in range(2):  # the confirmation sent twice closes once
        assert two.post(f"proposals/{proposal}/confirmation").status_code == 200
    statement = one.get(path).json()["statement"]
    assert (statement["takings_cents"], statement["awarded_cents"]) == (5_000_000, 3_500_000)
    assert (statement["percent"], statement["minimum_percent"]) == (70, 72)
    assert (statement["shortfall_cents"], statement["owed_cents"]) == (100_000, 100_000)
    assert balance_cents(accounts.prizes("seventy-two")) == owed_cents(emission.game) == 100_000
    refused(one.post("promotrot/emissions", {"game": "seventy-two"}), 409, "extra_needed")
    assert differences()[1] == []


@pytest.mark.django_db
def test_blocks_that_cannot_each_keep_the_declared_percentage_are_refused() -> None:
    """Two blocks cannot share three prizes: one of them gives less than the 84 % declared."""
    uneven = definition() | {
        "code": "uneven",
        "tickets": 2 * TICKETS,
        "prize_percent": "84",
        "tiers": [{"cash_cents": 5_600_000, "count": 3}],
    }
    organiser = staff_api(Role.ORGANISER)
    recorded = organiser.post("promotrot/games", {"definition": uneven}).json()
    path = f"promotrot/games/uneven/versions/{recorded['version']}"
    faults = organiser.get(f"{path}/check").json()["faults"]
    assert [fault["code"] for fault in faults] == ["plan_impossible"]
    refused(organiser.post(f"{path}/approval"), 422, "approval_refused")
