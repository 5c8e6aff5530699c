"""Serve the steps of a public draw: the organiser announces and commits, the inspector attends,
enters what the witness gave, and certifies (14.III.5.4.4) [B16].
"""

import uuid

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Instant, Shape, Text, Whole
from core.api.views import StaffView
from core.draws import abandoning, conducting, manual, method, powers, selectors, services
from core.draws.api.draws import SOURCES, DrawOut
from core.draws.kinds import FieldUnfit
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending, SecondPersonTooNew

_STEP = (services.DrawUnknown, services.DrawOver)


class AnnouncementIn(Shape):
    place = Text(
        max_length=410,
        help_text="A registered Central Office, by its code or its name and address; or another"
        " place, for which an inspector must give the reason [B16].",
    )
    planned_at = Instant(help_text="At least ten minutes ahead [B16].")


class CommitmentIn(Shape):
    source = Choice(SOURCES)
    pieces = Whole(
        min_value=1,
        max_value=method.MOST_PIECES,
        allow_null=True,
        default=None,
        help_text="How many dice (10 or more) or balls (6 or more); null for a phrase.",
    )


class DrawReasonIn(Shape):
    reason = Text(max_length=400)


class EntropyIn(Shape):
    source = Choice(SOURCES)
    text = Text(
        max_length=method.MAX_ENTROPY_CHARACTERS,
        trim_whitespace=False,
        help_text="What the witness gave, as given.",
    )
    witness = Text(max_length=200, help_text="Who gave it.")


class BallsIn(Shape):
    order = serializers.ListField(child=Text(max_length=80), min_length=1, max_length=1000)
    drawn_at = Instant()
    witness = Text(max_length=200, help_text="Who watched.")
    cause = Text(max_length=400, help_text="Why it was drawn by hand.")


class CertificateIn(Shape):
    late_cause = Text(max_length=400, default="", allow_blank=True)
    observations = Text(max_length=1000, default="", allow_blank=True)


class StepView(StaffView):
    """A step of a draw; the response is the draw after it."""

    def card(self, draw: uuid.UUID) -> HttpResponse:
        return self.answer(DrawOut, selectors.draw_card(draw), 201)


class AnnouncementStep(StepView):
    @operation(
        "Announce another place or time, before the commitment",
        body=AnnouncementIn,
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            services.PlaceNeeded,
            services.NoticeTooShort,
            services.NotApart,
            services.DrawBegun,
        ),
        example={
            "place": "OFICINA",
            "planned_at": "2027-04-10T19:30:00+02:00",
        },
        power=powers.CONDUCT,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        services.draw_reannounce(by=self.by, draw=draw, **self.read(AnnouncementIn))
        return self.card(draw)


class AttendanceStep(StepView):
    @operation(
        "The inspector attends",
        "The inspector who attends may certify. Again: nothing changes.",
        answer=DrawOut,
        status=201,
        problems=(*_STEP, services.NotApart, SecondPersonTooNew),
        power=powers.CERTIFY,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        self.read(Shape)
        services.draw_attend(by=self.by, draw=draw)
        return self.card(draw)


class PlaceReasonStep(StepView):
    @operation(
        "The attending inspector says why the draw is not at a Central Office, or announced anew",
        "The minutes have the reason. Without it nothing is drawn elsewhere, nor where it was"
        " announced after an announced time had come [B16].",
        body=DrawReasonIn,
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            services.ReasonNeeded,
            services.InspectorAbsent,
            SecondPersonTooNew,
            services.DrawBegun,
            services.PlaceNeeded,
            services.PlaceRegistered,
        ),
        example={"reason": "The office is flooded."},
        power=powers.CERTIFY,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        services.place_justify(by=self.by, draw=draw, **self.read(DrawReasonIn))
        return self.card(draw)


class CommitmentStep(StepView):
    @operation(
        "Fix the field, commit to a secret and to what the witness gives; publish the digest",
        "Where and when it was announced [B16]. Sent again, also after an interruption: the same"
        " commitment.",
        body=CommitmentIn,
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            method.MeansRefused,
            method.EntropyTooLittle,
            conducting.CommittedOtherwise,
            services.DrawBegun,
            services.NotApart,
            conducting.InspectorNeeded,
            services.PlaceNeeded,
            services.BeforeAnnounced,
            services.PlaceUnregistered,
            services.AnnouncedLate,
            FieldUnfit,
        ),
        example={"source": "dice", "pieces": 10},
        power=powers.CONDUCT,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        conducting.draw_commit(by=self.by, draw=draw, **self.read(CommitmentIn))
        return self.card(draw)


class EntropyStep(StepView):
    @operation(
        "The attending inspector enters what the witness gave; the order is computed, for ever",
        body=EntropyIn,
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            conducting.WitnessMissing,
            method.EntropyMalformed,
            method.EntropyTooLittle,
            services.InspectorAbsent,
            SecondPersonTooNew,
            conducting.EntropyTooEarly,
            method.EntropyOtherwise,
            conducting.EntropyGiven,
        ),
        example={"source": "dice", "text": "3 1 6 1 4 2 5 3 6 4", "witness": "A player present"},
        power=powers.CERTIFY,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        conducting.draw_enter(by=self.by, draw=draw, **self.read(EntropyIn))
        return self.card(draw)


class AbandonmentStep(StaffView):
    @operation(
        "The attending inspector proposes to abandon a committed draw that cannot go on",
        "When an organiser confirms the proposal (`/api/v1/proposals`), the secret is published and"
        " another draw is announced [B16].",
        body=DrawReasonIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_STEP,
            services.ReasonNeeded,
            services.InspectorAbsent,
            SecondPersonTooNew,
            abandoning.NotCommitted,
            ProposalPending,
        ),
        example={"reason": "Power cut; the witness has left."},
        power=powers.CERTIFY,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        return self.created_once(
            ProposalOut,
            abandoning.abandonment_propose,
            by=self.by,
            draw=draw,
            **self.read(DrawReasonIn),
        )


class BallsStep(StaffView):
    @operation(
        "Propose the order of balls drawn while the system was down",
        "Takes effect when the attending inspector confirms the proposal (`/api/v1/proposals`); it"
        " is published at once, and the minutes name it if it is rejected."
        " There is none after a commitment [B16].",
        body=BallsIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            *_STEP,
            services.DrawBegun,
            manual.OnlyComputed,
            services.PlaceNeeded,
            services.BeforeAnnounced,
            services.PlaceUnregistered,
            services.AnnouncedLate,
            conducting.WitnessMissing,
            manual.CauseMissing,
            manual.DrawnOutOfTime,
            manual.OrderMalformed,
            FieldUnfit,
            ProposalPending,
        ),
        example={
            "order": ["3", "1", "2"],
            "drawn_at": "2027-04-10T19:30:00+02:00",
            "witness": "A notary",
            "cause": "Power cut",
        },
        power=powers.CONDUCT,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        return self.created_once(
            ProposalOut, manual.manual_propose, by=self.by, draw=draw, **self.read(BallsIn)
        )


class CertificateStep(StepView):
    @operation(
        "The attending inspector certifies; the minutes are signed and published",
        body=CertificateIn,
        answer=DrawOut,
        status=201,
        problems=(
            *_STEP,
            conducting.NotDrawn,
            services.InspectorAbsent,
            SecondPersonTooNew,
            conducting.LateCauseMissing,
        ),
        example={"late_cause": "", "observations": ""},
        power=powers.CERTIFY,
    )
    def post(self, request: Request, draw: uuid.UUID) -> HttpResponse:
        conducting.draw_certify(by=self.by, draw=draw, **self.read(CertificateIn))
        return self.card(draw)
