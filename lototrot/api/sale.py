"""Sell a ticket. This is the request whose speed matters most."""

import uuid
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from msgspec import Meta

from core.api.bodies import Body, Positive, RequestUuidText
from core.api.parsing import KIBIBYTE
from core.api.schema import AGAIN, operation
from core.api.views import LeanView, json_response
from core.database.clock import ClockUnsound
from core.kernel.request_uuids import REFUSALS
from core.premises.access import Capability, PremisesNotAuthorised, SalesSuspended, TerminalCannot
from core.premises.requests import CREDIT_REFUSALS, DisplayNotAcknowledged, UuidBurnt, UuidReused
from lototrot.api import samples
from lototrot.api.tickets import TicketCard, card_of
from lototrot.engine.selection import (
    EmptyRace,
    RepeatedNumber,
    TooManyBets,
    UnknownNumber,
    WithdrawnNumber,
    WrongPrice,
    WrongRaceCount,
)
from lototrot.selectors.contests import ContestUnknown
from lototrot.selectors.retired import TicketsArchived
from lototrot.services.contest.contests import ContestClosed, ContestNotOpen
from lototrot.services.tickets import selling

# Bounds the work on a body. The contest decides how many legs a ticket has.
MAX_LEGS = 64
HIGHEST_MARK = 99
MAX_MARKS = 99
Mark = Annotated[int, Meta(ge=1, le=HIGHEST_MARK)]


Marks = Annotated[tuple[Mark, ...], Meta(max_length=MAX_MARKS)]


class QuickPickIn(Body, frozen=True):
    """A leg whose numbers are drawn: by the system, or before by the terminal that showed them."""

    quick_pick: Annotated[
        Mark | Marks,
        Meta(
            description="How many different numbers the system draws for this race; or the numbers"
            " that the terminal drew and the player saw.",
            extra={"message": _("A number or a list of numbers is needed.")},
        ),
    ]


class SaleIn(Body, frozen=True):
    """A ticket as the player confirmed it before paying (14.III.1.2)."""

    uuid: Annotated[
        RequestUuidText, Meta(description="Made and kept by the terminal before the first attempt.")
    ]
    contest: Positive
    price_cents: Annotated[Positive, Meta(description="Price of one bet, as shown to the player.")]
    amount_cents: Annotated[Positive, Meta(description="Number of bets times the price.")]
    races: Annotated[
        list[
            Annotated[
                Marks | QuickPickIn,
                Meta(extra={"message": _("A list of numbers or a quick pick is needed.")}),
            ]
        ],
        Meta(
            min_length=1,
            max_length=MAX_LEGS,
            description="One item per race, in the order of the ticket.",
        ),
    ]


def sale_request(body: SaleIn) -> selling.SaleRequest:
    """Return the service's request for a sale."""
    legs = tuple(leg if isinstance(leg, tuple) else _quick(leg.quick_pick) for leg in body.races)
    return selling.SaleRequest(
        uuid.UUID(body.uuid), body.contest, legs, body.price_cents, body.amount_cents
    )


def _quick(picked: int | tuple[int, ...]) -> selling.QuickPick | selling.Drawn:
    return selling.Drawn(picked) if isinstance(picked, tuple) else selling.QuickPick(picked)


class Tickets(LeanView):
    body_limit_bytes = 16 * KIBIBYTE

    @operation(
        "Sell a ticket",
        description=(
            "Registers the ticket and answers it (201). The same request again, from the same "
            "terminal and however often, gets the same ticket (200), before any other check and "
            "whatever has happened since. Refusals are not remembered: nothing was written, and "
            "the same UUID may be sent again. Charge the player only for an answered ticket."
        ),
        body=SaleIn,
        answer=TicketCard,
        status=201,
        further=AGAIN,
        example=samples.SALE,
        answer_example=samples.TICKET,
        problems=(
            ContestUnknown,
            WrongRaceCount,
            WrongPrice,
            EmptyRace,
            UnknownNumber,
            RepeatedNumber,
            WithdrawnNumber,
            TooManyBets,
            selling.QuickPickTooLong,
            selling.MultipleNotAuthorised,
            selling.WrongAmount,
            UuidReused,
            UuidBurnt,
            *REFUSALS,
            TerminalCannot,
            ContestNotOpen,
            ContestClosed,
            TicketsArchived,
            selling.SalesStopped,
            PremisesNotAuthorised,
            SalesSuspended,
            ClockUnsound,
            DisplayNotAcknowledged,
            *CREDIT_REFUSALS,
            selling.PremisesCapReached,
        ),
        capability=Capability.SELL,
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        sale = sale_request(self.body(request, SaleIn))
        sold = selling.ticket_sell(credentials=self.credentials, request=sale)
        request.acting = {  # type: ignore[attr-defined]
            "terminal": sold.terminal_id,
            "operator": sold.operator_id,
        }
        return json_response(card_of(sold), status=200 if sold.replayed else 201)
