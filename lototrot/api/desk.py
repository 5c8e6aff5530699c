"""What a terminal looks up: contests it may sell, what to put on the wall, presented tickets."""

from typing import Any, ClassVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import LanguageQuery, language_of, paper
from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Flag, Instant, Secret, Shape, Whole
from core.api.views import BareTerminalView, StaffView, TerminalView
from core.database import clock
from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.premises.access import PremisesNotAuthorised, SalesSuspended, TerminalCannot
from core.premises.models import Game
from core.premises.selectors import sale_refusal
from core.receipts.output import Output
from lototrot.selectors.cards import contest_legs
from lototrot.selectors.selling import contests_on_sale
from lototrot.selectors.settlements import chain_balances
from lototrot.services import checking
from lototrot.services.contests import (
    ContestNotOpen,
    ContestUnknown,
    ProgrammeNotApproved,
    contest_get,
    display_acknowledge,
)
from lototrot.services.lookup import TicketNotFound, TicketState
from lototrot.services.poster import NothingPublished, contest_poster
from lototrot.services.snapshot import contest_facts


class RunnerOnSale(Shape):
    number = Whole(source="runner.number")
    name = serializers.CharField(source="runner.name")
    withdrawn = Flag()


class RaceOnSale(Shape):
    position = Whole()
    racecourse = serializers.CharField(source="card.race.racecourse.name")
    race = Whole(source="card.race.number")
    name = serializers.CharField(source="card.race.name")
    scheduled_start_at = Instant(source="card.race.scheduled_start_at")
    offered = serializers.ListField(child=Whole(), help_text="Programme numbers on sale now.")
    runners = RunnerOnSale(many=True, source="card.runners")


class ContestOnSaleOut(Shape):
    id = Whole()
    day = Day()
    meeting = serializers.CharField()
    bet_type = serializers.CharField()
    price_cents = Cents()
    max_bets = Whole(help_text="Most bets on one ticket.")
    allows_multiple = Flag()
    correction_window_s = Whole()
    closes_at = Instant(help_text="At the latest; a start or a race not run closes it earlier.")
    prize_percent = serializers.CharField()
    rules = serializers.CharField(help_text="In the language of the request; to be displayed.")
    jackpot_cents = Cents()
    acknowledged = Flag(help_text="The operator has acknowledged the display; needed to sell.")
    races = RaceOnSale(many=True)


class OnSaleOut(Shape):
    refusal = Choice(
        (PremisesNotAuthorised.code, SalesSuspended.code), allow_null=True,
        help_text="With what every sale here would be refused now; null if with nothing.",
    )  # fmt: skip
    server_time = Instant()
    items = ContestOnSaleOut(many=True)


class AcknowledgementOut(Shape):
    contest = Whole(source="contest_id")
    acknowledged_at = Instant()


class CheckIn(Shape):
    code = Secret(max_length=96, help_text="As scanned or typed.")


class MarkOut(Shape):
    number = Whole()
    trace = serializers.ListField(
        child=Whole(), help_text="Its way to the number it counts on (14.III.5.4.1)."
    )


class CheckedRaceOut(Shape):
    position = Whole()
    racecourse = serializers.CharField(source="race.racecourse.name")
    race = Whole(source="race.number")
    quick_pick = Flag()
    marks = MarkOut(many=True)
    winners = serializers.ListField(child=Whole(), help_text="Empty while there is no result.")
    right = serializers.ListField(child=Whole(), help_text="The marked numbers that are right.")


class WonOut(Shape):
    hits = Whole()
    bets = Whole()


class CheckOut(Shape):
    state = Choice([state.value for state in TicketState])
    contest = Whole()
    day = Day()
    premises = serializers.CharField()
    sold_at = Instant()
    bets = Whole()
    amount_cents = Cents()
    prize_cents = Cents(help_text="Zero until payment is ordered (14.III.8).")
    winning_bets = WonOut(many=True)
    first_pay_day = Day(allow_null=True)
    last_claim_day = Day(allow_null=True)
    races = CheckedRaceOut(many=True)


def _on_sale(contest: Any, language: str) -> dict[str, Any]:
    facts = contest_facts(contest.pk)
    return {
        "id": contest.pk, "day": contest.day, "meeting": facts.meeting_name,
        "bet_type": facts.bet_type_name, "price_cents": contest.price_cents,
        "max_bets": contest.max_bets, "allows_multiple": facts.allows_multiple,
        "correction_window_s": contest.correction_window_s,
        "closes_at": contest.scheduled_close_at, "prize_percent": facts.prize_percent,
        "rules": contest.publication.rules[language],
        "jackpot_cents": chain_balances(contest.bet_type_code).jackpot_cents,
        "acknowledged": contest.acknowledged, "races": contest_legs(contest),
    }  # fmt: skip


class OnSale(TerminalView):
    @operation(
        "The contests on sale, for this terminal and its operator", answer=OnSaleOut,
        query=LanguageQuery,
    )  # fmt: skip
    def get(self, request: Request) -> HttpResponse:
        language = language_of(self.query(LanguageQuery))
        rows = contests_on_sale(
            terminal_id=self.terminal.terminal_id, operator_id=self.terminal.operator_id
        )
        refusal = sale_refusal(by=self.terminal, game=Game.LOTOTROT)
        items = [_on_sale(contest, language) for contest in rows]
        return self.answer(
            OnSaleOut, {"refusal": refusal, "server_time": clock.now(), "items": items}
        )


class Acknowledgement(TerminalView):
    @operation(
        "Programme, rules and percentage are on display here (5.2, 6.2)",
        "Needed once per contest, terminal and operator before selling. Twice changes nothing.",
        answer=AcknowledgementOut, problems=(ContestUnknown, ContestNotOpen, TerminalCannot),
    )  # fmt: skip
    def post(self, request: Request, contest: int) -> HttpResponse:
        self.read(Shape)
        done = display_acknowledge(by=self.terminal, contest=contest_get(contest))
        return self.answer(AcknowledgementOut, done)


def poster_view(output: Output) -> type[BareTerminalView]:
    """The view of a contest's poster in one form."""

    class ContestPoster(BareTerminalView):
        form: ClassVar[Output] = output

        @operation(
            "The poster of a contest, for the wall (5.2, 6.2)",
            answer=OpenApiTypes.BINARY, media_type=output.media_type.partition(";")[0],
            query=LanguageQuery,
            problems=(ContestUnknown, ProgrammeNotApproved, NothingPublished),
        )  # fmt: skip
        def get(self, request: Request, contest: int) -> HttpResponse:
            language = language_of(self.query(LanguageQuery))
            content = contest_poster(
                contest=contest_get(contest), output=self.form, language=language
            )
            return paper(content, self.form)

    return ContestPoster


_CHECK_PROBLEMS = (CodeMalformed, CodeMistyped, CodeForged, TicketNotFound)
_CHECK = "What a presented ticket is: its state, marks, their way, what won"


def _checked(checked: checking.Checked) -> dict[str, Any]:
    status = checked.status
    ticket: Any = status.ticket
    return {
        "state": status.state, "contest": ticket.contest_id, "day": ticket.contest.day,
        "premises": ticket.premises.code, "sold_at": ticket.sold_at, "bets": ticket.bets,
        "amount_cents": ticket.amount_cents, "prize_cents": status.prize_cents,
        "winning_bets": [{"hits": hits, "bets": bets} for hits, bets in status.winning_bets],
        "first_pay_day": status.first_pay_day, "last_claim_day": status.last_claim_day,
        "races": checked.legs,
    }  # fmt: skip


class Check(TerminalView):
    @operation(
        _CHECK, body=CheckIn, answer=CheckOut, problems=(*_CHECK_PROBLEMS, TerminalCannot),
        example={"code": "1ABC-…"},
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        code = self.read(CheckIn)["code"]
        checked = checking.ticket_check(by=self.terminal, presented_code=code)
        return self.answer(CheckOut, _checked(checked))


class StaffCheck(StaffView):
    @operation(
        _CHECK, body=CheckIn, answer=CheckOut, problems=_CHECK_PROBLEMS,
        example={"code": "1ABC-…"},
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        code = self.read(CheckIn)["code"]
        checked = checking.ticket_check(by=self.by, presented_code=code)
        return self.answer(CheckOut, _checked(checked))
