"""Take commission back for sales that left the takings."""

from datetime import timedelta
from typing import Any

import pytest

from core.statements import services, weeks
from lototrot.models.tickets import Void
from lototrot.services.tickets.annulment import ticket_annul
from tests.support import factories
from tests.support.admin_desk import sold_with_code
from tests.support.stating import at, rate

pytestmark = pytest.mark.django_db


def test_annulled_and_voided_sales_earn_nothing(organiser: Any) -> None:
    rate(organiser, "10")
    contest = factories.contest(correction_window_s=600, price_cents=200)
    place = factories.point()
    error, code = sold_with_code(contest, place)
    sold_with_code(contest, place)
    late, _code = sold_with_code(contest, place)
    ticket_annul(by=place.actor, ident=error.uuid, presented_code=code, reason="wrong")
    factories.contest_closed(contest)
    breach = factories.proposal("lototrot.breach_void")
    now = factories.time_pass(minutes=1)
    Void.objects.create(ticket=late, reason="breach", note="late", voided_at=now, proposal=breach)
    sunday = weeks.natural_day(now)
    sunday += timedelta(days=7 - sunday.isoweekday())
    at(sunday + timedelta(days=1))
    (mine,) = services.statements_issue(until=sunday)
    assert (mine.sales_cents, mine.annulments_cents) == (600, -200)
    assert [(row["base_cents"], row["commission_cents"]) for row in mine.commission] == [(200, 20)]
    assert mine.closing_cents == 380
