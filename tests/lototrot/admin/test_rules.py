"""Record bet types, ticket models and internal bet types in the admin."""

import json

import pytest

from core.staff.powers import Role
from lototrot.models.contest import BetType, TicketModel
from lototrot.services.tickets.layout import layout_digest
from tests.support import factories
from tests.support.admin_desk import (
    Desk,
    text_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> Desk:
    return Desk(Role.ORGANISER)


def test_rules_are_recorded(organiser: Desk) -> None:
    document = json.dumps(factories.bet_type().document | {"version": 2, "name": "Nova"})
    organiser.do(BetType, "record", document=document, authorisation="CAIB 9")
    assert BetType.objects.get(version=2).recorded_by == organiser.person
    assert "not JSON" in text_of(
        organiser.ask(BetType, "record", document="{", authorisation="CAIB 9")
    )
    model = {"code": "roll-80", "version": "3", "authorisation": "CAIB 8", "multiple": "on"} | {
        "layout": layout_digest()
    }
    organiser.do(TicketModel, "record", **model, authorised_on="2026-01-02")
    organiser.refused(
        TicketModel, "record", "ticket_model_recorded", **model, authorised_on="2026-01-02"
    )
    assert TicketModel.objects.get(version=3).layout == layout_digest(), "offered as it is now"
