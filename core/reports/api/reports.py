"""Serve reports as rows and as files."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.papers import CSV, CSV_FORM, JSON, XLSX, Form, PaperView, json_form
from core.api.schema import operation
from core.api.shapes import Choice, Day, Flag, Shape
from core.api.views import StaffView, json_response
from core.database.reading.limits import ReadingTooLong
from core.ledger.openings import LedgerArchived
from core.longwork.api.work import WorkOut
from core.longwork.services import WorkBusy
from core.reports import outputs, powers, selectors
from core.reports.long_work import FORMS, file_ask
from core.reports.tables import Period, PeriodRefused, ReportUnknown

_PROBLEMS = (ReportUnknown, PeriodRefused, ReadingTooLong, LedgerArchived)


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
    @operation("Reports there are", answer=ReportsOut, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        reports = selectors.reports(by=self.by)
        return json_response({"items": ReportOut(reports, many=True).data})


class OneReport(PaperView, StaffView):
    forms = (json_form(ReportTableOut), CSV_FORM, Form(XLSX, outputs.XLSX))

    @operation(
        "A report: rows by the names of its columns, CSV, or a spreadsheet",
        query=PeriodQuery,
        problems=_PROBLEMS,
        power=powers.READ,
    )
    def get(self, request: Request, name: str, form: str) -> HttpResponse:
        table = selectors.report(by=self.by, name=name, **self.query(PeriodQuery))
        if form == JSON:
            return json_response(outputs.as_document(table))
        content = outputs.as_csv(table).encode() if form == CSV else outputs.as_xlsx(table)
        return self.download(content, form, name=name)


class LongFileIn(PeriodQuery):
    form = Choice(tuple(FORMS))


class LongFile(StaffView):
    @operation(
        "Let a worker write a report to a file, however long it takes to read",
        "The answer is long work: read `long-work/{id}` until it has ended, then"
        " `long-work/{id}/file`. A caller that asks for the same file meanwhile is given the same"
        " work.",
        body=LongFileIn,
        answer=WorkOut,
        status=202,
        problems=(ReportUnknown, PeriodRefused, WorkBusy),
        example={"first": "2027-01-01", "last": "2027-12-31", "form": "csv"},
        power=powers.READ,
    )
    def post(self, request: Request, name: str) -> HttpResponse:
        body = self.read(LongFileIn)
        period = Period(*selectors.days_asked(body.get("first"), body.get("last")))
        work = file_ask(by=self.by, name=name, period=period, form=body["form"])
        return self.answer(WorkOut, work, 202)
