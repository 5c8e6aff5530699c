"""Sell tickets for tests."""

import hashlib
import secrets
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.database import clock
from core.database.statements import call_function
from core.database.tokens import token_digest
from core.kernel.codes import DIGEST_BYTES
from core.premises.requests import new_uuid
from lototrot.engine.races import mask_of
from lototrot.models.contest import (
    Contest,
    DisplayAcknowledgement,
)
from lototrot.models.tickets import REQUEST_DIGEST_BYTES
from tests.support.factories.places import Point


@dataclass(frozen=True, slots=True)
class Sale:
    """The answer of `lototrot_sell`."""

    outcome: str
    ticket_id: int | None
    sold_at: datetime | None
    leg: int | None
    uuid: uuid.UUID


def acknowledge(of: Contest, at: Point) -> None:
    """Record that the operator declared the programme to be on display."""
    DisplayAcknowledgement.objects.get_or_create(
        contest=of,
        terminal=at.terminal,
        operator=at.operator,
        defaults={"acknowledged_at": clock.now()},
    )


def sell(
    of: Contest,
    at: Point,
    numbers: Sequence[Iterable[int]] | None = None,
    *,
    request: uuid.UUID | None = None,
    acknowledged: bool = True,
) -> Sale:
    """Sell a ticket by `lototrot_sell`: by default number 1 in every race."""
    if acknowledged:
        acknowledge(of, at)
    request = request or new_uuid()
    marked = [tuple(race_numbers) for race_numbers in numbers or [(1,)] * len(of.offered_masks)]
    bets = 1
    for race_numbers in marked:
        bets *= len(race_numbers)
    outcome, ticket_id, sold_at, _, _, leg = call_function(
        "lototrot_sell",
        token=token_digest(at.token),
        session=token_digest(at.session_token),
        contest=of.pk,
        uuid=request,
        request=hashlib.sha256(repr(marked).encode()).digest()[:REQUEST_DIGEST_BYTES],
        legs=[mask_of(race_numbers) for race_numbers in marked],
        quick_legs=0,
        bets=bets,
        amount=bets * of.price_cents,
        code=secrets.token_bytes(DIGEST_BYTES),
        commitment=secrets.token_bytes(32),
    )
    return Sale(outcome, ticket_id, sold_at, leg, uuid=request)
