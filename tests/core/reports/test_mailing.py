"""Reports by mail: each once, to addresses of the house, to who may still read them, on record."""

import csv
import io
import re
from collections.abc import Iterator
from datetime import date, timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection
from openpyxl import load_workbook

from core.database import clock
from core.kernel.days import natural_day
from core.looks.models import Look
from core.reports import mailing, nightly, tables
from core.reports.alarms import mails_cut_off
from core.reports.mailing import mails_send, order_end, order_make
from core.reports.models import ReportMail, ReportOrder
from core.reports.tables import ReportUnknown, Table
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, row_url

pytestmark = pytest.mark.django_db
WHAT = {"report": "sales-by-day", "every": "day", "kind": "csv", "address": "box@example.org"}


@pytest.fixture(autouse=True)
def _set_up(settings: Any) -> Iterator[None]:
    settings.EMAIL_HOST, settings.MAIL_DOMAINS = "mail.example.org", ["example.org"]
    yield


def _ordered(by: StaffActor | None = None, **other: str) -> ReportOrder:
    return order_make(by=by or factories.staff(Role.AUDITOR), **{**WHAT, **other})


def _today() -> date:
    return natural_day(clock.now())


def test_no_report_goes_out_of_the_house_or_by_who_may_not(settings: Any) -> None:
    with pytest.raises(PowerMissing):
        _ordered(factories.staff(Role.CASHIER))
    for address in ("box@example.com", "box@sub.example.org", "example.org", "a b@example.org"):
        with pytest.raises(mailing.AddressRefused):
            _ordered(address=address)
    with pytest.raises(ReportUnknown):
        _ordered(report="nothing")
    by = factories.staff(Role.AUDITOR)
    order = _ordered(by)
    with pytest.raises(mailing.OrderStands):
        _ordered(by)
    with pytest.raises(mailing.OrderUnknown):
        order_end(by=factories.staff(Role.AUDITOR), pk=order.pk)
    settings.MAIL_DOMAINS = ["example.com"]  # narrowed since
    assert mails_send(_today())["refused"] == 1
    settings.EMAIL_HOST = ""
    with pytest.raises(mailing.MailNotSetUp):
        _ordered()
    assert mail.outbox == []


def test_a_repeated_night_sends_nothing_twice_and_it_is_on_record() -> None:
    by = factories.staff(Role.AUDITOR)
    order, looks = _ordered(by), Look.objects.count()
    assert dict(nightly.mails(_today()).counts)["sent"] == 1
    assert dict(nightly.mails(_today()).counts) == {
        "sent": 0,
        "refused": 0,
        "failed": 0,
        "sending": 0,
    }
    (sent,) = mail.outbox
    assert sent.to == ["box@example.org"]
    ((name, content, media_type),) = sent.attachments
    assert (name, media_type) == (f"sales-by-day-{_today()}-{_today()}.csv", "text/csv")
    assert next(csv.reader(io.StringIO(str(content))))[0] == "day"
    seen = Look.objects.order_by("pk")[looks:]
    assert [(look.kind, look.user_id) for look in seen] == [
        ("report", by.user_id),
        ("export", by.user_id),
    ]
    assert seen[1].asked == f"csv {_today()} box@example.org"
    order_end(by=by, pk=order.pk)
    factories.time_pass(days=1)
    assert mails_send(_today())["sent"] == 0


def test_who_may_no_longer_read_it_gets_none() -> None:
    lost, closed = factories.staff(Role.AUDITOR), factories.staff(Role.AUDITOR)
    for by in (lost, closed):
        _ordered(by)
    User.objects.filter(pk=lost.user_id).update(roles=[Role.ADMINISTRATOR])
    User.objects.filter(pk=closed.user_id).update(is_active=False)
    assert mails_send(_today())["refused"] == 2
    assert mails_send(_today())["refused"] == 0
    assert mail.outbox == []
    faults = ReportMail.objects.order_by("pk").values_list("fault", flat=True)
    assert list(faults) == ["power_missing", "session_expired"]


def test_a_server_that_is_away_is_tried_again_and_one_cut_off_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order, day = _ordered(), _today()

    def away(message: EmailMessage) -> None:
        raise SMTPServerDisconnected

    with monkeypatch.context() as patch:
        patch.setattr(EmailMessage, "send", away)
        assert mails_send(day)["failed"] == 1
    factories.time_pass(days=1)
    assert mails_send(_today())["sent"] == 2
    assert mails_send(_today())["sent"] == 0
    assert sorted(order.mails.values_list("last_day", "attempts")) == [(day, 2), (_today(), 1)]
    factories.time_pass(days=1)
    ReportMail.objects.create(
        order=order,
        first_day=_today(),
        last_day=_today(),
        state="sending",
        begun_at=clock.now(),
    )
    assert mails_send(_today())["sending"] == 1
    assert len(mail.outbox) == 2


@pytest.mark.parametrize(("arrived", "state"), [("yes", "sent"), ("no", "failed")])
def test_a_mail_cut_off_raises_an_alarm_until_somebody_says_whether_it_arrived(
    arrived: str, state: str
) -> None:
    desk = Desk(Role.AUDITOR)
    order = _ordered(factories.signed_on(desk.person))
    begun = {"first_day": _today(), "last_day": _today(), "begun_at": clock.now()}
    cut_off = ReportMail.objects.create(order=order, state="sending", **begun)
    assert mails_cut_off() == []  # it may still be on its way
    factories.time_pass(hours=1, seconds=1)
    (row,) = mails_cut_off()
    assert row.subject == order
    assert "Ask at the address" in desk.get("/admin/")
    desk.do(order, "settle", mail=cut_off.pk, arrived=arrived)
    cut_off.refresh_from_db()
    assert (cut_off.state, mails_cut_off()) == (state, [])
    assert not desk.offers(order, "settle")
    with pytest.raises(mailing.MailNotCutOff):
        mailing.mail_settle(by=factories.staff(Role.AUDITOR), pk=cut_off.pk, arrived=True)
    with pytest.raises(PowerMissing):
        mailing.mail_settle(by=factories.staff(Role.CASHIER), pk=cut_off.pk, arrived=True)
    factories.time_pass(days=1)
    order_sent = mails_send(_today())["sent"]
    assert order_sent == (1 if arrived == "yes" else 2)


def test_a_mail_that_takes_longer_to_read_than_a_page_may_is_sent(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(report: Any, period: Any) -> Table:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(0.2)")
        return Table(report, period, [], ())

    _ordered()
    settings.READING_LIMIT_S = 0.05
    monkeypatch.setattr(tables, "table", read)
    assert mails_send(_today())["sent"] == 1


def test_weeks_and_months_are_sent_when_they_have_ended() -> None:
    sunday, last = date(2030, 3, 10), date(2030, 3, 31)
    assert mailing.period_of("week", sunday - timedelta(days=1)) is None
    week, month = mailing.period_of("week", sunday), mailing.period_of("month", last)
    assert week and (week.first, week.last) == (date(2030, 3, 4), sunday)
    assert month and (month.first, month.last) == (date(2030, 3, 1), last)
    assert mailing.period_of("month", sunday) is None


def test_it_is_ordered_and_ended_in_the_administration_in_ones_language() -> None:
    desk = Desk(Role.ORGANISER, language="es")
    form = desk.get(act_url(ReportOrder, "order"))
    assert re.search(r'<input type="email"[^>]* class="[^"]+border', form), "the field is seen"
    desk.do(ReportOrder, "order", **{**WHAT, "kind": "xlsx"})
    order = ReportOrder.objects.get()
    assert mails_send(_today())["sent"] == 1
    (sent,) = mail.outbox
    ((_name, content, _type),) = sent.attachments
    sheet = load_workbook(io.BytesIO(content)).worksheets[0]
    assert "día" in [cell.value for cell in sheet[1]]
    assert "box@example.org" in desk.get(row_url(order))
    assert not Desk(Role.AUDITOR).offers(order, "end")
    desk.do(order, "end")
    order.refresh_from_db()
    assert order.ended_at is not None
