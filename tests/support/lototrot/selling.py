"""Ask for a ticket through the sale service."""

import dataclasses

from core.premises.access import BareTerminal
from core.premises.requests import new_uuid
from lototrot.models.contest import Contest
from lototrot.services.tickets.selling import SaleRequest, Sold, ticket_sell
from tests.support.factories import Point

SINGLE = ((1,), (2,), (3,), (4,), (5,), (6,), (1,))


def asked(contest: Contest, **changes: object) -> SaleRequest:
    plain = SaleRequest(new_uuid(), contest.pk, SINGLE, contest.price_cents, contest.price_cents)
    return dataclasses.replace(plain, **changes)


def sell(place: Point, request: SaleRequest) -> Sold:
    return ticket_sell(credentials=place.credentials, request=request)


def bare(place: Point) -> BareTerminal:
    return BareTerminal(place.terminal.pk, place.premises.pk, place.premises.kind)
