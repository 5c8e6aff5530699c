"""Serve resolutions of the authority that took effect before they were entered [E10]."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.premises import powers, resolutions, services
from core.premises.models import Resolution
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending


class ResolutionIn(Shape):
    effect = Choice(Resolution.Effect.values)
    authorisation = Whole(
        allow_null=True, default=None, help_text="For `authorisation_ended`: its number."
    )
    premises = Text(
        max_length=20,
        allow_null=True,
        default=None,
        help_text="For `sales_suspended`: the code of the premises.",
    )
    terminal = Text(
        max_length=20,
        allow_null=True,
        default=None,
        help_text="For `terminal_revoked` and `sales_suspended`: the code of the terminal.",
    )
    effective_at = Instant(help_text="The instant in the past as of which it takes effect.")
    reference = Text(max_length=120, help_text="Of the authority's resolution.")


class ResolutionOut(Shape):
    id = Whole()
    effect = Choice(Resolution.Effect.values)
    authorisation = Whole(source="authorisation_id", allow_null=True)
    premises = serializers.CharField(source="premises.code", allow_null=True, default=None)
    terminal = serializers.CharField(source="terminal.code", allow_null=True, default=None)
    effective_at = Instant()
    replaced_at = Instant(allow_null=True, help_text="The end on record before, if there was one.")
    reference = serializers.CharField()
    proposal = Uuid(source="proposal.uuid")
    entered_at = Instant()


class Resolutions(StaffView):
    @operation(
        "Resolutions with effect in the past, newest first [E10]",
        answer=ResolutionOut,
        paged=True,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        rows = resolutions.resolutions(by=self.by)
        return self.rows(ResolutionOut, rows, self.query(PageQuery), newest_first=True)

    @operation(
        "Propose to end a right to sell or to pay as of an instant in the past",
        "A second person confirms it. Bets sold since are then in breach and listed; a settlement "
        "that has some is reversed [C9, E10].",
        body=ResolutionIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            resolutions.ResolutionSubject,
            resolutions.ResolutionAhead,
            resolutions.ResolutionNeedless,
            services.AuthorisationUnknown,
            services.PremisesUnknown,
            services.TerminalNotFound,
            ProposalPending,
        ),
        example={
            "effect": "authorisation_ended",
            "authorisation": 12,
            "effective_at": "2026-05-05T00:00:00+02:00",
            "reference": "DGJ 210/2026",
        },
        power=powers.ENTER_RESOLUTION,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ProposalOut, resolutions.resolution_propose, by=self.by, **self.read(ResolutionIn)
        )
