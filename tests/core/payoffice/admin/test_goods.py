"""The facts for the second person before things come into the stock or leave it."""

import pytest

from core.payoffice.models import StockItem
from core.payoffice.services import goods
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories, paying
from tests.support.admin_desk import Desk, row_url

pytestmark = pytest.mark.django_db


def test_who_confirms_reads_what_comes_in_where_and_what_it_costs() -> None:
    place, keeper = paying.office(), Desk(Role.SUPERVISOR)
    item = goods.stock_register(
        by=factories.staff(Role.SUPERVISOR),
        code="yacht",
        description="A yacht",
        unit_cents=1_234_500,
    )
    keeper.do(item, "move", premises=place.pk, units="2", reason="Delivered by its yard.")
    proposal = Proposal.objects.get(kind="payoffice.stock_movement")
    page = Desk(Role.ORGANISER).get(row_url(proposal))
    for text in ("A yacht: +2", "€12,345.00", "€24,690.00", place.code, "Delivered by its yard."):
        assert text in page, text
    assert "You have counted these things at that office." in page
    paying.confirmed(proposal)
    assert f"/admin/staff/proposal/{proposal.pk}/" in keeper.get(row_url(item))


def test_who_confirms_another_value_reads_both_and_what_the_treasury_pays() -> None:
    place, keeper = paying.office(), Desk(Role.SUPERVISOR)
    paying.stocked(place, 3)
    item = StockItem.objects.get()
    keeper.do(item, "correct", unit_cents="40.00", reason="A zero is missing.")
    proposal = Proposal.objects.get(kind="payoffice.stock_correction")
    page = Desk(Role.ORGANISER).get(row_url(proposal))
    for text in ("Bicycle: €4.00 → €40.00", "€108.00", "A zero is missing."):
        assert text in page, text
    paying.confirmed(proposal)
    page = keeper.get(row_url(item))
    assert "€40.00" in page and f"/admin/staff/proposal/{proposal.pk}/" in page
