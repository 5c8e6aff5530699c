"""Record games, show their faults, approve them by two persons, and end them."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Instant, PageQuery, Shape, Whole
from core.api.views import StaffView
from core.kernel.canonical import NotCanonical
from core.kernel.money import exact_json
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending
from promotrot import powers
from promotrot.api import samples
from promotrot.engine.game_json import GameRefused
from promotrot.models.game import GameType, GameVersion
from promotrot.selectors.games import recorded_versions
from promotrot.services import games
from promotrot.services.debts import ending


class DefinitionIn(Shape):
    definition = serializers.DictField(
        help_text="A document `promotrot-game/1` (docs/promotrot.md), whole."
    )


class GameApprovalOut(Shape):
    day = serializers.DateField()
    percentages = serializers.DictField(
        help_text="Exact, of the worst, random and best way of playing: a whole number or `n/d`."
    )
    plan_digest = serializers.CharField(help_text="Empty where the play decides.")
    approved_at = Instant()


class VersionOut(Shape):
    game = serializers.CharField(source="game.code")
    version = Whole()
    mode = Choice(GameType.Mode.values, source="game.type.mode")
    prize_percent = serializers.CharField(source="game.type.prize_percent")
    tickets = Whole(source="game.type.tickets")
    price_cents = Cents(source="game.type.price_cents")
    digest = serializers.CharField(help_text="SHA-256 of the canonical document.")
    recorded_at = Instant()
    approval = GameApprovalOut(allow_null=True, default=None)


class FaultOut(Shape):
    code = serializers.CharField()
    article = serializers.CharField()
    detail = serializers.CharField()
    place = serializers.CharField(help_text="Where in the definition; empty for the whole.")


class BlocksOut(Shape):
    blocks = Whole()
    tickets = Whole(help_text="Of each.")
    prizes = serializers.ListField(child=Whole(), help_text="Of each block, by tier.")


class PercentagesOut(Shape):
    worst = serializers.CharField()
    random = serializers.CharField()
    best = serializers.CharField()


class GameCheckOut(Shape):
    faults = FaultOut(many=True, help_text="Empty: it may be approved.")
    percentages = PercentagesOut(allow_null=True)
    plan = BlocksOut(many=True, allow_null=True, help_text="Null where the play decides.")


class VersionDetailOut(VersionOut):
    definition = serializers.DictField(source="document")


class EndingIn(Shape):
    winners = Whole(
        min_value=0,
        max_value=1_000_000,
        default=0,
        help_text="Tickets that share what is owed, drawn in public; 0 where nothing is owed, or"
        " the price of every ticket is due back.",
    )


class Games(StaffView):
    body_limit_bytes = 256 * 1024

    @operation(
        "Versions of games, newest first",
        answer=VersionOut,
        paged=True,
        query=PageQuery,
        power=powers.READ_EMISSIONS,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PageQuery)
        return self.rows(VersionOut, recorded_versions(), query, newest_first=True)

    @operation(
        "Record a version of a game (15.II.2)",
        "Another price, percentage, size or prizes are another game. The same again changes"
        " nothing. What keeps it from being approved is at its `check`.",
        body=DefinitionIn,
        answer=VersionOut,
        status=201,
        idempotent=True,
        example=samples.GAME,
        problems=(GameRefused, NotCanonical, games.TypeChanged, games.GameEnded),
        power=powers.RECORD_GAME,
    )
    def post(self, request: Request) -> HttpResponse:
        definition = self.read(DefinitionIn)["definition"]
        return self.created_once(VersionOut, games.game_record, by=self.by, document=definition)


class OneVersion(StaffView):
    @operation(
        "A version of a game with its definition",
        answer=VersionDetailOut,
        problems=(games.VersionUnknown,),
        power=powers.READ_EMISSIONS,
    )
    def get(self, request: Request, code: str, version: int) -> HttpResponse:
        return self.answer(VersionDetailOut, games.version_get(code, version))


class Check(StaffView):
    @operation(
        "What approving a version today would find: faults, exact percentages, plan",
        answer=GameCheckOut,
        problems=(games.VersionUnknown,),
        power=powers.READ_EMISSIONS,
    )
    def get(self, request: Request, code: str, version: int) -> HttpResponse:
        return self.answer(GameCheckOut, _checked(games.version_get(code, version)))


def _checked(version: GameVersion) -> dict[str, Any]:
    approval = games.game_check(version=version)
    exact = approval.percentages
    return {
        "faults": approval.faults,
        "percentages": exact
        and {name: exact_json(getattr(exact, name)) for name in ("worst", "random", "best")},
        "plan": approval.plan
        and [
            {"blocks": each.blocks, "tickets": each.tickets, "prizes": each.prizes}
            for each in approval.plan.classes
        ],
    }


class Approval(StaffView):
    @operation(
        "Propose to approve a version; another person confirms",
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            games.VersionUnknown,
            games.ApprovalRefused,
            games.VersionApproved,
            games.GameEnded,
            ProposalPending,
        ),
        power=powers.APPROVE_GAME,
    )
    def post(self, request: Request, code: str, version: int) -> HttpResponse:
        self.read(Shape)
        return self.created_once(
            ProposalOut,
            games.game_approve_propose,
            by=self.by,
            version=games.version_get(code, version),
        )


class Ending(StaffView):
    @operation(
        "Propose to end a game for good; another person confirms",
        "What it owes to prizes is then drawn in public among its tickets (15.III.6.2), or stands"
        " for the authority's decision where the price of every ticket is due back.",
        body=EndingIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        example={"winners": 10},
        problems=(
            games.GameUnknown,
            games.GameEnded,
            ending.GameOnSale,
            ending.WinnersRefused,
            ProposalPending,
        ),
        power=powers.END_GAME,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        winners = self.read(EndingIn)["winners"]

        return self.created_once(
            ProposalOut,
            ending.game_end_propose,
            by=self.by,
            game=games.game_get(code),
            winners=winners,
        )
