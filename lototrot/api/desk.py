"""Show a terminal the contests that it may sell and the poster for its wall."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import PAGES, LanguageQuery, PaperView, language_of
from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Flag, Instant, Shape, Uuid, Whole, utc_text
from core.api.views import BareTerminalView, TerminalView, json_response
from core.database import clock
from core.database.kept import kept
from core.draws.models import Draw
from core.draws.selectors import draw_cards
from core.ledger.services import balance_cents
from core.premises.access import Capability, TerminalCannot
from core.premises.models import Game
from core.premises.selectors import SALE_REFUSALS, sale_refusal
from core.receipts.output import Output
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.selectors.cards import contest_legs
from lototrot.selectors.contests import ContestUnknown, contest_get
from lototrot.selectors.draws import draws_told
from lototrot.selectors.selling import contests_on_sale
from lototrot.services.contest.contests import (
    ContestClosed,
    ContestNotOpen,
    ProgrammeNotApproved,
    display_acknowledge,
)
from lototrot.services.contest.facts import contest_facts
from lototrot.services.tickets.poster import NothingPublished, contest_poster


class RunnerOnSale(Shape):
    number = Whole(source="runner.number")
    name = serializers.CharField(source="runner.name")
    driver = serializers.CharField(source="runner.driver", help_text="Empty if not stated.")
    withdrawn = Flag()


class RaceOnSale(Shape):
    position = Whole()
    racecourse = serializers.CharField(source="card.race.racecourse.name")
    race = Whole(source="card.race.number")
    name = serializers.CharField(source="card.race.name")
    scheduled_start_at = Instant(source="card.race.scheduled_start_at")
    offered = serializers.ListField(child=Whole(), help_text="Programme numbers on sale now.")
    runners = RunnerOnSale(many=True, source="card.runners")


class ContestHeadOut(Shape):
    id = Whole()
    day = Day()
    meeting = serializers.CharField()
    bet_type = serializers.CharField()
    price_cents = Cents()
    max_bets = Whole(help_text="Most bets on one ticket.")
    allows_multiple = Flag()
    correction_window_s = Whole()
    state = Choice(
        Contest.UNCLOSED, help_text="stopped: every sale is refused with `sales_stopped` for now."
    )
    closes_at = Instant(
        help_text="The latest closing; a start or a race not run closes it earlier."
    )
    prize_percent = serializers.CharField()
    rules = serializers.CharField(help_text="In the language of the request; to be displayed.")
    jackpot_cents = Cents(help_text="Accumulated for the highest category so far (9.5).")
    lapsed_cents = Cents(help_text="Unclaimed prizes that this meeting adds to it (10.7).")
    acknowledged = Flag(help_text="The operator has acknowledged the display; needed to sell.")


class ContestOnSaleOut(ContestHeadOut):
    races = RaceOnSale(many=True)


class DrawNoticeOut(Shape):
    draw = Uuid(help_text="The public draw, at `/api/v1/draws/<id>`.")
    title = serializers.CharField()
    state = Choice(Draw.State.values)
    place = serializers.CharField()
    planned_at = Instant()
    due_at = Instant(allow_null=True)
    order = serializers.ListField(
        child=serializers.CharField(), help_text="The winner first, once certified."
    )


class OnSaleOut(Shape):
    refusal = Choice(
        SALE_REFUSALS,
        allow_null=True,
        help_text="The code with which every sale here is refused now; null if sales are possible.",
    )
    server_time = Instant()
    items = ContestOnSaleOut(many=True)
    draws = DrawNoticeOut(many=True, help_text="Draws to announce to the players (14.III.5.4.2).")


class AcknowledgementOut(Shape):
    contest = Whole(source="contest_id")
    acknowledged_at = Instant()


def _on_sale(contest: Any, language: str) -> dict[str, Any]:
    facts = contest_facts(contest.pk)
    head = {
        "id": contest.pk,
        "day": contest.day,
        "meeting": facts.meeting_name,
        "bet_type": facts.bet_type_name,
        "price_cents": contest.price_cents,
        "max_bets": contest.max_bets,
        "allows_multiple": facts.allows_multiple,
        "correction_window_s": contest.correction_window_s,
        "state": contest.state,
        "closes_at": contest.scheduled_close_at,
        "prize_percent": facts.prize_percent,
        "rules": contest.publication.rules[language],
        "jackpot_cents": balance_cents(accounts.jackpot(contest.bet_type_code)),
        "lapsed_cents": balance_cents(accounts.lapsed(contest.pk)),
        "acknowledged": contest.acknowledged,
    }
    races = _races(contest.pk, tuple(contest.offered_masks))
    return {**ContestHeadOut(head).data, "races": races}


@kept(most=256)
def _races(contest: int, _offered: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return the legs of a contest for terminals.

    The answer is kept: while a contest is on sale, only the numbers offered change, and they are
    part of the key.
    """
    return list(RaceOnSale(contest_legs(contest_get(contest)), many=True).data)


def _announced_draws(language: str) -> list[dict[str, Any]]:
    """Return the public draws that terminals announce to players (14.III.5.4.2)."""
    return [
        {
            "draw": card.draw.uuid,
            "title": card.draw.title[language],
            "state": card.draw.state,
            "place": card.announcement.place,
            "planned_at": card.announcement.planned_at,
            "due_at": card.draw.due_at,
            "order": card.outcome.order if card.outcome and card.certificate else [],
        }
        for card in draw_cards(draws_told())
    ]


class OnSale(TerminalView):
    @operation(
        "The contests on sale, for this terminal and its operator",
        answer=OnSaleOut,
        query=LanguageQuery,
    )
    def get(self, request: Request) -> HttpResponse:
        language = language_of(self.query(LanguageQuery))
        rows = contests_on_sale(
            terminal_id=self.terminal.terminal_id, operator_id=self.terminal.operator_id
        )
        refusal = sale_refusal(by=self.terminal, game=Game.LOTOTROT)
        return json_response(
            {
                "refusal": refusal,
                "server_time": utc_text(clock.now()),
                "items": [_on_sale(contest, language) for contest in rows],
                "draws": DrawNoticeOut(_announced_draws(language), many=True).data,
            }
        )


class Acknowledgement(TerminalView):
    @operation(
        "Acknowledge that programme, rules and percentage are displayed (5.2, 6.2)",
        "Needed once per contest, terminal and operator before selling. Twice changes nothing.",
        answer=AcknowledgementOut,
        problems=(ContestUnknown, ContestNotOpen, ContestClosed, TerminalCannot),
        capability=Capability.SELL,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)
        acknowledgement = display_acknowledge(by=self.terminal, contest=contest_get(contest))
        return self.answer(AcknowledgementOut, acknowledgement)


class ContestPoster(PaperView, BareTerminalView):
    forms = PAGES

    @operation(
        "The poster of a contest, for the wall (5.2, 6.2)",
        query=LanguageQuery,
        problems=(ContestUnknown, ProgrammeNotApproved, NothingPublished),
    )
    def get(self, request: Request, contest: int, form: str) -> HttpResponse:
        language = self.language()
        content = contest_poster(
            contest=contest_get(contest), output=Output(form), language=language
        )
        return self.paper(content, form)
