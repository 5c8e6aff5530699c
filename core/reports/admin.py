"""Show reports in the admin: a list, and each report with its chart, table and files."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.formats import localize
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import columns, signed_on
from core.admin_support.acts import Act, Done
from core.admin_support.contents import Keep, Page, Place
from core.admin_support.forms import ActForm
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.api.papers import as_file
from core.database.reading.limits import ReadingTooLong
from core.kernel.errors import DomainError
from core.reports import charts, mailing, outputs, powers, selectors, tables
from core.reports.long_work import FORMS, file_ask
from core.reports.models import ReportMail, ReportOrder
from core.reports.tables import Kind, Period, ReportUnknown, Table
from core.staff.actor import StaffActor

MOST_ROWS = 2_000
# What the sums of a period are compared with, by the name in the address.
COMPARED = {
    "before": (_("the period before"), Period.before),
    "year": (_("the same days of the week, a year before"), Period.year_before),
}


def _listed(request: HttpRequest) -> HttpResponse:
    if not signed_on.may(request, powers.READ):
        raise PermissionDenied
    links = [
        (reverse("admin:report", args=[report.name]), report.title, report.about)
        for report in selectors.reports(by=signed_on.actor(request))
    ]
    context = admin.site.each_context(request) | {"title": _("Reports"), "reports": links}
    return TemplateResponse(request, "reports/list.html", context)


def _table(request: HttpRequest, name: str) -> Table:
    if not signed_on.may(request, powers.READ):
        raise PermissionDenied
    try:
        return selectors.report(
            by=signed_on.actor(request),
            name=name,
            first=_day(request, "first"),
            last=_day(request, "last"),
        )
    except ReportUnknown as error:
        raise Http404 from error


def _day(request: HttpRequest, name: str) -> datetime.date | None:
    """Return the day of a query parameter, or None if it is not a day."""
    try:
        return datetime.date.fromisoformat(request.GET.get(name, ""))
    except ValueError:
        return None


def _compared(request: HttpRequest, table: Table) -> list[list[tuple[Any, bool]]]:
    """Return the sums of the other period that the person asks for, and the changes since."""
    comparison = COMPARED.get(request.GET.get("with", ""))
    summed = [column.summed for column in table.report.columns]
    if comparison is None or not table.report.dated or not any(summed):
        return []
    period = comparison[1](table.period)
    by = signed_on.actor(request)
    other = selectors.report(
        by=by, name=table.report.name, first=period.first, last=period.last
    ).totals
    kinds = [column.kind for column in table.report.columns]
    then = f"{columns.day(period.first)} – {columns.day(period.last)}"
    changes = [
        _change(now, before) if is_summed else ""
        for now, before, is_summed in zip(table.totals, other, summed, strict=True)
    ]
    return [
        [(then, False), *_cells(other, kinds)[1:]],
        [(gettext("change"), False), *((change, True) for change in changes[1:])],
    ]


def _change(now: int, before: int) -> str:
    """Return a change in percent, to a tenth, the half away from zero: "+12,5 %"."""
    if not before:
        return "–"
    tenths, sign = abs(now - before) * 1000, "+" if now >= before else "-"
    rounded = (2 * tenths + abs(before)) // (2 * abs(before))
    return f"{sign}{localize(Decimal(rounded) / 10)} %"


def _one(request: HttpRequest, name: str) -> HttpResponse:
    try:
        table = _table(request, name)
        compared = _compared(request, table)
    except DomainError as error:
        files = _files(name, f"?{request.GET.urlencode()}")
        offered = files if isinstance(error, ReadingTooLong) else {}
        context = {"title": _("Reports"), "refusal": gettext(error.message), **offered}
        return TemplateResponse(
            request, "reports/one.html", admin.site.each_context(request) | context
        )
    report = table.report
    query = f"?first={table.period.first}&last={table.period.last}"
    kinds = [column.kind for column in report.columns]
    context = admin.site.each_context(request) | {
        "title": report.title,
        "report": report,
        "period": table.period,
        "chart": charts.svg(table),
        "headers": [column.title for column in report.columns],
        "rows": [_cells(row, kinds) for row in table.rows[:MOST_ROWS]],
        "left_off": max(0, len(table.rows) - MOST_ROWS),
        "totals": _cells(table.totals, kinds) if table.rows else [],
        "compared": compared,
        "choices": [(key, words) for key, (words, _of) in COMPARED.items()],
        "chosen": request.GET.get("with", ""),
        **_files(report.name, query),
        "mail": reverse("admin:reports_reportorder_changelist") + f"order/?report={report.name}",
        "back": reverse("admin:reports"),
    }
    return TemplateResponse(request, "reports/one.html", context)


def _files(name: str, query: str) -> dict[str, str]:
    """Return the addresses of a report's files by their form."""
    return {form: reverse(f"admin:report_{form}", args=[name]) + query for form in FORMS}


def _cells(row: tuple[Any, ...], kinds: list[Kind]) -> list[tuple[Any, bool]]:
    """Return each cell as text for people, and whether it is a number."""
    return [(_cell(v, k), k in (Kind.CENTS, Kind.WHOLE)) for v, k in zip(row, kinds, strict=True)]


def _cell(value: Any, kind: Kind) -> Any:
    if value is None:
        return ""
    match kind:
        case Kind.CENTS:
            return columns.money(value)
        case Kind.DAY:
            return columns.day(value)
        case Kind.MOMENT:
            return columns.moment(value)
        case _:
            return value


def _csv(request: HttpRequest, name: str) -> HttpResponse:
    return _written(request, name, "csv", lambda table: outputs.as_csv(table).encode())


def _xlsx(request: HttpRequest, name: str) -> HttpResponse:
    return _written(request, name, "xlsx", outputs.as_xlsx)


def _written(
    request: HttpRequest, name: str, form: str, write: Callable[[Table], bytes]
) -> HttpResponse:
    """Answer with the file; one that takes too long is offered as long work, which a POST asks
    for.
    """
    if request.method == "POST":
        return _asked(request, name, form)
    try:
        content = write(_table(request, name))
    except ReadingTooLong:
        context = admin.site.each_context(request) | {
            "title": gettext("A long report"),
            "form": form.upper(),
            "back": f"{reverse('admin:report', args=[name])}?{request.GET.urlencode()}",
        }
        return TemplateResponse(request, "reports/later.html", context, status=409)
    return as_file(HttpResponse(content, content_type=FORMS[form]), f"{name}.{form}")


def _asked(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """Ask for the file as long work, and show how far it is. Raises PermissionDenied, Http404."""
    if not signed_on.may(request, powers.READ):
        raise PermissionDenied
    try:
        period = Period(*selectors.days_asked(_day(request, "first"), _day(request, "last")))
        work = file_ask(by=signed_on.actor(request), name=name, period=period, form=form)
    except ReportUnknown as error:
        raise Http404 from error
    except DomainError as error:
        answer: HttpResponse = admin.site.refusal(  # type: ignore[attr-defined]
            request, 409, gettext("Not done"), error.message
        )
        return answer
    return HttpResponseRedirect(columns.url_of(work))


def _orders(request: HttpRequest) -> HttpResponse:
    """Show the list of orders, whose address could be that of a report."""
    page: HttpResponse = admin.site.get_model_admin(ReportOrder).changelist_view(request)
    return page


def _urls(keep: Keep) -> list[URLPattern]:
    return [
        path("reports/", keep(_listed), name="reports"),
        path("reports/reportorder/", keep(_orders), name="report_orders"),
        path("reports/<slug:name>/", keep(_one), name="report"),
        path("reports/<slug:name>.csv", keep(_csv), name="report_csv"),
        path("reports/<slug:name>.xlsx", keep(_xlsx), name="report_xlsx"),
    ]


PAGE = Page(
    title=_("Reports"),
    icon="bar_chart",
    name="reports",
    place=Place.MONEY,
    order=50,
    power=powers.READ,
    urls=_urls,
)


class _Order(ActForm):
    report = forms.ChoiceField(label=_("Report"))
    every = forms.ChoiceField(label=_("How often"), choices=ReportOrder.Every.choices)
    kind = forms.ChoiceField(label=_("Form"), choices=ReportOrder.Form.choices)
    address = forms.EmailField(label=_("Address"), max_length=200)

    def build(self) -> None:
        chosen: Any = self.fields["report"]
        chosen.choices = [(each.name, each.title) for each in tables.reports()]
        chosen.initial = self.asked.get("report")


def _order(by: StaffActor, target: Any, data: dict[str, Any]) -> Done:
    return Done(_("Ordered."), row=mailing.order_make(by=by, **data))


def _end(by: StaffActor, target: ReportOrder, data: dict[str, Any]) -> Done:
    mailing.order_end(by=by, pk=target.pk)
    return Done(_("The order is ended."))


ORDER = Act(
    name="order",
    title=_("Order a report by mail"),
    power=powers.READ,
    run=_order,
    form=_Order,
    icon="forward_to_inbox",
    text=_("It is sent in the night after each day, week or month, and each mail is on record."),
)
END = Act(
    name="end",
    title=_("End the order"),
    power=powers.READ,
    run=_end,
    icon="cancel",
    offered=lambda by, order: order.owner_id == by.user_id and order.ended_at is None,
)


class _CutOff(ActForm):
    mail = forms.ChoiceField(label=_("Mail"))
    arrived = forms.ChoiceField(
        label=_("It arrived"),
        choices=(("yes", _("Yes: it stays as sent")), ("no", _("No: a night sends it again"))),
        widget=forms.RadioSelect,
    )

    def build(self) -> None:
        chosen: Any = self.fields["mail"]
        chosen.choices = [(mail.pk, columns.day(mail.last_day)) for mail in _sending(self.target)]


def _sending(order: ReportOrder) -> "QuerySet[ReportMail]":
    return order.mails.filter(state=ReportMail.State.SENDING).order_by("last_day")


def _settle(by: StaffActor, target: ReportOrder, data: dict[str, Any]) -> Done:
    mailing.mail_settle(by=by, pk=int(data["mail"]), arrived=data["arrived"] == "yes")
    return Done(_("It is on record."))


SETTLE = Act(
    name="settle",
    title=_("Say whether a mail arrived"),
    power=powers.READ,
    run=_settle,
    form=_CutOff,
    icon="mark_email_unread",
    offered=lambda by, order: _sending(order).exists(),
    text=_("Its sending was cut off, so it may have gone out. Ask at the address first."),
)


class _Mails(ReadOnlyInline):
    model = ReportMail
    shown = ("first_day", "last_day", "state", "attempts", "begun_at", "ended_at", "fault")


@admin.register(ReportOrder)
class ReportOrderAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("title", "every", "kind", "address", "owner", "ordered_at", "ended_at")
    shown = ("title", "every", "kind", "address", "language", "owner", "ordered_at", "ended_at")
    told = ("report",)
    list_filter = ("every",)
    sortable_by = ()
    list_acts = (ORDER,)
    acts = (END, SETTLE)
    inlines = (_Mails,)

    @admin.display(description=_("report"))
    def title(self, row: ReportOrder) -> Any:
        titles = {each.name: each.title for each in tables.reports()}
        return titles.get(row.report, row.report)
