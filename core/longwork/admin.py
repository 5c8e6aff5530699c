"""Show long work to the person who asked for it: its progress, its result and its file."""

import functools
from http import HTTPStatus
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.defaultfilters import filesizeformat
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.columns import NOTHING, day, tag, whole
from core.admin_support.documents import as_html
from core.admin_support.readonly import ReadOnlyAdmin
from core.api.papers import as_file
from core.kernel.errors import DomainError
from core.longwork import powers, selectors, services
from core.longwork.kinds import kind_named, kinds
from core.longwork.models import LongWork
from core.looks.recording import EXPORT, look

_UNEXPECTED = _(
    "Something unexpected. The technicians find it in the log, by the number of this work."
)


@admin.register(LongWork)
class LongWorkAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("title", "about", "state", "asked_by", "asked_at", "ended_at")
    shown = (
        *("title", "about", "asked_by", "asked_at", "started_at", "ended_at"),
        *("fault_told", "did", "file", "file_sha256"),
    )
    told = ("state",)
    list_filter = ("state",)
    list_select_related = ("asked_by",)
    asks = ("asked_at",)
    sortable_by = ()
    change_form_outer_before_template = "longwork/page.html"

    def get_queryset(self, request: HttpRequest) -> "QuerySet[LongWork]":
        """Return the work that the person may see."""
        by = signed_on.actor(request)
        return selectors.work_of(by) if by.may(powers.READ) else LongWork.objects.none()

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of a work's progress and of its file."""
        guarded = self.admin_site.admin_view
        own = [
            path(
                f"<int:pk>/{name}/",
                guarded(functools.partial(view, self)),
                name=f"longwork_longwork_{name}",
            )
            for name, view in (("progress", _progress), ("file", _file))
        ]
        return [*own, *super().get_urls()]

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        page = super().changeform_view(request, object_id, *args, **kwargs)
        if page.status_code == HTTPStatus.OK:
            work = self.get_object(request, object_id or "")
            page.context_data |= _context(request, work)  # type: ignore[attr-defined]
        return page

    @admin.display(description=_("work"))
    def title(self, row: LongWork) -> Any:
        kind = kinds().get(row.kind)
        return kind.title if kind else row.kind

    @admin.display(description=_("about"))
    def about(self, row: LongWork) -> Any:
        kind = kinds().get(row.kind)
        try:
            return (kind and kind.about(row.content)) or NOTHING
        except DomainError:
            return NOTHING

    @admin.display(description=_("state"))
    def state(self, row: LongWork) -> Any:
        return tag(row.state, row.get_state_display())

    @admin.display(description=_("what went wrong"))
    def fault_told(self, row: LongWork) -> Any:
        if not row.fault:
            return NOTHING
        sentence = _UNEXPECTED if row.fault == services.UNEXPECTED else gettext(row.fault_says)
        details = as_html(row.fault_data) if row.fault_data else ""
        return format_html("{} <code>{}</code> {}", sentence, row.fault, details)

    @admin.display(description=_("what it did"))
    def did(self, row: LongWork) -> Any:
        return as_html(row.result) if row.result else NOTHING

    @admin.display(description=_("file"))
    def file(self, row: LongWork) -> Any:
        if not row.file_name:
            return NOTHING
        size = filesizeformat(row.file_bytes)
        if row.gone_at:
            return format_html("{} · {} · {}", row.file_name, size, gettext("no longer kept"))
        until = gettext("kept until %(day)s") % {"day": day(row.kept_until)}
        return format_html("{} · {} · {}", row.file_name, size, until)


def _context(request: HttpRequest, work: LongWork) -> dict[str, Any]:
    """Return the context of the templates that show the progress of a piece of work."""
    kind = kinds().get(work.kind)
    step = kind.step_title(work.step) if kind and work.step else work.step
    per_mille = work.done * 1000 // work.total if work.total else 0
    if work.steps:
        per_mille = ((work.number - 1) * 1000 + per_mille) // work.steps
    return {
        "work": work,
        "mine": work.asked_by_id == signed_on.actor(request).user_id,
        "state": tag(work.state, work.get_state_display()),
        "step": step,
        "percent": per_mille // 10 if work.total or work.steps else None,
        "done": whole(work.done),
        "total": whole(work.total) if work.total else "",
        "progress_url": reverse("admin:longwork_longwork_progress", args=[work.pk]),
        "file_url": reverse("admin:longwork_longwork_file", args=[work.pk]),
    }


def _asked(request: HttpRequest, pk: int) -> LongWork:
    if not signed_on.may(request, powers.READ):
        raise Http404
    work = selectors.work_of(signed_on.actor(request)).filter(pk=pk).first()
    if work is None:
        raise Http404
    return work


def _progress(page: LongWorkAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    work = _asked(request, pk)
    response = TemplateResponse(request, "longwork/progress.html", _context(request, work))
    response["Cache-Control"] = "no-store"
    return response


def _file(page: LongWorkAdmin, request: HttpRequest, pk: int) -> HttpResponseBase:
    """Answer with the file, after its download is on record."""
    try:
        work = services.work_file(by=signed_on.actor(request), pk=pk)
    except DomainError as error:
        raise Http404 from error
    kind = kind_named(work.kind)
    look(EXPORT, f"longwork:{work.pk}", asked=f"{kind.name} {work.file_name}")
    response = StreamingHttpResponse(services.work_parts(work), content_type=work.file_type)
    response["Content-Length"] = str(work.file_bytes)
    return as_file(response, work.file_name)
