"""Describe each problem code, at the address that the `type` of a problem names."""

from django.http import HttpResponse
from django.utils.translation import gettext
from rest_framework import serializers
from rest_framework.request import Request

from core.api import catalogue
from core.api.errors import ProblemUnknown
from core.api.schema import operation
from core.api.shapes import Flag, Shape, Whole
from core.api.views import ApiView, json_response


class ProblemKindOut(Shape):
    code = serializers.CharField()
    status = Whole()
    title = serializers.SerializerMethodField()
    transient = Flag(help_text="The same request may succeed later.")

    def get_title(self, entry: catalogue.Entry) -> str:
        return gettext(entry.title)


class ProblemKindsOut(Shape):
    items = ProblemKindOut(many=True)


class Problems(ApiView):
    @operation("Every problem code", answer=ProblemKindsOut)
    def get(self, request: Request) -> HttpResponse:
        entries = catalogue.entries().values()
        return json_response({"items": ProblemKindOut(list(entries), many=True).data})


class OneProblem(ApiView):
    for_terminals = True

    @operation("A problem code", answer=ProblemKindOut, problems=(ProblemUnknown,))
    def get(self, request: Request, code: str) -> HttpResponse:
        entry = catalogue.entries().get(code)
        if entry is None:
            raise ProblemUnknown
        return self.answer(ProblemKindOut, entry)
