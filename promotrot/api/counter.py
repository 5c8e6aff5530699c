"""Tell a terminal the games that it may sell and the totals of its day."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import LanguageQuery, language_of
from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Flag, Instant, Shape, Whole
from core.api.views import BareTerminalView, TerminalView
from core.database import clock
from core.premises.access import Capability, TerminalCannot
from core.premises.models import Game
from core.premises.selectors import SALE_REFUSALS, sale_refusal
from promotrot.api.play import ScreenOfPlay
from promotrot.engine.game import Texts
from promotrot.models.emission import Emission
from promotrot.selectors.counter import emissions_at, terminal_day
from promotrot.selectors.facts import EmissionUnknown, emission_facts
from promotrot.selectors.public import Figures, public_figures
from promotrot.services.display import display_acknowledge
from promotrot.services.selling import EmissionClosed, EmissionNotOpen


class GameInLanguage(Shape):
    """The texts of a game on a screen, in one language."""

    name = serializers.CharField()
    labels = serializers.DictField(child=serializers.CharField())
    prizes = serializers.DictField(child=serializers.CharField())


class GameAtTerminal(Shape):
    """An emission with everything that a screen shows of its game (15.III.5.2)."""

    emission = Whole()
    reference = serializers.CharField()
    code = serializers.CharField(help_text="The game's.")
    on_sale = Flag(help_text="False: only plays begun before are finished here.")
    acknowledged = Flag(help_text="The operator has acknowledged the display; needed to sell.")
    name = serializers.CharField()
    rules = serializers.ListField(child=serializers.CharField())
    labels = serializers.DictField(
        child=serializers.CharField(), help_text="Of the signs of a picture, or of acts."
    )
    prizes = serializers.DictField(
        child=serializers.CharField(), help_text="Of prizes in kind, by their `thing`."
    )
    texts = serializers.DictField(
        child=GameInLanguage(),
        help_text="Name, labels and prizes by language: the player's screen has one of its own.",
    )
    price_cents = Cents()
    prize_percent = serializers.CharField()
    screen = ScreenOfPlay()
    main_prizes = Whole(allow_null=True, help_text="Of the emission; null where the play decides.")
    main_prizes_left = Whole(allow_null=True, help_text="As published, late by design [P2].")
    as_of = Instant(help_text="Of what is left: at first the opening. Late by design [P20].")


class GamesAtTerminal(Shape):
    refusal = Choice(
        SALE_REFUSALS,
        allow_null=True,
        help_text="With what every sale here would be refused now; null if with nothing.",
    )
    server_time = Instant()
    items = GameAtTerminal(many=True)


class DisplayOut(Shape):
    acknowledged_at = Instant()


class PlaysDayQuery(Shape):
    day = Day(required=False, help_text="A natural day of Europe/Madrid; today by default.")


class PlaysDayOut(Shape):
    day = Day()
    plays = Whole()
    amount_cents = Cents()
    ended = Whole(help_text="Of these plays, those played to their end.")
    awarded_cents = Cents(help_text="Of these plays; cash and equivalents, extra prizes too.")


def _main_prizes(figures: Figures) -> dict[str, Any]:
    """Return the largest prizes, and how many of them are left by the published figures."""
    top = max(tier.value_cents for tier in figures.tiers)
    main = [tier for tier in figures.tiers if tier.value_cents == top]
    decided = all(tier.count is not None for tier in main)
    return {
        "main_prizes": sum(tier.count or 0 for tier in main) if decided else None,
        "main_prizes_left": sum(tier.remaining or 0 for tier in main) if decided else None,
        "as_of": figures.as_of,
    }


def _spoken(texts: Texts) -> dict[str, Any]:
    return {"name": texts.name, "labels": dict(texts.labels), "prizes": dict(texts.prizes)}


def _at_terminal(emission: Emission, language: str) -> dict[str, Any]:
    facts = emission_facts(emission.pk)
    texts = facts.texts(language)
    return {
        "emission": facts.pk,
        "reference": facts.reference,
        "code": facts.game.code,
        "on_sale": emission.on_sale,  # type: ignore[attr-defined]  # annotated
        "acknowledged": emission.acknowledged,  # type: ignore[attr-defined]  # annotated
        "rules": list(texts.rules),
        **_spoken(texts),
        "texts": {code: _spoken(each) for code, each in facts.game.texts.items()},
        "price_cents": facts.price_cents,
        "prize_percent": facts.prize_percent,
        "screen": facts.screen,
        **_main_prizes(public_figures(emission)),
    }


class Games(TerminalView):
    @operation(
        "The games on sale, for this terminal",
        answer=GamesAtTerminal,
        query=LanguageQuery,
        description="And those of which it has unfinished plays.",
    )
    def get(self, request: Request) -> HttpResponse:
        language = language_of(self.query(LanguageQuery))
        document = {
            "refusal": sale_refusal(by=self.terminal, game=Game.PROMOTROT),
            "server_time": clock.now(),
            "items": [
                _at_terminal(each, language)
                for each in emissions_at(self.terminal.terminal_id, self.terminal.operator_id)
            ],
        }
        return self.answer(GamesAtTerminal, document)


class Acknowledgement(TerminalView):
    @operation(
        "Acknowledge that a game's rules and percentage are on display (15.III.5.2)",
        "Needed once per approved version of a game, terminal and operator before selling; until"
        " then sales are refused with `display_not_acknowledged`. Twice changes nothing [P20].",
        answer=DisplayOut,
        problems=(EmissionUnknown, EmissionNotOpen, EmissionClosed, TerminalCannot),
        capability=Capability.SELL,
    )
    def post(self, request: Request, emission: int) -> HttpResponse:
        self.read(Shape)
        acknowledgement = display_acknowledge(by=self.terminal, emission_id=emission)
        return self.answer(DisplayOut, acknowledgement)


class Totals(BareTerminalView):
    @operation("What this terminal sold on a day", answer=PlaysDayOut, query=PlaysDayQuery)
    def get(self, request: Request) -> HttpResponse:
        day = self.query(PlaysDayQuery).get("day")
        return self.answer(
            PlaysDayOut, terminal_day(terminal_id=self.terminal.terminal_id, day=day)
        )
