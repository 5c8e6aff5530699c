"""Import the official programme, record its approval, and show racecourses, meetings and
posters.
"""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.errors import UnsupportedMediaType
from core.api.papers import PAGES, LanguageQuery, PaperView
from core.api.schema import operation
from core.api.shapes import Choice, Day, Flag, Instant, PageQuery, Shape, Text, Uuid, Whole
from core.api.views import StaffView, json_response
from core.receipts.output import Output
from lototrot import powers
from lototrot.api import samples
from lototrot.engine.programme import MAX_BYTES, ProgrammeInvalid
from lototrot.models.programme import Racecourse
from lototrot.selectors.cards import meeting_cards
from lototrot.selectors.races import RaceState
from lototrot.services.contest.contests import ProgrammeNotApproved
from lototrot.services.programme import internal_bets, official
from lototrot.services.programme.official import MeetingUnknown
from lototrot.services.tickets.poster import NothingPublished, meeting_poster

FORMATS = {"application/json": "json", "text/csv": "csv"}


class RacecourseOut(Shape):
    code = serializers.CharField()
    name = serializers.CharField()
    timezone = serializers.CharField()
    municipality = serializers.CharField()
    country = serializers.CharField()


class ProgrammeRunnerIn(Shape):
    number = Whole(min_value=1, max_value=31)
    name = Text(max_length=80)
    driver = Text(max_length=80, required=False)
    trainer = Text(max_length=80, required=False)
    sex = Choice(("stallion", "gelding", "mare"), required=False)
    age_years = Whole(min_value=1, max_value=30, required=False)
    distance_m = Whole(min_value=200, max_value=10_000, required=False)
    form = Text(max_length=40, required=False, help_text="Last results, the newest first: 1 3 D 2.")


class ProgrammeRaceIn(Shape):
    racecourse = Text(max_length=12)
    number = Whole(min_value=1, max_value=99)
    name = Text(max_length=120)
    scheduled_start = Instant(help_text="With the racecourse's own offset at that moment.")
    runners = ProgrammeRunnerIn(many=True)
    distance_m = Whole(min_value=200, max_value=10_000, required=False)
    start_method = Choice(("autostart", "standing"), required=False)
    conditions = Text(max_length=500, required=False)


class ProgrammeRacecourseIn(Shape):
    code = Text(max_length=12)
    name = Text(max_length=80)
    timezone = Text(max_length=98)
    municipality = Text(max_length=80)
    country = Text(max_length=2)


class ProgrammeMeetingIn(Shape):
    day = Day()
    name = Text(max_length=120)
    reference = Text(max_length=40)
    ends_next_day_at = Text(
        max_length=5,
        required=False,
        help_text="The hour of the next morning, in Madrid, at which the meeting ends; else 06:00.",
    )


class ProgrammeIn(Shape):
    """A programme in the format of docs/programme-format.md.

    This shape only documents the body: the engine reads it and reports every error.
    """

    format = serializers.CharField(help_text="lototrot-programme-1")
    meeting = ProgrammeMeetingIn()
    racecourses = ProgrammeRacecourseIn(many=True)
    races = ProgrammeRaceIn(many=True)


class ApprovalIn(Shape):
    approved_by = Text(max_length=120)
    approved_at = Instant()
    reference = Text(max_length=120)


class ApprovalOut(Shape):
    approved_by = serializers.CharField()
    approved_at = Instant()
    reference = serializers.CharField()
    recorded_at = Instant()


class InternalTypeIn(Shape):
    code = Text(max_length=40)
    name = Text(max_length=120)


class InternalBetsIn(Shape):
    types = InternalTypeIn(many=True, help_text="Every type, none left out.")
    none = Flag(default=False, help_text="That there is no type: an empty list must say so.")
    source = Text(max_length=200)
    dated_on = Day()


class InternalTypeOut(Shape):
    code = serializers.CharField()
    name = serializers.CharField()


class InternalBetsOut(Shape):
    types = InternalTypeOut(many=True)
    none = Flag()
    source = serializers.CharField()
    dated_on = Day()
    recorded_at = Instant()


class MeetingOut(Shape):
    id = Whole()
    day = Day()
    begins_at = Instant(help_text="No start before it is accepted [B15].")
    ends_at = Instant(help_text="The hour of the next morning that ends it [B15].")
    name = serializers.CharField()
    reference = serializers.CharField()
    imported_at = Instant()
    approval = ApprovalOut(allow_null=True, default=None)


class RunnerOut(Shape):
    number = Whole(source="runner.number")
    name = serializers.CharField(source="runner.name")
    driver = serializers.CharField(source="runner.driver")
    trainer = serializers.CharField(source="runner.trainer")
    sex_age = serializers.CharField(source="runner.sex_age")
    distance_m = Whole(source="runner.distance_m", allow_null=True)
    withdrawn = Flag()
    unconfirmed = Flag(help_text="Withdrawn, and waiting for the second person.")
    trace = serializers.ListField(
        child=Whole(),
        help_text="The numbers its bets pass through, up to the one they count on now [5.4.1].",
    )


class RaceOut(Shape):
    id = Whole(source="race.pk")
    racecourse = serializers.CharField(source="race.racecourse.code")
    number = Whole(source="race.number")
    name = serializers.CharField(source="race.name")
    scheduled_start_at = Instant(source="race.scheduled_start_at")
    distance_m = Whole(source="race.distance_m", allow_null=True)
    start_method = serializers.CharField(source="race.start_method")
    conditions = serializers.CharField()
    state = Choice([state.value for state in RaceState], source="record.state")
    actual_start_at = Instant(source="record.start.actual_start_at", allow_null=True, default=None)
    winners = serializers.ListField(child=Whole(), help_text="Empty while there is no result.")
    draw = Uuid(
        source="record.draw.ident",
        allow_null=True,
        default=None,
        help_text="Its public draw, at `/api/v1/draws/<id>`.",
    )
    runners = RunnerOut(many=True)


class MeetingDetailOut(MeetingOut):
    races = RaceOut(many=True)


class MeetingQuery(PageQuery):
    day = Day(required=False, help_text="Only the meetings of a day.")


class Racecourses(StaffView):
    @operation("Racecourses", answer=RacecourseOut, paged=True, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        return self.rows(RacecourseOut, Racecourse.objects.all(), self.query(PageQuery))


class Programmes(StaffView):
    body_limit_bytes = MAX_BYTES

    @operation(
        "Import a programme",
        description=(
            "JSON or CSV in the format of docs/programme-format.md. A programme with an error is "
            "refused completely; the refusal names every error and its place. The same "
            "programme again answers the same meeting."
        ),
        body=ProgrammeIn,
        body_media_types=tuple(FORMATS),
        answer=MeetingOut,
        status=201,
        problems=(ProgrammeInvalid, official.ProgrammeRecorded, official.RacecourseDiffers),
        example=samples.PROGRAMME,
        answer_example=samples.MEETING,
        power=powers.IMPORT_PROGRAMME,
    )
    def post(self, request: Request) -> HttpResponse:
        content_type = request._request.content_type
        if content_type not in FORMATS:
            raise UnsupportedMediaType(accepts=list(FORMATS))
        meeting = official.programme_import(
            by=self.by,
            data=request._request.body,
            format=FORMATS[content_type],  # type: ignore[arg-type]
        )
        return self.answer(MeetingOut, meeting, 201)


class Meetings(StaffView):
    @operation(
        "Meetings, newest first",
        answer=MeetingOut,
        paged=True,
        query=MeetingQuery,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(MeetingQuery)
        meetings = official.meetings()
        if "day" in query:
            meetings = meetings.filter(day=query["day"])
        return self.rows(MeetingOut, meetings, query, newest_first=True)


class OneMeeting(StaffView):
    @operation(
        "A meeting with its races and runners",
        answer=MeetingDetailOut,
        problems=(MeetingUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, meeting: int) -> HttpResponse:
        row: Any = official.meeting_get(meeting)
        races = RaceOut(meeting_cards(row), many=True).data
        return json_response(MeetingOut(row).data | {"races": races})


class Approval(StaffView):
    @operation(
        "Record the Federation's approval (14.III.5.2)",
        body=ApprovalIn,
        answer=ApprovalOut,
        status=201,
        problems=(
            MeetingUnknown,
            official.ApprovalIncomplete,
            official.ApprovalAhead,
            official.ApprovalRecorded,
        ),
        example=samples.APPROVAL,
        power=powers.APPROVE_PROGRAMME,
    )
    def post(self, request: Request, meeting: int) -> HttpResponse:
        body = self.read(ApprovalIn)
        row = official.meeting_get(meeting)
        approval = official.approval_record(by=self.by, meeting=row, **body)
        return self.answer(ApprovalOut, approval, 201)


class InternalBets(StaffView):
    @operation(
        "Record which internal bet types the meeting has, all of them (14.I.1) [E16]",
        "No contest on it opens before. A newer list replaces it; the same again changes nothing.",
        body=InternalBetsIn,
        answer=InternalBetsOut,
        status=201,
        problems=(
            MeetingUnknown,
            internal_bets.EmptinessUnsaid,
            internal_bets.SourceMissing,
            internal_bets.DatedAhead,
            internal_bets.TypeRepeated,
        ),
        example=samples.INTERNAL_BETS,
        power=powers.PREPARE_CONTEST,
    )
    def post(self, request: Request, meeting: int) -> HttpResponse:
        body = self.read(InternalBetsIn)
        row = official.meeting_get(meeting)
        recorded = internal_bets.internal_bets_record(by=self.by, meeting=row, **body)
        return self.answer(InternalBetsOut, recorded, 201)


class MeetingPoster(PaperView, StaffView):
    forms = PAGES

    @operation(
        "The poster of a meeting, for the wall (5.2, 6.2)",
        query=LanguageQuery,
        problems=(MeetingUnknown, ProgrammeNotApproved, NothingPublished),
        power=powers.READ,
    )
    def get(self, request: Request, meeting: int, form: str) -> HttpResponse:
        language = self.language()
        content = meeting_poster(
            meeting=official.meeting_get(meeting), output=Output(form), language=language
        )
        return self.paper(content, form)
