"""Move the scheduled closing, and announce another time of a start (14.III.4) [E1, E13]."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Instant, Shape, Text, Whole
from core.api.views import StaffView
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending
from lototrot import powers
from lototrot.api.contests import ContestOut
from lototrot.selectors.contests import ContestUnknown, RaceUnknown, contest_get
from lototrot.services.contest import schedule
from lototrot.services.races import announcing, course, window
from lototrot.services.reasons import ReasonMissing, SourceMissing


class ScheduleIn(Shape):
    scheduled_close_at = Instant()


class PostponementIn(ScheduleIn):
    reason = Text(max_length=400)


class AnnouncedStartIn(Shape):
    start_at = Instant()
    source = Text(max_length=200, help_text="Who announced it.")


class AnnouncedStartOut(Shape):
    race = Whole(source="race_id")
    start_at = Instant()
    source = serializers.CharField()
    announced_at = Instant()


class Schedule(StaffView):
    @operation(
        "Move the scheduled closing earlier, while it has not been reached [E1, E13]",
        "Published in the public log at once. Two persons move it later.",
        body=ScheduleIn,
        answer=ContestOut,
        problems=(
            ContestUnknown,
            schedule.ContestNotOnSale,
            schedule.ScheduleInThePast,
            schedule.ScheduleLater,
        ),
        example={"scheduled_close_at": "2027-04-10T17:10:00+02:00"},
        power=powers.CLOSE_CONTEST,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        to_at = self.read(ScheduleIn)["scheduled_close_at"]
        contest_id = contest_get(contest).pk
        return self.answer(
            ContestOut, schedule.schedule_move(by=self.by, contest_id=contest_id, to_at=to_at)
        )


class Postponement(StaffView):
    @operation(
        "Propose a later closing, at most the announced start of the first race [E13]",
        "Takes effect when a person of the stewards' desk confirms the proposal "
        "(`/api/v1/proposals`), and is published in the public log at once.",
        body=PostponementIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            ContestUnknown,
            ReasonMissing,
            schedule.ContestNotOnSale,
            schedule.ScheduleInThePast,
            schedule.ScheduleNotLater,
            schedule.AfterAnnouncedStart,
            ProposalPending,
        ),
        example={
            "scheduled_close_at": "2027-04-10T17:10:00+02:00",
            "reason": "The first race is delayed.",
        },
        power=powers.POSTPONE_CLOSING,
    )
    def post(self, request: Request, contest: int) -> HttpResponse:
        body = self.read(PostponementIn)
        to_at, contest_id = body["scheduled_close_at"], contest_get(contest).pk

        return self.created_once(
            ProposalOut,
            schedule.schedule_postpone,
            by=self.by,
            contest_id=contest_id,
            to_at=to_at,
            reason=body["reason"],
        )


class AnnouncedStart(StaffView):
    @operation(
        "Record the new time of a race's start, as announced (14.III.4) [E13]",
        "The newest is in force. Two persons may move the closing at most to the first of them.",
        body=AnnouncedStartIn,
        answer=AnnouncedStartOut,
        status=201,
        problems=(
            RaceUnknown,
            SourceMissing,
            announcing.AnnouncedInThePast,
            announcing.RaceUnderWay,
            course.RaceDeclared,
            course.RaceClassified,
            window.StartBeforeMeeting,
            window.RunOnAnotherDay,
        ),
        example={"start_at": "2027-04-10T17:15:00+02:00", "source": "Stewards"},
        power=powers.RECORD_START,
    )
    def post(self, request: Request, race: int) -> HttpResponse:
        body = self.read(AnnouncedStartIn)
        announced = announcing.start_announce(by=self.by, race_id=race, **body)
        return self.answer(AnnouncedStartOut, announced, 201)
