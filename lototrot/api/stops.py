"""Stop sales, list the stops, and propose to lift one (14.III.4) [E12]."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Flag, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot.api.course_shapes import ReasonIn
from lototrot.models.stops import SalesStop
from lototrot.selectors.stops import stops_list
from lototrot.services.contest.contests import MeetingUnknown, RaceUnknown
from lototrot.services.programme.official import meeting_get
from lototrot.services.races import course, stopping


class StopIn(Shape):
    source = Text(max_length=400, help_text="Who reported it, or why.")  # type: ignore[assignment]


class StopOut(Shape):
    id = Whole()
    meeting = Whole(source="meeting_id")
    race = Whole(source="race_id", allow_null=True, help_text="Null: the whole meeting.")
    source = serializers.CharField()  # type: ignore[assignment]
    stopped_at = Instant()
    proposal = Uuid(
        source="proposal.uuid",
        allow_null=True,
        default=None,
        help_text="The start or declaration that stopped sales; its decision ends the stop.",
    )
    ended_at = Instant(allow_null=True)
    ending = Choice((*SalesStop.Ending.values, ""), help_text="Empty while sales are stopped.")


class StopQuery(PageQuery):
    standing = Flag(default=False, help_text="Only the stops that have not ended.")


class RaceStop(StaffView):
    @operation(
        "Stop the sales of every contest on a race, at once (14.III.4) [E12]",
        "A second person confirms the start, or two persons lift the stop. The same person's stop "
        "again changes nothing.",
        body=StopIn,
        answer=StopOut,
        status=201,
        problems=(RaceUnknown, course.SourceMissing, stopping.NothingOnSale),
        example={"source": "The horses are off"},
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        body = self.read(StopIn)
        return self.answer(StopOut, stopping.race_stop(by=self.by, race_id=race, **body), 201)


class MeetingStop(StaffView):
    @operation(
        "Stop the sales of every contest on a meeting, at once (14.III.4) [E12]",
        "Two persons lift the stop. The same person's stop again changes nothing.",
        body=StopIn,
        answer=StopOut,
        status=201,
        problems=(MeetingUnknown, course.SourceMissing, stopping.NothingOnSale),
        example={"source": "Fire in the grandstand"},
    )
    def post(self, request: Request, meeting: int) -> HttpResponse:
        body = self.read(StopIn)
        row = meeting_get(meeting)
        return self.answer(StopOut, stopping.meeting_stop(by=self.by, meeting=row, **body), 201)


class Stops(StaffView):
    @operation("Stops of sales, newest first", answer=StopOut, paged=True, query=StopQuery)
    def get(self, request: Request) -> HttpResponse:
        query = self.query(StopQuery)
        rows = stops_list(standing=query["standing"])
        return self.rows(StopOut, rows, query, newest_first=True)


class Lifting(StaffView):
    @operation(
        "Propose to lift a stop, so that sales go on",
        "Takes effect when a second person confirms the proposal (`/api/v1/proposals`).",
        body=ReasonIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            stopping.StopUnknown,
            course.ReasonMissing,
            stopping.StopEnded,
            stopping.StopAwaitsDecision,
            ProposalPending,
        ),
        example={"reason": "A false start: the horses are called back."},
    )
    def post(self, request: Request, stop: int) -> HttpResponse:
        body = self.read(ReasonIn)

        def act() -> HttpResponse:
            proposal = stopping.stop_lift(by=self.by, stop_id=stop, **body)
            return self.answer(ProposalOut, proposal, 201)

        return self.once(act)
