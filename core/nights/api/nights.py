"""Serve what the nightly jobs did and what they left undone, and have a worker do what is due."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Day, Flag, Instant, PageQuery, Shape, Text, Whole
from core.api.views import StaffView, json_response
from core.database.clock import ClockUnsound
from core.longwork.api.work import WorkOut
from core.longwork.services import WorkBusy
from core.nights import long_work, powers, selectors, services
from core.nights.models import JobRun


class RunQuery(PageQuery):
    day = Day(default=None)
    job = Text(max_length=60, default="")
    state = Choice(JobRun.State.values, required=False, default="")


class RunOut(Shape):
    id = Whole()
    job = serializers.CharField()
    day = Day()
    state = Choice(JobRun.State.values)
    attempts = Whole()
    started_at = Instant()
    ended_at = Instant(allow_null=True)
    counts = serializers.DictField(help_text="What it did, in numbers by name.")
    listed = serializers.DictField(help_text="What a person should look at: rows by name.")
    error = serializers.CharField()


class DueOut(Shape):
    job = serializers.CharField(source="job.name")
    day = Day()
    failed = Flag()
    missed = Flag(help_text="Not done six hours after its day ended.")


class NightIn(Shape):
    until = Day(default=None, allow_null=True, help_text="The last day to do; else yesterday.")


class DuesOut(Shape):
    items = DueOut(many=True)


class Nights(StaffView):
    @operation("Jobs of nights", answer=RunOut, paged=True, query=RunQuery, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        query = self.query(RunQuery)
        runs = selectors.job_runs(
            by=self.by, day=query["day"], job=query["job"], state=query["state"]
        )
        return self.rows(RunOut, runs, query, newest_first=True)

    @operation(
        "Have a worker run what is due",
        "The answer is long work: read `long-work/{id}` until it has ended. Who asks for the same"
        " night meanwhile is given the same work. It fails with `night_jobs_failed` if a job"
        " failed, and with `night_running` or `not_quiet` if it could not begin: ask again then.",
        body=NightIn,
        answer=WorkOut,
        status=202,
        problems=(services.DayNotOver, ClockUnsound, WorkBusy),
        example={"until": None},
        power=powers.RUN,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(NightIn)
        work = long_work.night_ask(by=self.by, until=body["until"])
        return self.answer(WorkOut, work, 202)


class Undone(StaffView):
    @operation("Jobs that ended days have left undone", answer=DuesOut, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        open_jobs = selectors.jobs_open(by=self.by)
        return json_response({"items": DueOut(open_jobs, many=True).data})
