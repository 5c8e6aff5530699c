"""Find the vouchers that wait at the Central Office and those that a terminal must print."""

from datetime import timedelta

import pytest
from django.db import connection

from core.database import clock
from core.nights.services import night_run
from promotrot.engine.rules import paper_until
from promotrot.models.voucher import Voucher
from promotrot.selectors.vouchers import held_vouchers, unprinted_vouchers
from promotrot.services.vouchers import voucher_print_confirm
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def test_what_is_not_printed_waits_at_its_terminal_then_at_the_office_until_it_lapses() -> None:
    place, emission = factories.point(), emitting.opened(emitting.small())
    emitting.played(place, emitting.sold(emission, 40, place))
    confirmed, *others = Voucher.objects.order_by("pk")
    voucher_print_confirm(by=place.bare, ident=confirmed.uuid)
    assert list(unprinted_vouchers(place.terminal.pk)) == others
    assert not unprinted_vouchers(factories.point(place.premises).terminal.pk).exists()
    assert not held_vouchers().exists()
    factories.time_to(paper_until(confirmed.issue_day))
    assert not unprinted_vouchers(place.terminal.pk).exists()
    assert list(held_vouchers()) == others
    factories.time_to(clock.now() + timedelta(days=31))
    night_run()
    assert not held_vouchers().exists()


def test_the_past_is_not_read_for_those_that_wait() -> None:
    """Vouchers of the past are neither refunds nor within their last day."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off")
    plan = held_vouchers().order_by().explain()
    arms = {line.split(" on ")[1].split()[0] for line in plan.splitlines() if "Index Scan" in line}
    assert "BitmapOr" in plan, plan
    assert "voucher_refund" in arms
    assert any("last_day" in arm for arm in arms), plan
