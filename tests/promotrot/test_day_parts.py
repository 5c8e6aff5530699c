"""Write Promotrot's events of a day into its day file."""

import pytest

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.reports.parts import Span
from promotrot import day_parts
from promotrot.models.voucher import Voucher
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db
(PART,) = day_parts.DAY_PARTS


def test_a_day_has_its_sales_plays_vouchers_and_closings() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 40)
    emitting.closed(emission)
    span = Span.of(natural_day(clock.now()))
    kinds = [event.kind for event in PART.events(span)]
    assert kinds.count("promotrot.sale") == kinds.count("promotrot.end") == 40
    assert kinds.count("promotrot.voucher") == Voucher.objects.count() == 22
    assert kinds.count("promotrot.closing") == 1
    assert set(kinds) <= set(PART.replays)
    assert dict(PART.figures(span)) == {"plays small/1": 4_000, "vouchers cash": 2_800}
    assert list(PART.context(span)) == []


def test_the_next_day_needs_the_vouchers_that_are_still_owed() -> None:
    emitting.sold_and_played(emitting.opened(emitting.small()), 40)
    factories.time_pass(days=1)
    span = Span.of(add_days(natural_day(clock.now()), 0))
    assert list(PART.events(span)) == []
    assert list(PART.context(span)) == list(Voucher.objects.order_by("pk"))
