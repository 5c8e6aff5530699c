"""Serve public draws, which everyone reads: their state, their notice and their minutes
(14.III.5.4).
"""

import uuid
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from core.api import pagination
from core.api.papers import JSON, PAGES, LanguageQuery, PaperView, json_form
from core.api.schema import operation
from core.api.shapes import Choice, Flag, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import ApiView
from core.draws import conducting, method, papers, selectors, services
from core.draws.models import Draw, DrawField, Outcome
from core.draws.selectors import DrawCard
from core.kernel.canonical import canonical_bytes
from core.proofs.api.log import EntryOut
from core.receipts.document import present_language
from core.receipts.output import Output

SOURCES = [source.value for source in method.Source]


class DrawQuery(PageQuery):
    kind = Text(max_length=60, default="", help_text="Such as `lototrot.race`.")
    subject = Text(max_length=80, default="", help_text="Such as `race:12`.")
    state = Choice(Draw.State.values, required=False, default="")


class EntropyOut(Shape):
    source = Choice(SOURCES)
    text = serializers.CharField(source="entropy_text", help_text="Verbatim.")
    canonical = serializers.CharField(source="entropy", help_text="As it was hashed.")


class MeansOut(Shape):
    source = Choice(SOURCES)
    pieces = Whole(allow_null=True, help_text="How many dice or balls; null for a phrase.")


class InspectorOut(Shape):
    name = serializers.CharField(source="inspector")
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
    at_office = serializers.SerializerMethodField(
        help_text="Whether the place is a registered Central Office [B16]."
    )
    place_reason = serializers.SerializerMethodField(
        help_text="The inspector's reason for a place elsewhere, or for a time that was announced"
        " after the earlier one had come; null if there is none."
    )
    planned_at = Instant(
        source="announcement.planned_at", help_text="The draw does not begin before [B16]."
    )
    size = Whole(source="field.size", default=None, allow_null=True)
    places = Whole(source="field.places", default=None, allow_null=True)
    field_sha256 = serializers.SerializerMethodField()
    entries = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Null before the commitment; of large fields, see `field.json`.",
    )
    means = MeansOut(
        source="commitment",
        default=None,
        allow_null=True,
        help_text="What the witness gives, as committed to [B16].",
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
    abandoned = serializers.CharField(
        source="abandonment.reason",
        default=None,
        allow_null=True,
        help_text="Why inspector and organiser gave it up; its secret is published [B16].",
    )
    log = serializers.DictField(
        child=Whole(), help_text="The numbers of its entries in the public log, by kind."
    )

    def get_title(self, card: DrawCard) -> str:
        return str(card.draw.title[present_language()])

    def get_at_office(self, card: DrawCard) -> bool:
        return card.announcement.office_id is not None

    def get_place_reason(self, card: DrawCard) -> str | None:
        reason = getattr(card.announcement, "elsewhere", None)
        return str(reason) if reason else None

    def get_field_sha256(self, card: DrawCard) -> str | None:
        return bytes(card.field.digest).hex() if card.field else None

    def get_commitment(self, card: DrawCard) -> str | None:
        return bytes(card.commitment.digest).hex() if card.commitment else None

    def get_secret(self, card: DrawCard) -> str | None:
        published = card.outcome or card.abandonment
        secret = published.secret if published else None
        return bytes(secret).hex() if secret is not None else None

    def get_entropy(self, card: DrawCard) -> dict[str, Any] | None:
        if card.outcome is None or not card.outcome.source:
            return None
        return dict(EntropyOut(card.outcome).data)


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
        problems=(services.DrawUnknown, conducting.NotDrawn),
    )
    def get(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        field: DrawField | None = selectors.draw_card(draw).field
        if field is None:
            raise conducting.NotDrawn
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
        return self.published(content, form)


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
        return self.published(content, form)
