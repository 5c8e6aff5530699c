"""Serve public draws: everyone reads, the organiser conducts, the inspector certifies
(14.III.5.4).
"""

import uuid
from typing import Any

from django.http import HttpResponse
from django.utils.translation import get_language
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from core.api import pagination
from core.api.papers import JSON, PAGES, LanguageQuery, PaperView, json_form
from core.api.schema import operation
from core.api.shapes import Choice, Flag, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import ApiView, StaffView
from core.draws import manual, method, papers, selectors, services
from core.draws.kinds import FieldUnfit
from core.draws.models import Draw, DrawField, Outcome
from core.draws.selectors import DrawCard
from core.kernel.canonical import canonical_bytes
from core.proofs.api.log import EntryOut
from core.receipts.document import LANGUAGES
from core.receipts.output import Output
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending

_STEP = (services.DrawUnknown, services.DrawOver)
_SOURCES = [source.value for source in method.Source]


class DrawQuery(PageQuery):
    kind = Text(max_length=60, default="", help_text="Such as `lototrot.race`.")
    subject = Text(max_length=80, default="", help_text="Such as `race:12`.")
    state = Choice(Draw.State.values, required=False, default="")


class EntropyOut(Shape):
    source = Choice(_SOURCES)  # type: ignore[assignment]
    text = serializers.CharField(source="entropy_text", help_text="Verbatim.")
    canonical = serializers.CharField(source="entropy", help_text="As it was hashed.")


class InspectorOut(Shape):
    name = serializers.CharField(source="inspector.full_name")
    appointment = serializers.CharField()
    attended_at = Instant()


class DrawOut(Shape):
    draw = Uuid(source="draw.uuid")
    kind = serializers.CharField(source="draw.kind")
    subject = serializers.CharField(source="draw.subject")
    title = serializers.SerializerMethodField()
    state = Choice(Draw.State.values, source="draw.state")
    reason = serializers.CharField(source="draw.reason")
    declared_at = Instant(source="draw.declared_at")
    due_at = Instant(source="draw.due_at", allow_null=True, help_text="Late afterwards [B12].")
    place = serializers.CharField(source="announcement.place")
    planned_at = Instant(source="announcement.planned_at")
    size = Whole(source="field.size", default=None, allow_null=True)
    places = Whole(source="field.places", default=None, allow_null=True)
    field_sha256 = serializers.SerializerMethodField()
    entries = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Null before the commitment; of large fields, see `field.json`.",
    )
    commitment = serializers.SerializerMethodField()
    committed_at = Instant(source="commitment.committed_at", default=None, allow_null=True)
    method = Choice(Outcome.Method.values, source="outcome.method", default=None, allow_null=True)
    witness = serializers.CharField(source="outcome.witness", default=None, allow_null=True)
    entropy = serializers.SerializerMethodField()
    secret = serializers.SerializerMethodField()
    order = serializers.ListField(
        child=serializers.CharField(),
        source="outcome.order",
        default=list,
        help_text="The winner first; official once certified.",
    )
    drawn_at = Instant(source="outcome.drawn_at", default=None, allow_null=True)
    late = Flag(allow_null=True)
    inspectors = InspectorOut(many=True, source="attendances")
    certified_at = Instant(source="certificate.certified_at", default=None, allow_null=True)
    called_off = serializers.CharField(source="call_off.reason", default=None, allow_null=True)
    log = serializers.DictField(
        child=Whole(), help_text="The numbers of its entries in the public log, by kind."
    )

    def get_title(self, card: DrawCard) -> str:
        language = (get_language() or "").partition("-")[0]
        return str(card.draw.title[language if language in LANGUAGES else LANGUAGES[0]])

    def get_field_sha256(self, card: DrawCard) -> str | None:
        return bytes(card.field.digest).hex() if card.field else None

    def get_commitment(self, card: DrawCard) -> str | None:
        return bytes(card.commitment.digest).hex() if card.commitment else None

    def get_secret(self, card: DrawCard) -> str | None:
        secret = card.outcome.secret if card.outcome else None
        return bytes(secret).hex() if secret is not None else None

    def get_entropy(self, card: DrawCard) -> dict[str, Any] | None:
        if card.outcome is None or not card.outcome.source:
            return None
        return dict(EntropyOut(card.outcome).data)


class AnnouncementIn(Shape):
    place = Text(max_length=300)
    planned_at = Instant()


class EntropyIn(Shape):
    source = Choice(_SOURCES)  # type: ignore[assignment]
    text = Text(
        max_length=method.MAX_ENTROPY_CHARACTERS,
        trim_whitespace=False,
        help_text="What the witness gave, as given.",
    )
    witness = Text(max_length=200, help_text="Who gave it.")


class BallsIn(Shape):
    order = serializers.ListField(child=Text(max_length=80), min_length=1, max_length=1000)
    drawn_at = Instant()
    place = Text(max_length=300)
    witness = Text(max_length=200, help_text="Who watched.")
    cause = Text(max_length=400, help_text="Why it was drawn by hand.")


class CertificateIn(Shape):
    late_cause = Text(max_length=400, default="", allow_blank=True)
    observations = Text(max_length=1000, default="", allow_blank=True)


class Draws(ApiView):
    @operation(
        "Public draws, newest first",
        "Without login, as all that is said of draws.",
        answer=DrawOut,
        paged=True,
        query=DrawQuery,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(DrawQuery)
        filters = {name: query[name] for name in ("kind", "subject", "state")}
        rows = selectors.draws_list(**filters)
        draws, cursor = pagination.page_of_rows(rows, query, newest_first=True)
        return self.page(DrawOut, selectors.draw_cards(draws), cursor)


class OneDraw(ApiView):
    @operation("A public draw", answer=DrawOut, problems=(services.DrawUnknown,))
    def get(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        return self.answer(DrawOut, selectors.draw_card(draw))


class FieldFile(ApiView):
    @operation(
        "Everything that is in the draw, as its digest is made of",
        answer=OpenApiTypes.OBJECT,
        problems=(services.DrawUnknown, services.NotDrawn),
    )
    def get(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        field: DrawField | None = selectors.draw_card(draw).field
        if field is None:
            raise services.NotDrawn
        return HttpResponse(canonical_bytes(field.entries), content_type="application/json")


class Minutes(PaperView):
    forms = (json_form(EntryOut), *PAGES)

    @operation(
        "The minutes: signed, as in the public log, or on paper",
        query=LanguageQuery,
        problems=(services.DrawUnknown, papers.MinutesUnknown),
    )
    def get(self, request: Request, draw: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        minuted = selectors.draw_card(draw).draw
        if form == JSON:
            return self.answer(EntryOut, papers.minutes_entry(minuted).published())
        content = papers.minutes_render(minuted, output=Output(form), language=language)
        return self.paper(content, form)


class Notice(PaperView):
    @operation(
        "The notice for the wall: place, time, and the result once certified",
        query=LanguageQuery,
        problems=(services.DrawUnknown,),
    )
    def get(self, request: Request, draw: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        card = selectors.draw_card(draw)
        content = papers.notice_render(card, output=Output(form), language=language)
        return self.paper(content, form)


class StepView(StaffView):
    """A step of a draw; the response is the draw after it."""

    def shown(self, draw: uuid.UUID) -> HttpResponse:
        return self.answer(DrawOut, selectors.draw_card(draw), 201)


class AnnouncementStep(StepView):
    @operation(
        "Announce another place or time, before the commitment",
        body=AnnouncementIn,
        answer=DrawOut,
        status=201,
        problems=(*_STEP, services.PlaceNeeded, services.DrawBegun),
        example={
            "place": "Oficina Central, Palma",
            "planned_at": "2027-04-10T19:30:00+02:00",
        },
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        services.draw_reannounce(by=self.by, draw=draw, **self.read(AnnouncementIn))
        return self.shown(draw)


class AttendanceStep(StepView):
    @operation(
        "The inspector attends",
        "Whoever attends may certify. Again: nothing changes.",
        answer=DrawOut,
        status=201,
        problems=_STEP,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        services.draw_attend(by=self.by, draw=draw)
        return self.shown(draw)


class CommitmentStep(StepView):
    @operation(
        "Fix the field, commit to a secret and publish its digest",
        "Sent again, also after an interruption: the same commitment.",
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            services.DrawBegun,
            services.PlaceNeeded,
            services.InspectorNeeded,
            FieldUnfit,
        ),
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        services.draw_commit(by=self.by, draw=draw)
        return self.shown(draw)


class EntropyStep(StepView):
    @operation(
        "Enter what the witness gave: the order is computed at once, once for ever",
        body=EntropyIn,
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            services.WitnessMissing,
            method.EntropyMalformed,
            method.EntropyTooLittle,
            services.EntropyTooEarly,
            services.EntropyGiven,
        ),
        example={"source": "dice", "text": "3 1 6 1 4 2 5 3 6 4", "witness": "A player present"},
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        services.draw_enter(by=self.by, draw=draw, **self.read(EntropyIn))
        return self.shown(draw)


class BallsStep(StaffView):
    @operation(
        "Propose the order of balls drawn while the system was down",
        "Takes effect when a second person confirms the proposal (`/api/v1/proposals`).",
        body=BallsIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_STEP,
            services.DrawBegun,
            services.PlaceNeeded,
            services.WitnessMissing,
            manual.CauseMissing,
            manual.DrawnOutOfTime,
            manual.OrderMalformed,
            FieldUnfit,
            ProposalPending,
        ),
        example={
            "order": ["3", "1", "2"],
            "drawn_at": "2027-04-10T19:30:00+02:00",
            "place": "Oficina Central, Palma",
            "witness": "A notary",
            "cause": "Power cut",
        },
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        body = self.read(BallsIn)

        def act() -> HttpResponse:
            proposal = manual.manual_propose(by=self.by, draw=draw, **body)
            return self.answer(ProposalOut, proposal, 201)

        return self.once(act)


class CertificateStep(StepView):
    @operation(
        "The attending inspector certifies; the minutes are signed and published",
        body=CertificateIn,
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            services.NotDrawn,
            services.InspectorAbsent,
            services.LateCauseMissing,
        ),
        example={"late_cause": "", "observations": ""},
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        services.draw_certify(by=self.by, draw=draw, **self.read(CertificateIn))
        return self.shown(draw)
