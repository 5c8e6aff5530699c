"""Write a list of any length to a file, as long work."""

import tempfile
from contextlib import ExitStack
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import SuspiciousOperation
from django.db.models import QuerySet
from django.utils.text import capfirst

from core.admin_support import signed_on
from core.admin_support.lists import files
from core.database.reading.limits import limited
from core.database.reading.snapshot import only_reading
from core.database.reading.standby import read_much
from core.kernel.errors import Conflict, Invalid
from core.longwork.kinds import Content, File, Outcome
from core.looks.recording import look_at_list
from core.receipts.document import present_language
from core.reports.outputs import XLSX
from core.staff.actor import PowerMissing, StaffActor

MOST = {"csv": 5_000_000, "xlsx": 1_000_000}
"""Rows in a file: a sheet has no more than 1,048,576."""


class ListTooLong(Conflict):
    """`data["most"]` is how many rows a file of that form can have."""

    code = "list_too_long"
    message = "The list is too long for a file. Ask for less, for example by day."


class ListUnknown(Invalid):
    code = "list_unknown"
    message = "There is no such list, or it has no such condition."


def _page(content: Content) -> Any:
    """Return the page of the administration that shows the list. Raises ListUnknown."""
    admin.autodiscover()  # a worker serves no pages
    try:
        return admin.site.get_model_admin(apps.get_model(content["table"]))
    except (LookupError, NotRegistered) as error:
        raise ListUnknown(table=content["table"]) from error


def export(by: StaffActor, content: Content) -> Outcome:
    """Write the list that the person asked for, once it is on record who takes it."""
    page, form = _page(content), content["form"]
    request = signed_on.request_of(by, content["query"])
    if not page.has_view_permission(request):
        raise PowerMissing(act=page.read_power)
    try:
        rows = page.get_changelist_instance(request).queryset
    except (IncorrectLookupParameters, SuspiciousOperation) as error:
        raise ListUnknown(table=content["table"]) from error
    count = rows.order_by().count
    total = read_much(limited(settings.NIGHT_LIMIT_S)(only_reading()(count)))
    if total > MOST[form]:
        raise ListTooLong(most=MOST[form], rows=total)
    look_at_list(page.model, asked=f"{form} {content['query']}")
    written = read_much(lambda: _written(page, rows, form, total))
    media_type = XLSX if form == "xlsx" else "text/csv; charset=utf-8"
    return Outcome({"rows": total}, File(written, files.name_of(page, form), media_type))


def _written(page: Any, rows: "QuerySet[Any]", form: str, total: int) -> Any:
    """Return an open file with the rows, begun anew each time."""
    if form == "xlsx":
        return files.as_xlsx(page, rows, total)
    with ExitStack() as failed:
        written: Any = failed.enter_context(tempfile.TemporaryFile())
        written.writelines(files.as_csv(page, rows, present_language(), total))
        written.seek(0)
        failed.pop_all()  # who keeps it closes it
    return written


def about(content: Content) -> str:
    model = apps.get_model(content["table"])
    return f"{capfirst(str(model._meta.verbose_name_plural))} · {content['form'].upper()}"
