"""List and propose the authority's decisions: amended figures, the end of a bet type."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.kernel.regulation import RegulationRefused
from core.staff.api.proposals import TAKES_EFFECT, ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers
from lototrot.api import samples
from lototrot.engine.bet_type import BetTypeRefused
from lototrot.models.authority import FiguresAmendment, GameEnd
from lototrot.postings import Source
from lototrot.selectors.contests import BetTypeUnknown
from lototrot.services.authority import amendments, ending
from lototrot.services.reasons import AuthorisationMissing, SourceMissing


class FiguresIn(Shape):
    legs = Whole(min_value=1)
    jackpot_threshold_cents = Cents(min_value=0)
    shares_below = serializers.DictField(child=serializers.CharField(max_length=20))
    shares_above = serializers.DictField(child=serializers.CharField(max_length=20))


class AmendmentIn(Shape):
    in_force_from = Day()
    source = Text(max_length=200)
    figures = FiguresIn(help_text="All figures of 7, 9.2 and 9.3, the unchanged ones too.")


class AmendmentOut(Shape):
    in_force_from = Day()
    source = serializers.CharField()
    figures = FiguresIn(source="bet_type")
    entered_at = Instant()


class DestinationIn(Shape):
    source = Choice([str(source) for source in Source])
    cents = Cents(min_value=1)
    recipient = Text(max_length=200, default="", allow_blank=True)
    bet_type = Text(max_length=40, default="", allow_blank=True)


class EndIn(Shape):
    bet_type = Text(max_length=40)
    decision = Text(max_length=200)
    destinations = DestinationIn(
        many=True, help_text="Each sum with its recipient, or another bet type that goes on."
    )


class MoveOut(Shape):
    source = Choice([str(source) for source in Source])
    day = Day(allow_null=True)
    recipient = serializers.CharField()
    bet_type = serializers.CharField()
    cents = Cents()


class EndOut(Shape):
    end = Uuid(source="uuid")
    bet_type = serializers.CharField(source="bet_type_code")
    decision = serializers.CharField()
    cents = Cents()
    moves = MoveOut(many=True)
    ended_at = Instant()


class Amendments(StaffView):
    @operation(
        "Amendments of the regulation's bet type [A19]",
        answer=AmendmentOut,
        paged=True,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = FiguresAmendment.objects.all()
        return self.rows(AmendmentOut, rows, self.query(PageQuery))

    @operation(
        "Propose other categories, shares or threshold from a day on (14.III.7, 9.2, 9.3) [A19]",
        TAKES_EFFECT,
        body=AmendmentIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        example=samples.AMENDMENT,
        problems=(
            SourceMissing,
            amendments.AmendmentNotAhead,
            BetTypeRefused,
            RegulationRefused,
            amendments.AmendmentOverContests,
            ProposalPending,
        ),
        power=powers.AMEND_FIGURES,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ProposalOut, amendments.amendment_propose, by=self.by, **self.read(AmendmentIn)
        )


class Ends(StaffView):
    @operation(
        "Bet types that have ended for good [A21]", answer=EndOut, paged=True, power=powers.READ
    )
    def get(self, request: Request) -> HttpResponse:
        return self.rows(EndOut, GameEnd.objects.all(), self.query(PageQuery))

    @operation(
        "Propose the end of a bet type, by the authority's decision [A17, A21]",
        "Jackpot, reserve and unclaimed prizes go where the decision says, to the cent. "
        + TAKES_EFFECT,
        body=EndIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        example=samples.GAME_END,
        problems=(
            BetTypeUnknown,
            AuthorisationMissing,
            ending.GameEnded,
            ending.GameNotOver,
            ending.DestinationUnknown,
            ending.DestinationUnordered,
            ending.EndNotWhole,
            ProposalPending,
        ),
        power=powers.END_GAME,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(EndIn)
        destinations = [
            ending.Destination(**{**destination, "source": Source(destination["source"])})
            for destination in body.pop("destinations")
        ]

        return self.created_once(
            ProposalOut, ending.end_propose, by=self.by, destinations=destinations, **body
        )
