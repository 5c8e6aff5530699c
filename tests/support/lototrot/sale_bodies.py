"""Write and send the body of a sale through the API."""

from typing import Any

from core.ledger.models import Transfer
from core.premises.requests import new_uuid
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support.api import terminal_api
from tests.support.factories import Point

TICKETS = "lototrot/tickets"
RACES: list[Any] = [[1], [2, 3], [3], [4], [5], [6], [1]]
SINGLE: list[Any] = [[1], [2], [3], [4], [5], [6], [1]]


def asked(contest: Contest, /, **changes: Any) -> dict[str, Any]:
    plain = {
        "uuid": str(new_uuid()),
        "contest": contest.pk,
        "price_cents": 100,
        "amount_cents": 200,
        "races": RACES,
    }
    return plain | changes


def sell(place: Point, body: Any, **headers: str) -> Any:
    return terminal_api(place).post(TICKETS, body, **headers)


def nothing_written() -> bool:
    return not (Ticket.objects.exists() or Transfer.objects.exists())
