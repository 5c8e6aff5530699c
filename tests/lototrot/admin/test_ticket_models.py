"""Record ticket models in the admin."""

import pytest

from core.staff.powers import Role
from lototrot.models.contest import TicketModel
from lototrot.services.tickets.layout import layout_digest
from tests.support.admin_desk import Desk

pytestmark = pytest.mark.django_db


def test_a_ticket_model_is_recorded_once() -> None:
    organiser = Desk(Role.ORGANISER)
    model = {"code": "roll-80", "version": "3", "authorisation": "CAIB 8", "multiple": "on"} | {
        "layout": layout_digest()
    }
    organiser.do(TicketModel, "record", **model, authorised_on="2026-01-02")
    organiser.refused(
        TicketModel, "record", "ticket_model_recorded", **model, authorised_on="2026-01-02"
    )
    assert TicketModel.objects.get(version=3).layout == layout_digest(), "offered as it is now"
