"""Sell and play tickets at a terminal. The speed of these operations matters."""

import uuid
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from msgspec import Meta
from rest_framework import serializers
from rest_framework.request import Request

from core.api.authentication import TerminalToken
from core.api.bodies import Body, PlainText, Positive, RequestUuidText
from core.api.papers import LanguageQuery, PaperView
from core.api.parsing import KIBIBYTE
from core.api.schema import AGAIN, operation
from core.api.shapes import (
    Cents,
    Choice,
    Flag,
    Instant,
    PageQuery,
    Shape,
    Uuid,
    Whole,
    utc_text,
)
from core.api.views import BareTerminalView, LeanView, json_response
from core.database.clock import ClockUnsound
from core.kernel.request_uuids import REFUSALS, RequestArchived, RequestUuidVersion
from core.premises.access import Capability, PremisesNotAuthorised, SalesSuspended, TerminalCannot
from core.premises.requests import CREDIT_REFUSALS, DisplayNotAcknowledged, UuidBurnt, UuidReused
from core.proofs.head import recent_head
from core.receipts.document import present_language
from core.receipts.output import Output
from promotrot.api import samples
from promotrot.api.vouchers import VoucherCard, card_of_voucher
from promotrot.engine.plays import ActOutOfTurn
from promotrot.engine.situations import MAX_ACT_CHARS
from promotrot.models.play import PlayEnd
from promotrot.selectors.facts import EmissionUnknown
from promotrot.selectors.plays import unfinished_at
from promotrot.services import playing, selling
from promotrot.services.office.receipt_codes import receipt_code
from promotrot.services.receipt import may_win_later, receipt_render

PLAYING, ENDED = "playing", "ended"
MOST_ACTS = 1_000


class PlayIn(Body, frozen=True):
    """A ticket of an emission, at the price the player was shown."""

    uuid: Annotated[
        RequestUuidText, Meta(description="Made and kept by the terminal before the first attempt.")
    ]
    emission: Positive
    price_cents: Positive


class ActIn(Body, frozen=True):
    number: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_ACTS,
            description="1 for the first act of the play; the same number again is the same act.",
        ),
    ]
    act: Annotated[
        PlainText, Meta(max_length=MAX_ACT_CHARS, description="One of the play's `legal` acts.")
    ]


class EmissionOfPlay(Shape):
    id = Whole()
    reference = serializers.CharField()
    name = serializers.CharField(help_text="The game's, in the language of the request.")


class ActOfPlay(Shape):
    number = Whole()
    act = serializers.CharField()
    shown = Whole(help_text="A tier (0: nothing); in a ladder a rung, -1 for a fall.")


class TierOfScreen(Shape):
    tier = Whole()
    value_cents = Cents(help_text="Cash, or the equivalent of a thing.")
    thing = serializers.CharField(help_text="The key of a prize in kind; empty for cash.")
    extra = Flag(help_text="Pays an earlier shortfall, on top of the minimum percentage.")


class ScreenOfPlay(Shape):
    """The game as a screen draws it. It is the same for every play of the emission."""

    mode = Choice(("predrawn", "probabilistic"))
    presentation = serializers.DictField(allow_null=True, help_text="Of a pre-drawn game.")
    mechanic = serializers.DictField(allow_null=True, help_text="Of a probabilistic game.")
    tiers = TierOfScreen(many=True)


class EndingOfPlay(Shape):
    cause = Choice(PlayEnd.Cause.values)
    tier = Whole(help_text="The prize; 0 for none.")
    extra_tier = Whole(help_text="An extra prize on top; 0 for none.")
    awarded_cents = Cents()
    extra_cents = Cents()
    picture = serializers.DictField(
        allow_null=True, help_text="What the ticket shows: `cells`, or `winners` and `yours`."
    )
    ended_at = Instant()


class ReceiptOfPlay(Shape):
    code = Uuid(help_text="To be printed, or shown to the player as a code to keep.")
    proof = serializers.CharField(
        help_text="To be kept with it: it proves whose the play is, and is published nowhere. Empty"
        " from noon of the day after the sale on."
    )
    says = serializers.CharField(help_text="That the play may win later [P17]; show it with it.")


class PlayCard(Shape):
    """The present state of a play, as far as a screen may show it."""

    uuid = Uuid()
    state = Choice((PLAYING, ENDED))
    emission = EmissionOfPlay()
    price_cents = Cents()
    prize_percent = serializers.CharField()
    sold_at = Instant()
    screen = ScreenOfPlay()
    acts = ActOfPlay(many=True)
    legal = serializers.ListField(child=serializers.CharField())
    ending = EndingOfPlay(allow_null=True)
    vouchers = VoucherCard(many=True)
    receipt = ReceiptOfPlay()
    public_log = serializers.CharField(
        help_text="The head of the public log, to be printed at the foot of receipt and vouchers;"
        " empty before its first entry."
    )


class PlayInquiryOut(Shape):
    outcome = Choice(
        ("sold", "burnt"),
        help_text="sold: there is a play. burnt: it was never sold and never can be.",
    )


class UnfinishedOut(Shape):
    uuid = Uuid()
    emission = serializers.CharField(source="emission.reference")
    sold_at = Instant()


def card_of(play: playing.PlayView) -> dict[str, Any]:
    """Return the play as it is answered, in the active language."""
    facts, ending = play.facts, play.ending
    language = present_language()
    return {
        "uuid": str(play.uuid),
        "state": ENDED if ending else PLAYING,
        "emission": {
            "id": facts.pk,
            "reference": facts.reference,
            "name": facts.texts(language).name,
        },
        "price_cents": facts.price_cents,
        "prize_percent": facts.prize_percent,
        "sold_at": utc_text(play.sold_at),
        "screen": facts.screen,
        "acts": [
            {"number": number, "act": step.act, "shown": step.shown}
            for number, step in enumerate(play.steps, start=1)
        ],
        "legal": list(play.legal),
        "ending": None
        if ending is None
        else {
            "cause": ending.cause,
            "tier": ending.tier,
            "extra_tier": ending.extra_tier,
            "awarded_cents": ending.awarded_cents,
            "extra_cents": ending.extra_cents,
            "picture": ending.picture,
            "ended_at": utc_text(ending.ended_at),
        },
        "vouchers": [card_of_voucher(each, facts, play.uuid) for each in play.vouchers],
        "receipt": {
            "code": str(play.uuid),
            "proof": receipt_code(play),
            "says": may_win_later(),
        },
        "public_log": recent_head(),
    }


def _answer(play: playing.PlayView, status: int) -> HttpResponse:
    response = json_response(card_of(play), status)
    response["Cache-Control"] = "no-store"
    return response


class Plays(LeanView):
    body_limit_bytes = 4 * KIBIBYTE

    @operation(
        "Buy a play",
        description=(
            "Sells a virtual ticket, to be played at this terminal at once (201). The same request "
            "again, from the same terminal and however often, gets the same play as it stands "
            "(200). Refusals are not remembered: nothing was written, and the same UUID may be "
            "sent again. Charge the player only for an answered play."
        ),
        body=PlayIn,
        answer=PlayCard,
        status=201,
        further=AGAIN,
        example=samples.SALE,
        answer_example=samples.PLAY,
        problems=(
            EmissionUnknown,
            selling.EmissionNotOpen,
            selling.EmissionClosed,
            selling.EmissionSoldOut,
            selling.WrongPrice,
            DisplayNotAcknowledged,
            *CREDIT_REFUSALS,
            UuidReused,
            UuidBurnt,
            *REFUSALS,
            TerminalCannot,
            PremisesNotAuthorised,
            SalesSuspended,
            ClockUnsound,
            playing.PlayElsewhere,
        ),
        capability=Capability.SELL,
    )
    def post(self, request: HttpRequest) -> HttpResponse:
        body = self.body(request, PlayIn)
        play_request = selling.PlayRequest(uuid.UUID(body.uuid), body.emission, body.price_cents)
        sold = selling.play_sell(credentials=self.credentials, request=play_request)
        request.acting = {  # type: ignore[attr-defined]
            "terminal": sold.terminal_id,
            "operator": sold.operator_id,
        }
        if sold.dealt is None:
            return _answer(playing.play_state(credentials=self.credentials, ident=sold.uuid), 200)
        begun = playing.play_sold(credentials=self.credentials, sold=sold, dealt=sold.dealt)
        return _answer(begun, 201)


class OnePlay(LeanView):
    authentication_classes = (TerminalToken,)

    @operation(
        "A play as it stands",
        description=(
            "To go on after a line that dropped or a terminal that died: at the terminal that sold "
            "it, or at the one of the same premises to which staff moved it. The acts of an ended "
            "play leave with its retired month: then `acts` is empty."
        ),
        answer=PlayCard,
        problems=(playing.PlayUnknown, playing.PlayArchived, playing.PlayElsewhere),
        answer_example=samples.PLAY,
    )
    def get(self, request: HttpRequest, ident: uuid.UUID) -> HttpResponse:
        return _answer(playing.play_state(credentials=self.credentials, ident=ident), 200)


class Acts(LeanView):
    authentication_classes = (TerminalToken,)
    body_limit_bytes = 4 * KIBIBYTE

    @operation(
        "Play: do the player's next act",
        description=(
            "Answers the play after the act (201). The act that ends it also awards it and issues "
            "its vouchers, with their codes. The same act under the same number again answers the "
            "play as it stands (200), and nothing is drawn twice. A pre-drawn play has one act, "
            "`reveal`, which decides nothing; the screen uncovers the picture as it likes."
        ),
        body=ActIn,
        answer=PlayCard,
        status=201,
        further=AGAIN,
        example={"number": 1, "act": "reveal"},
        answer_example=samples.PLAYED,
        problems=(
            playing.PlayUnknown,
            playing.PlayArchived,
            playing.PlayElsewhere,
            playing.PlayEnded,
            playing.ActAlreadyDone,
            playing.PlayBusy,
            ActOutOfTurn,
        ),
    )
    def post(self, request: HttpRequest, ident: uuid.UUID) -> HttpResponse:
        body = self.body(request, ActIn)
        play = playing.play_act(
            credentials=self.credentials, ident=ident, number=body.number, act=body.act
        )
        request.acting = {"terminal": play.terminal_id}  # type: ignore[attr-defined]
        return _answer(play, 200 if play.replayed else 201)


class Inquiry(BareTerminalView):
    @operation(
        "What became of a play's UUID",
        description=(
            "An unknown UUID is burnt by asking: a sale still in flight under it is refused, so "
            "that the answer stays true. Ask only to give an attempt up; to carry on, send the "
            "sale again."
        ),
        answer=PlayInquiryOut,
        problems=(UuidReused, RequestUuidVersion, RequestArchived),
        answer_example={"outcome": "burnt"},
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        sold = selling.request_state(terminal=self.terminal, ident=ident)
        return json_response({"outcome": "sold" if sold else "burnt"})


class Unfinished(BareTerminalView):
    @operation(
        "The plays to be finished at this terminal, newest first",
        description="After a restart; those that staff moved here are among them.",
        answer=UnfinishedOut,
        paged=True,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = unfinished_at(self.terminal.terminal_id)
        return self.rows(UnfinishedOut, rows, self.query(PageQuery), newest_first=True)


class Receipt(PaperView, LeanView):
    authentication_classes = (TerminalToken,)

    @operation(
        "The receipt of a play",
        query=LanguageQuery,
        problems=(playing.PlayUnknown, playing.PlayArchived, playing.PlayElsewhere),
    )
    def get(self, request: HttpRequest, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        play = playing.play_state(credentials=self.credentials, ident=ident)
        return self.paper(receipt_render(play, output=Output(form), language=language), form)
