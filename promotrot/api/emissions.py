"""Let staff plan, commit, witness, open and close emissions."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Day, Flag, Instant, PageQuery, Shape, Text, Whole
from core.api.views import StaffView
from core.draws.conducting import CommittedOtherwise
from core.draws.method import (
    MOST_PIECES,
    EntropyMalformed,
    EntropyOtherwise,
    EntropyTooLittle,
    MeansRefused,
    Source,
)
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending, SecondPersonTooNew
from promotrot import powers
from promotrot.engine.plan import BlockSizeRefused, PlanImpossible
from promotrot.engine.shortfall import ExtraImpossible
from promotrot.models.emission import Emission
from promotrot.selectors.emissions import emissions, standing
from promotrot.selectors.facts import EmissionUnknown
from promotrot.selectors.things import shortages_of
from promotrot.services import closing, games, valuing
from promotrot.services import emissions as steps

_TIER_MOST = 100


class EmissionIn(Shape):
    game = Text(max_length=40)
    extra_tier = Whole(
        min_value=1,
        max_value=_TIER_MOST,
        allow_null=True,
        default=None,
        help_text="The tier that extra prizes are equal to, where the game owes some [P2].",
    )
    stop_without_top = Flag(
        default=False, help_text="Of a pre-drawn game: its sale ends with its last top prize."
    )


class MeansIn(Shape):
    source = Choice([source.value for source in Source])
    pieces = Whole(
        min_value=1,
        max_value=MOST_PIECES,
        allow_null=True,
        default=None,
        help_text="How many dice (10 or more) or balls (6 or more); null for a phrase [B16].",
    )


class WitnessEntropyIn(Shape):
    source = Choice([source.value for source in Source])
    text = Text(max_length=400, help_text="As thrown, drawn or said.")


class TierOut(Shape):
    tier = Whole(source="number")
    value_cents = Cents()
    thing = serializers.CharField(help_text="The key of a prize in kind; empty for cash.")
    count = Whole(allow_null=True, help_text="Null where the play decides.")
    extra = Flag(help_text="It pays an earlier shortfall, on top of the percentage [P2].")


class ShortageOut(Shape):
    thing = serializers.CharField()
    needed = Whole(help_text="May still be won, or is won and not fetched.")
    in_stock = Whole()


class ValuationIn(Shape):
    tier = Whole(min_value=1, max_value=_TIER_MOST)
    source = Text(max_length=400, help_text="Of the market price, tax included.")
    valued_on = Day()


class ValuationOut(Shape):
    tier = Whole(source="tier.number")
    thing = serializers.CharField(source="tier.thing")
    equivalent_cents = Cents(source="tier.value_cents")
    source = serializers.CharField()
    valued_on = Day()


class EmissionOut(Shape):
    id = Whole()
    reference = serializers.CharField()
    game = serializers.CharField(source="game.code")
    version = Whole(source="approval.version.version")
    number = Whole()
    state = Choice(Emission.State.values)
    tickets = Whole()
    block_tickets = Whole()
    price_cents = Cents()
    stop_without_top = Flag()
    extra_cents = Cents()
    dealt = Flag(help_text="Prizes lie on its tickets: it is committed to, witnessed, revealed.")
    planned_at = Instant()
    opened_at = Instant(source="opening.opened_at", allow_null=True, default=None)
    closed_at = Instant(source="closing.closed_at", allow_null=True, default=None)


class StandingOut(Shape):
    sold = Whole()
    takings_cents = Cents()
    awarded_cents = Cents(help_text="By vouchers issued, without extra prizes.")
    extra_awarded_cents = Cents()
    refunded = Whole()
    unfinished = Whole()
    unclaimed_cents = Cents()
    minimum_cents = Cents(help_text="Of the takings so far, what is due to prizes.")
    game_owes_cents = Cents(help_text="By the last closing of the game.")


class EmissionDetailOut(EmissionOut):
    tiers = TierOut(many=True, source="tiers.all")
    stock_short = serializers.SerializerMethodField(
        help_text="Things of which there are too few: a warning, until the sale ends [P21]."
    )
    commitment = serializers.CharField(source="commitment.digest", allow_null=True, default=None)
    entropy = serializers.CharField(source="witness.entropy", allow_null=True, default=None)
    statement = serializers.DictField(
        source="closing.document",
        allow_null=True,
        default=None,
        help_text="`promotrot-closing/1`; null until it is closed.",
    )

    @extend_schema_field(ShortageOut(many=True))
    def get_stock_short(self, emission: Emission) -> Any:
        return ShortageOut(shortages_of(emission), many=True).data


class Emissions(StaffView):
    @operation(
        "Emissions, newest first",
        answer=EmissionOut,
        paged=True,
        query=PageQuery,
        power=powers.READ_EMISSIONS,
    )
    def get(self, request: Request) -> HttpResponse:
        return self.rows(EmissionOut, emissions(), self.query(PageQuery), newest_first=True)

    @operation(
        "Plan the next emission of a game, from its newest approved version",
        "A game that owes prizes must have extra ones in it (15.III.6.2).",
        body=EmissionIn,
        answer=EmissionDetailOut,
        status=201,
        idempotent=True,
        example={"game": "lap-of-honour"},
        problems=(
            games.GameUnknown,
            games.GameEnded,
            steps.EmissionWaiting,
            steps.GameNotApproved,
            games.ApprovalRefused,
            steps.ExtraNeeded,
            steps.ExtraNotOwed,
            ExtraImpossible,
            PlanImpossible,
            BlockSizeRefused,
        ),
        power=powers.PLAN_EMISSION,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(EmissionIn)

        def act() -> HttpResponse:
            game = games.game_get(body.pop("game"))
            emission = steps.emission_plan(by=self.by, game=game, **body)
            return self.answer(EmissionDetailOut, emission, 201)

        return self.once(act)


class OneEmission(StaffView):
    @operation(
        "An emission with its prizes and what is on record of it",
        answer=EmissionDetailOut,
        problems=(EmissionUnknown,),
        power=powers.READ_EMISSIONS,
    )
    def get(self, request: Request, code: str, number: int) -> HttpResponse:
        return self.answer(EmissionDetailOut, _emission(code, number))


class Standing(StaffView):
    @operation(
        "How an emission stands now, whole; never per block",
        answer=StandingOut,
        problems=(EmissionUnknown,),
        power=powers.READ_EMISSIONS,
    )
    def get(self, request: Request, code: str, number: int) -> HttpResponse:
        return self.answer(StandingOut, standing(by=self.by, emission=_emission(code, number)))


class Commitment(StaffView):
    @operation(
        "Make the seed; publish the commitment to it and to what the witness gives (15.II.2)",
        "Again: the same commitment.",
        body=MeansIn,
        answer=EmissionDetailOut,
        example={"source": "dice", "pieces": 10},
        problems=(
            EmissionUnknown,
            steps.EmissionState,
            MeansRefused,
            EntropyTooLittle,
            CommittedOtherwise,
        ),
        power=powers.COMMIT_EMISSION,
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        body = self.read(MeansIn)
        emission = steps.emission_commit(by=self.by, emission=_emission(code, number), **body)
        return self.answer(EmissionDetailOut, emission)


class Entropy(StaffView):
    @operation(
        "The inspector enters public entropy, after the commitment",
        body=WitnessEntropyIn,
        answer=EmissionDetailOut,
        idempotent=True,
        example={"source": "dice", "text": "3 1 6 1 4 2 5 3 6 4"},
        problems=(
            EmissionUnknown,
            steps.EmissionState,
            steps.WitnessNotApart,
            SecondPersonTooNew,
            EntropyMalformed,
            EntropyTooLittle,
            EntropyOtherwise,
        ),
        power=powers.WITNESS_EMISSION,
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        body = self.read(WitnessEntropyIn)

        def act() -> HttpResponse:
            emission = steps.witness_enter(by=self.by, emission=_emission(code, number), **body)
            return self.answer(EmissionDetailOut, emission)

        return self.once(act)


class Opening(StaffView):
    @operation(
        "Propose to put an emission on sale; another person confirms",
        "`stock_short` of the emission warns of things that are not in stock [P21]."
        " `restored_since` of the proposal has the reason of each restore of the database since the"
        " seed was fixed: what was lost may have had the emission on sale.",
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            EmissionUnknown,
            steps.EmissionState,
            games.GameEnded,
            valuing.ValuationTooOld,
            ProposalPending,
        ),
        power=powers.OPEN_EMISSION,
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        self.read(Shape)
        return self.created_once(
            ProposalOut, steps.emission_open_propose, by=self.by, emission=_emission(code, number)
        )


class Valuations(StaffView):
    @operation(
        "Record a newer valuation of a thing, before the opening",
        "It confirms the equivalent of the emission; another one is another game (15.II.2) [P21].",
        body=ValuationIn,
        answer=ValuationOut,
        status=201,
        idempotent=True,
        example={"tier": 1, "source": "Price of three shops", "valued_on": "2026-10-15"},
        problems=(
            EmissionUnknown,
            valuing.ThingUnknown,
            valuing.ValuationLate,
            valuing.ValuationDayWrong,
        ),
        power=powers.PLAN_EMISSION,
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        return self.created_once(
            ValuationOut,
            valuing.valuation_record,
            by=self.by,
            emission=_emission(code, number),
            **self.read(ValuationIn),
        )


class Closing(StaffView):
    @operation(
        "Propose to end the sale and close an emission; another person confirms",
        "Its statement is then published, and what is short is owed to the game's prizes.",
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(EmissionUnknown, steps.EmissionState, ProposalPending),
        power=powers.CLOSE_EMISSION,
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        self.read(Shape)
        return self.created_once(
            ProposalOut,
            closing.emission_close_propose,
            by=self.by,
            emission=_emission(code, number),
        )


def _emission(code: str, number: int) -> Emission:
    return steps.emission_get(f"{code}/{number}")
