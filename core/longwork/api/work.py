"""Serve the progress and the result of long work."""

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import as_file
from core.api.schema import operation
from core.api.shapes import Choice, Day, Instant, PageQuery, Shape, Whole
from core.api.views import StaffView
from core.longwork import powers, selectors, services
from core.longwork.kinds import WorkUnknown
from core.longwork.models import LongWork
from core.looks.recording import EXPORT, look

_ANY = "application/octet-stream"


class WorkOut(Shape):
    id = Whole()
    kind = serializers.CharField()
    content = serializers.DictField(help_text="What exactly was asked for.")
    asked_by = Whole(source="asked_by_id")
    asked_at = Instant()
    state = Choice(
        LongWork.State.values, help_text="cut_off: the worker was stopped; ask for it again."
    )
    started_at = Instant(allow_null=True)
    ended_at = Instant(allow_null=True)
    step = serializers.CharField()
    number = Whole(help_text="Which step it is, of `steps`.")
    steps = Whole()
    done = Whole(help_text="How much of the step is done, of `total`; 0: nobody can say.")
    total = Whole()
    result = serializers.DictField(help_text="What it did, in numbers by name.")
    fault = serializers.CharField(help_text="The code of what went wrong; empty: nothing.")
    fault_data = serializers.DictField()
    file_name = serializers.CharField(help_text="Empty: it has no file.")
    file_sha256 = serializers.CharField()
    kept_until = Day(allow_null=True)


class Works(StaffView):
    @operation(
        "Long work, newest first: one's own; an inspector's and auditor's is everybody's",
        answer=WorkOut,
        paged=True,
        power=powers.READ,
    )
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PageQuery)
        return self.rows(WorkOut, selectors.work_of(self.by), query, newest_first=True)


class OneWork(StaffView):
    @operation("Long work", answer=WorkOut, problems=(WorkUnknown,), power=powers.READ)
    def get(self, request: Request, work: int) -> HttpResponse:
        row = selectors.work_of(self.by).filter(pk=work).first()
        if row is None:
            raise WorkUnknown
        return self.answer(WorkOut, row)


class WorkFile(StaffView):
    @operation(
        "The file of long work, for who asked for it",
        "It is given while it is kept, and to who may still do the work. `file_sha256` is its"
        " SHA-256, and Content-Type that of its form.",
        answer=OpenApiTypes.BINARY,
        media_type=_ANY,
        problems=(WorkUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, work: int) -> HttpResponse | StreamingHttpResponse:
        row = services.work_file(by=self.by, pk=work)
        look(EXPORT, f"longwork:{row.pk}", asked=f"{row.kind} {row.file_name}")
        parts = services.work_parts(row)
        response = StreamingHttpResponse(parts, content_type=row.file_type)
        response["Content-Length"] = str(row.file_bytes)
        return as_file(response, row.file_name)
