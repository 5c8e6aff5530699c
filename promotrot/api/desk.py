"""Show plays to staff and let them move an unfinished play to another terminal."""

import uuid

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Cents, Choice, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.payoffice.refusals import CashSessionMissing
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending
from promotrot import powers
from promotrot.api import samples
from promotrot.models.play import PlayEnd
from promotrot.models.voucher import Voucher
from promotrot.selectors.plays import plays
from promotrot.services.office.handing import NotCentralOffice
from promotrot.services.office.moving import MoveRefused, play_move
from promotrot.services.office.stopping import PlayCanBeFinished, play_end_propose
from promotrot.services.playing import PlayArchived, PlayEnded, PlayUnknown, unknown


class ActOnRecord(Shape):
    number = Whole()
    act = serializers.CharField()
    draw = Whole(help_text="The random integer that decided it, below the act's bound.")
    shown = Whole()
    at = Instant()


class EndOnRecord(Shape):
    cause = Choice(PlayEnd.Cause.values)
    tier = Whole()
    extra_tier = Whole()
    awarded_cents = Cents()
    extra_cents = Cents()
    picture = serializers.DictField(allow_null=True)
    ended_at = Instant()


class MoveOnRecord(Shape):
    number = Whole()
    terminal = serializers.CharField(source="to_terminal.code")
    reason = serializers.CharField()
    moved_at = Instant()


class VoucherOnRecord(Shape):
    uuid = Uuid()
    nature = Choice(Voucher.Nature.values)
    amount_cents = Cents()


class PlayRecord(Shape):
    uuid = Uuid()
    emission = serializers.CharField(source="emission.reference")
    opening = Whole(
        source="audited_opening",
        allow_null=True,
        help_text="With `position`: which ticket of the emission it is. For inspector and auditor,"
        " after the closing; null otherwise.",
    )
    position = Whole(source="audited_position", allow_null=True)
    premises = serializers.CharField(source="premises.code")
    terminal = serializers.CharField(source="terminal.code", help_text="Which sold it.")
    operator = Whole(source="operator.number")
    sold_at = Instant()
    price_cents = Cents()
    acts = ActOnRecord(many=True)
    moves = MoveOnRecord(many=True)
    end = EndOnRecord(allow_null=True)
    vouchers = VoucherOnRecord(many=True)


class PlaysQuery(PageQuery):
    emission = Text(max_length=60, required=False, help_text="A reference; all by default.")


class PlayMoveIn(Shape):
    terminal = Text(max_length=20, help_text="The code of another terminal of the same premises.")
    reason = Text(max_length=200)


class PlayEndIn(Shape):
    reason = Text(max_length=200, help_text="Why its premises can no longer finish it.")


class Plays(StaffView):
    @operation(
        "Plays, newest first",
        answer=PlayRecord,
        query=PlaysQuery,
        paged=True,
        description="With their acts as they were drawn and recorded. Codes are nowhere.",
        power=powers.READ_PLAYS,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PlaysQuery)
        rows = plays(by=self.by)
        if "emission" in query:
            rows = rows.filter(emission__reference=query["emission"])
        return self.rows(PlayRecord, rows, query, newest_first=True)


class OnePlay(StaffView):
    @operation(
        "A play with all that happened",
        answer=PlayRecord,
        problems=(PlayUnknown, PlayArchived),
        power=powers.READ_PLAYS,
    )
    def get(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        play = plays(by=self.by).filter(uuid=ident).first()
        if play is None:
            raise unknown(ident)
        return self.answer(PlayRecord, play)


class Move(StaffView):
    @operation(
        "Move an unfinished play to another terminal of the same premises",
        description="Its own terminal no longer serves. To where it is already changes nothing.",
        body=PlayMoveIn,
        answer=MoveOnRecord,
        example=samples.MOVE,
        idempotent=True,
        problems=(PlayUnknown, PlayArchived, PlayEnded, MoveRefused),
        power=powers.MOVE_PLAY,
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        body = self.read(PlayMoveIn)

        def act() -> HttpResponse:
            move = play_move(
                by=self.by, ident=ident, terminal_code=body["terminal"], reason=body["reason"]
            )
            return self.answer(MoveOnRecord, move)

        return self.once(act)


class Ending(StaffView):
    @operation(
        "Propose to end a play that its premises can no longer finish; another person confirms",
        "Both at the Central Office, with an open cash session. It ends as the game's rule for"
        " stopping says: with the standing prize, or with the price back where no prize stands. The"
        " voucher is held for the buyer [P19].",
        body=PlayEndIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        example={"reason": "The bar has closed for good"},
        problems=(
            PlayUnknown,
            PlayArchived,
            PlayEnded,
            PlayCanBeFinished,
            CashSessionMissing,
            NotCentralOffice,
            ProposalPending,
        ),
        power=powers.END_PLAY,
    )
    def post(self, request: Request, ident: uuid.UUID) -> HttpResponse:
        reason = self.read(PlayEndIn)["reason"]

        return self.created_once(
            ProposalOut, play_end_propose, by=self.by, ident=ident, reason=reason
        )
