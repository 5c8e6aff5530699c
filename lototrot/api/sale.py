"""The sale: the one request whose speed matters, so its body is read by hand.

`plain_request` takes what a right body looks like and nothing else; anything it does not take goes
through `SaleIn`, which says what is wrong with it, place by place. A test keeps the two agreed.
"""

import json
import re
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.parsing import KIBIBYTE
from core.api.schema import operation
from core.api.shapes import BIGGEST, Cents, Shape, Uuid, Whole
from core.api.views import LeanView
from core.premises.access import PremisesNotAuthorised, SalesSuspended, TerminalCannot
from core.premises.requests import UuidBurnt, UuidReused
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
from lototrot.services.contest.contests import ContestNotOpen, ContestUnknown
from lototrot.services.tickets import selling

MAX_RACES = 64  # how many a contest has is for the contest to say; this only bounds the work
HIGHEST_MARK = 99
MAX_MARKS = 99
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FIELDS = {"uuid", "contest", "price_cents", "amount_cents", "races"}


class QuickPickIn(Shape):
    quick_pick = Whole(
        min_value=1,
        max_value=HIGHEST_MARK,
        help_text="How many different numbers the system draws for this race.",
    )


@extend_schema_field(
    {
        "oneOf": [
            {
                "type": "array",
                "maxItems": MAX_MARKS,
                "items": {"type": "integer", "minimum": 1, "maximum": HIGHEST_MARK},
            },
            {
                "type": "object",
                "required": ["quick_pick"],
                "additionalProperties": False,
                "properties": {
                    "quick_pick": {"type": "integer", "minimum": 1, "maximum": HIGHEST_MARK}
                },
            },
        ]
    }
)
class RaceMarks(serializers.Field[Any, Any, Any, Any]):
    """The marks of one race: a list of programme numbers, or `{"quick_pick": n}`."""

    default_error_messages = {"type": _("A list of numbers or a quick pick is needed.")}
    _marks = serializers.ListField(
        child=Whole(min_value=1, max_value=HIGHEST_MARK), max_length=MAX_MARKS
    )

    def to_internal_value(self, data: Any) -> tuple[int, ...] | selling.QuickPick:
        if isinstance(data, list):
            return tuple(self._marks.run_validation(data))
        if not isinstance(data, dict):
            self.fail("type")
        return selling.QuickPick(QuickPickIn().run_validation(data)["quick_pick"])


class SaleIn(Shape):
    """A ticket as the player confirmed it, before paying (14.III.1.2)."""

    uuid = Uuid(help_text="Made and kept by the terminal before the first attempt.")
    contest = Whole(min_value=1)
    price_cents = Cents(min_value=1, help_text="Price of one bet, as shown to the player.")
    amount_cents = Cents(min_value=1, help_text="Number of bets times the price.")
    races = serializers.ListField(
        child=RaceMarks(),
        min_length=1,
        max_length=MAX_RACES,
        help_text="One item per race, in the order of the ticket.",
    )


def plain_request(document: Any) -> selling.SaleRequest | None:
    """The request of a body that is right in shape, None for any other."""
    if type(document) is not dict or document.keys() != _FIELDS:
        return None
    ident, given = document["uuid"], document["races"]
    numbers = document["contest"], document["price_cents"], document["amount_cents"]
    if type(ident) is not str or not _UUID.fullmatch(ident):
        return None
    if not all(type(number) is int and 1 <= number <= BIGGEST for number in numbers):
        return None
    if type(given) is not list or not 1 <= len(given) <= MAX_RACES:
        return None
    races = tuple([_plain_race(race) for race in given])
    if None in races:
        return None
    contest, price_cents, amount_cents = numbers
    return selling.SaleRequest(uuid.UUID(ident), contest, races, price_cents, amount_cents)  # type: ignore[arg-type]


def _plain_race(race: Any) -> tuple[int, ...] | selling.QuickPick | None:
    quick = type(race) is dict and len(race) == 1 and "quick_pick" in race
    marks = [race["quick_pick"]] if quick else race
    if type(marks) is not list or len(marks) > MAX_MARKS:
        return None
    for mark in marks:
        if type(mark) is not int or not 1 <= mark <= HIGHEST_MARK:
            return None
    return selling.QuickPick(marks[0]) if quick else tuple(marks)


def careful_request(document: Any) -> selling.SaleRequest:
    """The request by the documented shape. Raises the framework's ValidationError."""
    found = SaleIn(data=document)
    found.is_valid(raise_exception=True)
    asked = found.validated_data
    return selling.SaleRequest(
        asked["uuid"],
        asked["contest"],
        tuple(asked["races"]),
        asked["price_cents"],
        asked["amount_cents"],
    )


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
            TerminalCannot,
            ContestNotOpen,
            selling.ContestClosed,
            PremisesNotAuthorised,
            SalesSuspended,
            selling.DisplayNotAcknowledged,
        ),
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        document = self.body(request)
        asked = plain_request(document) or careful_request(document)
        sold = selling.ticket_sell(credentials=self.credentials, request=asked)
        request.acting = {  # type: ignore[attr-defined]
            "terminal": sold.terminal_id,
            "operator": sold.operator_id,
        }
        return HttpResponse(
            json.dumps(card_of(sold), ensure_ascii=False, separators=(",", ":")),
            content_type="application/json",
            status=200 if sold.replayed else 201,
        )
