"""Show a terminal its own tickets, confirm prints, make copies and correct errors."""

import functools
import uuid
from typing import Any

from django.http import HttpResponse
from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import JSON, PRINTED, LanguageQuery, PaperView, json_form, language_of, paper
from core.api.schema import operation
from core.api.shapes import (
    Cents,
    Choice,
    Day,
    Flag,
    Instant,
    PageQuery,
    RequestUuid,
    Secret,
    Shape,
    Text,
    Uuid,
    Whole,
)
from core.api.views import BareTerminalView, TerminalView, json_response
from core.database.clock import ClockUnsound
from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.kernel.languages import LANGUAGES
from core.kernel.request_uuids import REFUSALS, RequestArchived, RequestUuidVersion
from core.payoffice.sources import DocumentArchived
from core.premises.access import Capability, TerminalCannot
from core.premises.requests import UuidReused
from core.proofs.head import recent_head
from core.receipts.output import Output
from lototrot.api import samples
from lototrot.engine.races import numbers_of
from lototrot.models.tickets import Ticket, Void
from lototrot.selectors.selling import terminal_totals, tickets_of_terminal
from lototrot.services.contest.contests import ContestClosed
from lototrot.services.tickets import annulment, printing, selling
from lototrot.services.tickets.paper import slip_original, slip_render
from lototrot.services.tickets.slips import notices, ticket_card

SOLD, VOID = "sold", "void"


class BetTypeOfTicket(Shape):
    code = serializers.CharField()
    version = Whole()
    name = serializers.CharField()


class MeetingOfTicket(Shape):
    day = Day()
    name = serializers.CharField()


class PremisesOfTicket(Shape):
    code = serializers.CharField()
    name = serializers.CharField()
    address = serializers.CharField()
    municipality = serializers.CharField()


class RaceOfTicket(Shape):
    position = Whole()
    racecourse = serializers.CharField()
    race = Whole()
    name = serializers.CharField()
    scheduled_start_at = Instant()
    numbers = serializers.ListField(child=Whole())
    quick_pick = Flag()


class ModelOfTicket(Shape):
    code = serializers.CharField()
    version = Whole(help_text="Printed on the ticket [E15].")


class TicketCard(Shape):
    """Everything that a ticket shows (14.II.3), for terminals that do not print our own slip."""

    uuid = Uuid()
    state = Choice((SOLD, VOID))
    code = serializers.CharField(
        allow_null=True,
        help_text="The bearer code; null for anybody but the operator who sold the ticket, once its"
        " print is confirmed, and once the contest has closed: five minutes later for a replay of"
        " the sale [E11].",
    )
    given_again = Whole(help_text="How often the code was given after the sale.")
    game = serializers.CharField()
    bet_type = BetTypeOfTicket()
    ticket_model = ModelOfTicket()
    contest = Whole()
    meeting = MeetingOfTicket()
    premises = PremisesOfTicket()
    terminal = serializers.CharField()
    operator = Whole()
    sold_at = Instant()
    race_count = Whole()
    races = RaceOfTicket(many=True)
    bets = Whole()
    price_cents = Cents()
    amount_cents = Cents()
    prize_percent = serializers.CharField()
    correction_window_s = Whole()
    notices = serializers.ListField(
        child=serializers.CharField(), help_text="To be printed on the ticket as they are."
    )
    public_log = serializers.CharField(
        help_text="The head of the public log, to be printed at the foot; empty before its first"
        " entry."
    )


class InquiryOut(Shape):
    outcome = Choice(
        ("sold", "burnt"),
        help_text="sold: the ticket follows. burnt: it was not sold and never will be.",
    )
    ticket = TicketCard(allow_null=True)


class PrintConfirmationOut(Shape):
    confirmed_at = Instant()


class ReprintIn(Shape):
    uuid = RequestUuid(
        default=None, help_text="The terminal's id of this copy; again, the same copy."
    )
    format = Choice(("json", *(output.value for output in Output)))
    lang = Choice(LANGUAGES, required=False)


class ReprintCard(TicketCard):
    copy = Whole(min_value=1, help_text="To be printed, with DUPLICATE in large type.")


class AnnulmentIn(Shape):
    code = Secret(max_length=96, help_text="Scanned or typed from the surrendered ticket.")
    reason = Text(max_length=200)


class AnnulmentOut(Shape):
    uuid = Uuid(source="ticket.uuid")
    voided_at = Instant()
    refund_cents = Cents(source="ticket.amount_cents", help_text="To be given back to the player.")


class OwnTicketOut(Shape):
    uuid = Uuid()
    contest = Whole(source="contest_id")
    operator = Whole(source="operator.number")
    sold_at = Instant()
    races = serializers.SerializerMethodField(help_text="The marked numbers, one list per race.")
    bets = Whole()
    amount_cents = Cents()
    correction_window_s = Whole(
        source="contest.correction_window_s",
        help_text="So long after its sale, and before closing, the ticket may be annulled.",
    )
    printed = Flag(help_text="The terminal has confirmed the paper.")
    voided = Flag()

    @extend_schema_field(
        {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    )
    def get_races(self, ticket: Ticket) -> list[list[int]]:
        return [list(numbers_of(mask)) for mask in ticket.legs()]


class OwnTicketsQuery(PageQuery):
    day = Day(required=False, help_text="Only those sold on a natural day of Europe/Madrid.")
    amount_cents = Cents(required=False, help_text="Only those of this amount.")
    marks = serializers.RegexField(
        r"\A[0-9]{1,2}(,[0-9]{1,2}){0,9}\Z",
        required=False,
        help_text="Only those with these numbers, race by race; 0 is any: 4,0,3.",
    )


class TotalsQuery(Shape):
    day = Day(required=False, help_text="A natural day of Europe/Madrid; today by default.")


class TotalsOut(Shape):
    day = Day()
    tickets = Whole()
    bets = Whole()
    amount_cents = Cents()
    annulled_tickets = Whole()
    annulled_cents = Cents()


def card_of(sold: selling.Sold) -> dict[str, Any]:
    """Return the ticket as JSON, in the language in force."""
    card = ticket_card(sold)
    voided = sold.replayed and Void.objects.filter(ticket__uuid=sold.uuid).exists()
    card["state"] = VOID if voided else SOLD
    card["given_again"] = sold.given_again
    card["notices"] = _notices(get_language())
    card["public_log"] = recent_head()
    return card


@functools.cache
def _notices(language: str | None) -> list[str]:
    """Return the notices of a ticket. They are kept by language: nothing else changes them."""
    return notices()


class Inquiry(BareTerminalView):
    @operation(
        "Ask whether a UUID was sold, and burn it if it was not",
        description=(
            "Asking burns an unknown UUID: a sale still in flight under it is refused, so that the "
            "answer stays true. Ask only to give up an attempt; to continue it, send the sale "
            "again."
        ),
        answer=InquiryOut,
        problems=(UuidReused, RequestUuidVersion, RequestArchived, DocumentArchived),
        answer_example={"outcome": "burnt", "ticket": None},
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        sold = selling.request_state(terminal=self.terminal, ident=ident)
        if sold is None:
            return json_response({"outcome": "burnt", "ticket": None})
        return json_response({"outcome": "sold", "ticket": card_of(sold)})


_SLIP_PROBLEMS = (
    selling.TicketUnknown,
    DocumentArchived,
    printing.TicketNotPrintable,
    printing.SlipPrinted,
    selling.OperatorDiffers,
    ContestClosed,
)
_SLIP = (
    "The original, for the operator who sold the ticket, until its printing is confirmed, at most"
    " five minutes after the contest closes [E11]."
)


class Slip(PaperView, TerminalView):
    forms = (json_form(TicketCard), *PRINTED)

    @operation(
        "The ticket to print: on paper, or as JSON",
        description=_SLIP,
        query=LanguageQuery,
        problems=_SLIP_PROBLEMS,
        answer_example=samples.TICKET,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        sold = slip_original(by=self.terminal, ident=ident)
        if form == JSON:
            response = json_response(card_of(sold))
            response["Cache-Control"] = "no-store"
            return response
        return self.paper(slip_render(sold, output=Output(form), language=language), form)


class PrintConfirmation(BareTerminalView):
    takes_quota = False

    @operation(
        "Confirm that the ticket was printed",
        description=(
            "Confirming it again changes nothing. Of a month that was archived and retired the"
            " confirmation is not here any more: `slip_printed` says that there was one. When the"
            " prizes of the contest have lapsed, a first confirmation comes too late."
        ),
        answer=PrintConfirmationOut,
        problems=(
            selling.TicketUnknown,
            DocumentArchived,
            printing.SlipPrinted,
            printing.PrintTooLate,
        ),
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        return self.answer(
            PrintConfirmationOut, printing.print_confirm(by=self.terminal, ident=ident)
        )


class Reprints(TerminalView):
    @operation(
        "Print a further copy, marked as duplicate",
        description=(
            "For the operator who sold the ticket, before its printing is confirmed and before the"
            " closing; each is numbered and recorded. `format` json answers the ticket "
            "with its `copy` number; the others answer the paper itself."
        ),
        body=ReprintIn,
        answer=ReprintCard,
        status=201,
        forms=PRINTED,
        problems=(
            selling.TicketUnknown,
            DocumentArchived,
            printing.TicketNotPrintable,
            printing.SlipPrinted,
            selling.OperatorDiffers,
            ContestClosed,
            TerminalCannot,
            UuidReused,
            *REFUSALS,
        ),
        example={"uuid": "0190a6c8-5f6e-7000-8000-000000000003", "format": "json"},
        capability=Capability.SELL,
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        body = self.read(ReprintIn)
        sold, reprint = printing.ticket_reprint(by=self.terminal, ident=ident, copy=body["uuid"])
        if body["format"] == "json":
            return json_response(card_of(sold) | {"copy": reprint.number}, 201)
        output = Output(body["format"])
        content = slip_render(sold, output=output, language=language_of(body), copy=reprint.number)
        response = paper(content, output)
        response.status_code = 201
        return response


class Annulment(TerminalView):
    @operation(
        "Annul a ticket sold by mistake, against its paper (14.III.1.4)",
        description=(
            "Inside the contest's correction window and before closing. Annulling it again "
            "changes nothing."
        ),
        body=AnnulmentIn,
        answer=AnnulmentOut,
        problems=(
            selling.TicketUnknown,
            DocumentArchived,
            CodeMalformed,
            CodeMistyped,
            CodeForged,
            annulment.CodeOfAnotherTicket,
            annulment.TicketVoided,
            annulment.CorrectionNotOffered,
            annulment.CorrectionTooLate,
            ContestClosed,
            selling.SalesStopped,
            ClockUnsound,
            TerminalCannot,
        ),
        example={"code": "1ABC-…", "reason": "Number mistyped."},
        capability=Capability.SELL,
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        body = self.read(AnnulmentIn)
        void = annulment.ticket_annul(
            by=self.terminal, ident=ident, presented_code=body["code"], reason=body["reason"]
        )
        return self.answer(AnnulmentOut, void)


class OwnTickets(BareTerminalView):
    @operation(
        "The tickets this terminal has sold, newest first",
        answer=OwnTicketOut,
        query=OwnTicketsQuery,
        paged=True,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(OwnTicketsQuery)
        rows = tickets_of_terminal(
            self.terminal.terminal_id,
            day=query.get("day"),
            amount_cents=query.get("amount_cents"),
            marks=[int(number) for number in query.get("marks", "").split(",") if number],
        )
        return self.rows(OwnTicketOut, rows, query, newest_first=True)


class Totals(BareTerminalView):
    @operation(
        "Read the totals that this terminal sold on a day", answer=TotalsOut, query=TotalsQuery
    )
    def get(self, request: Request) -> HttpResponse:
        day = self.query(TotalsQuery).get("day")
        totals = terminal_totals(terminal_id=self.terminal.terminal_id, day=day)
        return self.answer(TotalsOut, totals)
