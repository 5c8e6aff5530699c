"""List the long work of reports: the file of a report that takes too long to read for a request."""

import datetime
import io

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from core.longwork.kinds import Content, File, Outcome, WorkKind
from core.longwork.models import LongWork
from core.longwork.services import work_ask
from core.looks.recording import EXPORT, look
from core.reports import outputs, powers, selectors, tables
from core.reports.tables import Period
from core.staff.actor import StaffActor

FILE = "reports.file"
FORMS = {"csv": "text/csv; charset=utf-8", "xlsx": outputs.XLSX}


def file_ask(*, by: StaffActor, name: str, period: Period, form: str) -> LongWork:
    """Ask a worker to write a report to a file; `form` is "csv" or "xlsx".

    Raises PowerMissing, ReportUnknown, WorkBusy.
    """
    tables.report_named(name)
    content = {
        "report": name,
        "first": period.first.isoformat(),
        "last": period.last.isoformat(),
        "form": form,
    }
    return work_ask(kind=FILE, by=by, content=content)


def _period(content: Content) -> Period:
    first, last = (datetime.date.fromisoformat(content[name]) for name in ("first", "last"))
    return Period(first, last)


def _write(by: StaffActor, content: Content) -> Outcome:
    """Read the report for as long as a night may, once it is on record who takes it."""
    period, form, name = _period(content), content["form"], content["report"]
    look(EXPORT, f"report:{name}", asked=f"{form} {period.first} {period.last}")
    table = selectors.report(
        by=by,
        name=name,
        first=period.first,
        last=period.last,
        limit_s=settings.NIGHT_LIMIT_S,
    )
    written = outputs.as_csv(table).encode() if form == "csv" else outputs.as_xlsx(table)
    file = File(io.BytesIO(written), f"{name}-{period.first}-{period.last}.{form}", FORMS[form])
    return Outcome({"rows": len(table.rows)}, file)


def _about(content: Content) -> str:
    title, period = tables.report_named(content["report"]).title, _period(content)
    days = f"{period.first:%d/%m/%Y} – {period.last:%d/%m/%Y}"
    return f"{title} · {days} · {content['form'].upper()}"


KINDS: tuple[WorkKind, ...] = (
    WorkKind(
        name=FILE,
        title=_("A report as a file"),
        power=powers.READ,
        run=_write,
        shared=False,
        about=_about,
    ),
)
