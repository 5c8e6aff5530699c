"""Record and list bet types and ticket models."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import LanguageQuery, PaperView
from core.api.schema import operation
from core.api.shapes import Day, Flag, Instant, PageQuery, Shape, Text, Whole
from core.api.views import StaffView
from core.database import clock
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from core.staff.api.proposals import TAKES_EFFECT, ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers
from lototrot.api import samples
from lototrot.api.contests import RulesIn
from lototrot.engine.bet_type import BetTypeRefused
from lototrot.models.contest import BetType, TicketModel
from lototrot.services.authority import bet_types
from lototrot.services.contest import contests
from lototrot.services.reasons import AuthorisationMissing
from lototrot.services.tickets.layout import layout_digest, specimen

_BIGGEST_VERSION = 32_767


class BetTypeIn(Shape):
    document = serializers.DictField(
        help_text="In the format of the files in lototrot/bet_types. A refusal names every error."
    )
    price_cents = Whole(
        min_value=1,
        required=False,
        allow_null=True,
        help_text="The usual price of a bet, from which a contest of it begins.",
    )
    rules = RulesIn(
        required=False, help_text="The text of the rules, from which a publication begins."
    )
    authorisation = Text(max_length=120)


class BetTypeOut(Shape):
    code = serializers.CharField()
    version = Whole()
    document = serializers.DictField()
    price_cents = Whole(allow_null=True)
    rules = serializers.DictField(child=serializers.CharField())
    authorisation = serializers.CharField()
    recorded_at = Instant()


class TicketModelIn(Shape):
    code = Text(max_length=40)
    version = Whole(min_value=1, max_value=_BIGGEST_VERSION)
    authorisation = Text(max_length=120)
    authorised_on = Day()
    multiple = Flag(help_text="Whether the model has room for several numbers per race.")
    layout = Text(
        min_length=64,
        max_length=64,
        help_text="SHA-256 of the layout that the model authorises, as `/ticket-layout` has it of"
        " the one in use [E15].",
    )


class TicketModelOut(Shape):
    code = serializers.CharField()
    version = Whole()
    authorisation = serializers.CharField()
    authorised_on = Day()
    multiple = Flag()
    layout = serializers.CharField()
    recorded_at = Instant()


class BetTypes(StaffView):
    @operation(
        "List every version of every bet type", answer=BetTypeOut, paged=True, power=powers.READ
    )
    def get(self, request: Request) -> HttpResponse:
        return self.rows(BetTypeOut, BetType.objects.all(), self.query(PageQuery))

    @operation(
        "Record a version of the regulation's own bet type (14.III.7) [A19]",
        "The same content again changes nothing; other content needs another version. Categories, "
        "shares and threshold are the regulation's. Other bet types are proposed.",
        body=BetTypeIn,
        answer=BetTypeOut,
        status=201,
        example=samples.BET_TYPE,
        problems=(
            BetTypeRefused,
            AuthorisationMissing,
            bet_types.PriceOfBetRefused,
            bet_types.RulesNotInEveryLanguage,
            bet_types.BetTypeNeedsTwo,
            bet_types.FiguresNotOfRegulation,
            bet_types.BetTypeRecorded,
        ),
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(BetTypeIn)
        return self.answer(BetTypeOut, bet_types.bet_type_record(by=self.by, **body), 201)


class BetTypeProposals(StaffView):
    @operation(
        "Propose a bet type that the authority has authorised (14.III.7) [A19]",
        TAKES_EFFECT,
        body=BetTypeIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        example=samples.OTHER_BET_TYPE,
        problems=(
            BetTypeRefused,
            AuthorisationMissing,
            bet_types.PriceOfBetRefused,
            bet_types.RulesNotInEveryLanguage,
            bet_types.FiguresNotOfRegulation,
            bet_types.BetTypeRecorded,
            ProposalPending,
        ),
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ProposalOut, bet_types.bet_type_propose, by=self.by, **self.read(BetTypeIn)
        )


class TicketModels(StaffView):
    @operation("Authorised ticket models", answer=TicketModelOut, paged=True, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        return self.rows(TicketModelOut, TicketModel.objects.all(), self.query(PageQuery))

    @operation(
        "Record a ticket model that the authority has authorised (14.II.2)",
        body=TicketModelIn,
        answer=TicketModelOut,
        status=201,
        idempotent=True,
        problems=(
            contests.TicketModelRecorded,
            AuthorisationMissing,
            contests.LayoutMalformed,
        ),
        example={
            "code": "roll-80",
            "version": 1,
            "authorisation": "CAIB 2/2006",
            "authorised_on": "2006-01-02",
            "multiple": True,
            "layout": "5d6f" * 16,
        },
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            TicketModelOut, contests.ticket_model_record, by=self.by, **self.read(TicketModelIn)
        )


class TicketLayoutOut(Shape):
    sha256 = serializers.CharField(help_text="The digest that a ticket model must name [E15].")


class TicketLayout(StaffView):
    @operation(
        "The layout in which tickets are printed now", answer=TicketLayoutOut, power=powers.READ
    )
    def get(self, request: Request) -> HttpResponse:
        return self.answer(TicketLayoutOut, {"sha256": layout_digest()})


class TicketSpecimen(PaperView, StaffView):
    @operation(
        "The specimen of a ticket, to be authorised (14.II.2)",
        query=LanguageQuery,
        power=powers.READ,
    )
    def get(self, request: Request, form: str) -> HttpResponse:
        document = specimen(self.language())
        output = Output(form)
        at = clock.now()
        return self.paper(render(document, output=output, created_at=at, paper=Paper.ROLL_80), form)
