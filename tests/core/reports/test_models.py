"""The database keeps orders and mails of reports whole: each period once, and why it ended."""

from datetime import date

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.reports.models import ReportMail, ReportOrder
from core.staff.powers import Role
from tests.support import factories

pytestmark = pytest.mark.django_db
DAY = date(2030, 3, 1)


def test_a_mail_is_once_for_each_period_and_its_end_says_why() -> None:
    by, now = factories.staff(Role.AUDITOR), clock.now()
    order = ReportOrder.objects.create(
        report="outs",
        every="day",
        kind="csv",
        address="box@example.org",
        language="ca",
        owner_id=by.user_id,
        ordered_in_id=by.session_id,
        ordered_at=now,
    )
    whole = {"order": order, "first_day": DAY, "last_day": DAY, "begun_at": now}
    mail = ReportMail.objects.create(**whole, state="sending")
    assert (str(order), str(mail)) == (
        "outs · box@example.org",
        "outs · box@example.org · 2030-03-01",
    )
    with pytest.raises(DatabaseError), transaction.atomic():
        ReportMail.objects.create(**whole, state="sending")
    rows = ReportMail.objects.filter(pk=mail.pk)
    wrong = [
        {"state": "failed", "ended_at": now},
        {"state": "sent"},
        {"last_day": date(2030, 3, 2)},
    ]
    for change in wrong:
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**change)
    rows.update(state="sent", ended_at=now)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(state="sending", ended_at=None)
    with pytest.raises(DatabaseError), transaction.atomic():
        ReportOrder.objects.filter(pk=order.pk).update(address="other@example.org")
