"""Reports, as rows and as files."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Day, Flag, Shape
from core.api.views import StaffView, json_response
from core.reports import outputs, selectors
from core.reports.registry import PeriodRefused, ReportUnknown, Table
from core.statements.api.statements import as_file

_PROBLEMS = (ReportUnknown, PeriodRefused)


class PeriodQuery(Shape):
    first = Day(required=False, help_text="The last thirty days unless given.")
    last = Day(required=False)


class ReportOut(Shape):
    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    dated = Flag(help_text="false: what holds now, whatever the period.")


class ReportsOut(Shape):
    items = ReportOut(many=True)


class ReportColumnOut(Shape):
    name = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.CharField(help_text="text, day, moment, whole or cents.")


class ReportTableOut(Shape):
    report = serializers.CharField()
    first = Day()
    last = Day()
    columns = ReportColumnOut(many=True)
    rows = serializers.ListField(
        child=serializers.DictField(), help_text="By the names of the columns."
    )
    totals = serializers.DictField(help_text="Of the columns that are summed.")


class Reports(StaffView):
    @operation("Reports there are", answer=ReportsOut)
    def get(self, request: Request) -> HttpResponse:
        found = selectors.reports(by=self.by)
        return json_response({"items": ReportOut(found, many=True).data})


class _Table(StaffView):
    def table(self, name: str) -> Table:
        query: dict[str, Any] = self.query(PeriodQuery)
        return selectors.report(by=self.by, name=name, **query)


class OneReport(_Table):
    @operation("A report", answer=ReportTableOut, query=PeriodQuery, problems=_PROBLEMS)
    def get(self, request: Request, name: str) -> HttpResponse:
        return json_response(outputs.as_document(self.table(name)))


class ReportCsv(_Table):
    @operation(
        "A report as CSV",
        answer=OpenApiTypes.STR,
        media_type="text/csv",
        query=PeriodQuery,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, name: str) -> HttpResponse:
        content = outputs.as_csv(self.table(name)).encode()
        return as_file(content, "text/csv; charset=utf-8", f"{name}.csv")


class ReportXlsx(_Table):
    @operation(
        "A report as a spreadsheet",
        answer=OpenApiTypes.BINARY,
        media_type=outputs.XLSX,
        query=PeriodQuery,
        problems=_PROBLEMS,
    )
    def get(self, request: Request, name: str) -> HttpResponse:
        return as_file(outputs.as_xlsx(self.table(name)), outputs.XLSX, f"{name}.xlsx")
