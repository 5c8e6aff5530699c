"""Ask for a ticket through the sale service."""

import dataclasses
import uuid

from core.premises.access import BareTerminal
from lototrot.models.contest import Contest
from lototrot.services.tickets.selling import SaleRequest, Sold, ticket_sell
from tests.support.factories import Point

SINGLE = ((1,), (2,), (3,), (4,), (5,), (6,), (1,))


def asked(contest: Contest, **changes: object) -> SaleRequest:
    plain = SaleRequest(uuid.uuid4(), contest.pk, SINGLE, contest.price_cents, contest.price_cents)
    return dataclasses.replace(plain, **changes)  # type: ignore[arg-type]


def sell(place: Point, request: SaleRequest) -> Sold:
    return ticket_sell(credentials=place.credentials, request=request)


def bare(place: Point) -> BareTerminal:
    return BareTerminal(place.terminal.pk, place.premises.pk, place.premises.kind)
