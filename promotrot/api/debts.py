"""Let staff see the debts of games, draw them again, and carry out the authority's decision."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Instant, Shape, Text, Uuid, Whole
from core.api.views import StaffView, json_response
from core.draws.services import NoticeTooShort
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending
from promotrot import powers
from promotrot.selectors.debts import Stage, debts
from promotrot.services.debts import deciding, drawing
from promotrot.services.games import GameUnknown, game_get


class DebtOut(Shape):
    game = serializers.CharField(source="game.code")
    stage = Choice(
        [stage.value for stage in Stage],
        help_text="extra: for the next emission; announced: its draw; held: vouchers wait; again:"
        " lapsed, to be drawn again; last: lapsed after the last draw; authority: it decides.",
    )
    since = Instant()
    cents = Cents()


class DebtsOut(Shape):
    items = DebtOut(many=True)


class DrawAgainIn(Shape):
    place = Text(
        max_length=410,
        required=False,
        allow_blank=True,
        default="",
        help_text="The Central Office by default.",
    )
    planned_at = Instant(
        required=False, allow_null=True, default=None, help_text="As soon as it may be by default."
    )


class DebtDrawOut(Shape):
    draw = Uuid()
    number = Whole(help_text="1: the draw of the end; 2 and 3: of what lapsed.")
    owed_cents = Cents()
    winners = Whole()


class DebtDecisionIn(Shape):
    cents = Cents(min_value=1)
    reference = Text(max_length=120, help_text="Of the authority's decision.")
    payee = Text(max_length=200, help_text="Who receives the money by it.")


class Debts(StaffView):
    @operation(
        "What games owe to prizes, oldest first (15.III.6.2)",
        "It is never the organiser's [P2, P17].",
        answer=DebtsOut,
        power=powers.READ_EMISSIONS,
    )
    def get(self, request: Request) -> HttpResponse:
        self.by.need(powers.READ_EMISSIONS)
        return json_response({"items": DebtOut(debts(), many=True).data})


class DrawAgain(StaffView):
    @operation(
        "Announce the draw of what an ended game still owes",
        "The prizes of its last draw that lapsed are drawn again among all its tickets, twice at"
        " most [P17].",
        body=DrawAgainIn,
        answer=DebtDrawOut,
        status=201,
        idempotent=True,
        example={},
        problems=(
            GameUnknown,
            drawing.NothingOwed,
            drawing.DebtDrawPending,
            drawing.DebtDrawsOver,
            NoticeTooShort,
        ),
        power=powers.END_GAME,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        body = self.read(DrawAgainIn)

        def act() -> HttpResponse:
            game = game_get(code)
            draw = drawing.debt_draw_again(by=self.by, game=game, **body)
            debt = game.debt_draws.latest("number")
            answer = {
                "draw": draw.uuid,
                "number": debt.number,
                "owed_cents": debt.owed_cents,
                "winners": debt.winners,
            }
            return self.answer(DebtDrawOut, answer, 201)

        return self.once(act)


class Decision(StaffView):
    @operation(
        "Propose to carry out the authority's decision on a debt; another person confirms",
        "It is paid from the treasury to whom the decision names [P17].",
        body=DebtDecisionIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        example={"cents": 50000, "reference": "Resolució 12/2027", "payee": "Creu Roja"},
        problems=(GameUnknown, deciding.DebtDiffers, ProposalPending),
        power=powers.END_GAME,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        return self.created_once(
            ProposalOut,
            deciding.debt_decide_propose,
            by=self.by,
            game=game_get(code),
            **self.read(DebtDecisionIn),
        )
