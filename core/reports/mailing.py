"""Order reports by mail, and send those that are due, each once.

The mail of a period is a row that is committed before the mail goes out, so a night that is
repeated sends nothing twice. It is read as the person who ordered it: a person who may no longer
read the report gets none, and each sending is a look on record.
"""

import datetime
from collections.abc import Iterator
from smtplib import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
)

import structlog
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.translation import gettext

from core.database import clock
from core.database.locks import Lock, session_hold
from core.journal.acting import acting
from core.kernel.days import add_days, day_bounds
from core.kernel.errors import Conflict, DomainError, Invalid, NotFound
from core.looks.recording import EXPORT, look
from core.nights.services import NightRunning
from core.receipts.document import present_language
from core.reports import outputs, powers, selectors, tables
from core.reports.models import ReportMail, ReportOrder
from core.staff.actor import StaffActor
from core.staff.services import actor_behind

CUT_OFF = "cut_off"
TRIED_DAYS = 7
"""For so many days a mail that could not be sent is tried again."""
FAULT_CHARS = 200
log = structlog.get_logger("reports")
Every, State = ReportOrder.Every, ReportMail.State


class MailNotSetUp(Conflict):
    code = "mail_not_set_up"
    message = "No mail is sent from here: MAIL_HOST or MAIL_DOMAINS is not set."


class AddressRefused(Invalid):
    """`data["domains"]` lists the domains to which reports may go."""

    code = "address_refused"
    message = "Reports go to addresses of the organiser's own domains only."


class OrderStands(Conflict):
    code = "order_stands"
    message = "You have ordered this already."


class OrderUnknown(NotFound):
    code = "order_unknown"
    message = "There is no such order, or it is not yours."


class MailNotCutOff(Conflict):
    code = "mail_not_cut_off"
    message = "There is no such mail that is still marked as being sent."


def order_make(*, by: StaffActor, report: str, every: str, kind: str, address: str) -> ReportOrder:
    """Order a report by mail, from the next period that ends.

    Raises PowerMissing, ReportUnknown, MailNotSetUp, AddressRefused, OrderStands.
    """
    by.need(powers.READ)
    tables.report_named(report)
    try:
        with transaction.atomic():
            return ReportOrder.objects.create(
                report=report,
                every=Every(every),
                kind=ReportOrder.Form(kind),
                address=_checked(address),
                language=present_language(),
                owner_id=by.user_id,
                ordered_in_id=by.session_id,
                ordered_at=clock.now(),
            )
    except IntegrityError as error:
        raise OrderStands from error


def order_end(*, by: StaffActor, pk: int) -> None:
    """End an order of the person's own. Raises PowerMissing, OrderUnknown."""
    by.need(powers.READ)
    own = ReportOrder.objects.filter(pk=pk, owner=by.user_id, ended_at=None)
    if not own.update(ended_at=clock.now()):
        raise OrderUnknown


def mail_settle(*, by: StaffActor, pk: int, arrived: bool) -> ReportMail:
    """Record whether a mail arrived whose sending was cut off; if not, a night sends it again.

    Nobody sends it meanwhile: no night runs. Raises PowerMissing, NightRunning, MailNotCutOff.
    """
    by.need(powers.READ)
    with session_hold(Lock.NIGHT) as alone:
        if not alone:
            raise NightRunning
        mail = ReportMail.objects.filter(pk=pk, state=State.SENDING).first()
        if mail is None:
            raise MailNotCutOff
        _ended(mail, State.SENT if arrived else State.FAILED, "" if arrived else CUT_OFF)
    mail.refresh_from_db()
    return mail


def _checked(address: str) -> str:
    """Return the address, if reports may go there. Raises MailNotSetUp, AddressRefused."""
    if not settings.EMAIL_HOST or not settings.MAIL_DOMAINS:
        raise MailNotSetUp
    address = address.strip()
    domain = address.rpartition("@")[2].lower()
    try:
        validate_email(address)
    except ValidationError as error:
        raise AddressRefused(domains=settings.MAIL_DOMAINS) from error
    if domain not in settings.MAIL_DOMAINS:
        raise AddressRefused(domains=settings.MAIL_DOMAINS)
    return address


def period_of(every: str, day: datetime.date) -> tables.Period | None:
    """Return the day, week or month that ends with a day; None if no such period ends then."""
    if every == Every.DAY:
        return tables.Period(day, day)
    if every == Every.WEEK:
        return tables.Period(add_days(day, -6), day) if day.isoweekday() == 7 else None
    return tables.Period(day.replace(day=1), day) if add_days(day, 1).day == 1 else None


def mails_send(day: datetime.date) -> dict[str, int]:
    """Send the reports of the periods that end with a day, and those that failed lately.

    Return how many were sent, refused, failed, and are called sending since a run before.
    """
    counts = {state.value: 0 for state in (State.SENT, State.REFUSED, State.FAILED, State.SENDING)}
    for order, period in _due(day):
        counts[str(_sent(order, period))] += 1
    return counts


def _due(day: datetime.date) -> Iterator[tuple[ReportOrder, tables.Period]]:
    end = day_bounds(day)[1]
    orders = ReportOrder.objects.filter(ended_at=None, ordered_at__lt=end)
    for order in orders.select_related("ordered_in__user").order_by("pk"):
        failed = order.mails.filter(
            state=State.FAILED, last_day__gte=add_days(day, -TRIED_DAYS), last_day__lt=day
        )
        for mail in failed.order_by("last_day"):
            yield order, tables.Period(mail.first_day, mail.last_day)
        period = period_of(order.every, day)
        done = (State.SENT, State.REFUSED)
        if period and not order.mails.filter(last_day=day, state__in=done).exists():
            yield order, period


def _sent(order: ReportOrder, period: tables.Period) -> str:
    """Send the report of a period, if nobody has begun to; return what became of it."""
    mail = _begun(order, period)
    if mail is None:
        return State.SENDING
    who = {"staff": order.owner_id, "staff_session": order.ordered_in_id}
    with acting("report:mail", **who), translation.override(order.language):
        try:
            message = _message(order, period)
        except DomainError as error:
            return _ended(mail, State.REFUSED, error.code)
        try:
            # The block also closes a connection on which the server refused TLS or the sign-on.
            with get_connection() as message.connection:
                message.send()
        except (SMTPException, OSError) as error:
            state, fault = _refusal(error)
            log.warning("report not sent", order=order.pk, fault=fault)
            return _ended(mail, state, fault)
        return _ended(mail, State.SENT)


def _refusal(error: Exception) -> tuple[str, str]:
    """Return what becomes of a mail that did not go out, and why, in the words of the server.

    A lasting refusal (5xx) of the address or of the mail is the end of it. All else is tried again:
    a refusal for now (4xx), a server that is away, and one that refuses us as the sender, since
    that is mended in the settings.
    """
    text: bytes | str
    if isinstance(error, SMTPRecipientsRefused):
        ((code, text),) = error.recipients.values()
    elif isinstance(error, SMTPResponseException):
        code, text = error.smtp_code, error.smtp_error
    else:
        return State.FAILED, type(error).__name__
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    lasting = 500 <= code < 600 and isinstance(error, SMTPRecipientsRefused | SMTPDataError)
    fault = f"{code} {' '.join(words.split())}"[:FAULT_CHARS]
    return (State.REFUSED if lasting else State.FAILED), fault


def _begun(order: ReportOrder, period: tables.Period) -> ReportMail | None:
    """Return the mail, for only this process to send; None if another has begun to send it."""
    now = clock.now()
    mail, is_new = ReportMail.objects.get_or_create(
        order=order,
        last_day=period.last,
        defaults={"first_day": period.first, "state": State.SENDING, "begun_at": now},
    )
    if is_new:
        return mail
    again = {"attempts": mail.attempts + 1, "ended_at": None, "fault": ""}
    failed = ReportMail.objects.filter(pk=mail.pk, state=State.FAILED, attempts=mail.attempts)
    return mail if failed.update(state=State.SENDING, **again) else None


def _message(order: ReportOrder, period: tables.Period) -> EmailMessage:
    """Return the mail, once the look is on record. Raises SessionExpired, PowerMissing,
    ReportUnknown, AddressRefused, MailNotSetUp, ReadingTooLong.
    """
    by, address = actor_behind(order.ordered_in), _checked(order.address)
    table = selectors.report(
        by=by,
        name=order.report,
        first=period.first,
        last=period.last,
        limit_s=settings.NIGHT_LIMIT_S,
    )
    look(EXPORT, f"report:{order.report}", asked=f"{order.kind} {period.last} {address}")
    name = f"{order.report}-{period.first}-{period.last}.{order.kind}"
    title = str(table.report.title)
    subject_line = gettext("Report: %(title)s, from %(first)s to %(last)s.") % {
        "title": title,
        "first": period.first.strftime("%d/%m/%Y"),
        "last": period.last.strftime("%d/%m/%Y"),
    }
    why = gettext("You ordered it. You end the order in the administration, Reports by mail.")
    message = EmailMessage(
        subject=f"{title} · {period.first:%d/%m/%Y} – {period.last:%d/%m/%Y}",
        body=f"{subject_line}\n\n{why}\n",
        to=[address],
        headers={"Message-ID": f"<report-{order.pk}-{period.last}@{settings.MAIL_FROM_DOMAIN}>"},
    )
    if order.kind == ReportOrder.Form.CSV:
        message.attach(name, outputs.as_csv(table).encode(), "text/csv")
    else:
        message.attach(name, outputs.as_xlsx(table), outputs.XLSX)
    return message


def _ended(mail: ReportMail, state: str, fault: str = "") -> str:
    mine = ReportMail.objects.filter(pk=mail.pk, state=State.SENDING)
    mine.update(state=state, ended_at=clock.now(), fault=fault)
    return state
