"""Count the things that may still be won or fetched against the stock [P21]."""

import pytest
from django.utils.translation import override

from promotrot.alarms import ALARMS
from promotrot.models.voucher import Voucher
from promotrot.selectors.things import Shortage, shortages_of
from tests.support import paying

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.5")]


def test_what_is_won_and_not_fetched_is_needed_until_it_is_claimed() -> None:
    paying.bicycles()
    emission = Voucher.objects.filter(nature="in_kind")[0].ticket.emission
    (short,) = shortages_of(emission)
    assert short.in_stock == 0 and short.needed >= Voucher.objects.filter(thing="bicycle").count()
    (alarm,) = [alarm for alarm in ALARMS if alarm.code == "promotrot_stock_short"]
    assert [row.subject for row in alarm.rows()] == [emission]
    with override("ca"):
        (row,) = alarm.rows()
        assert row.words == f"Bicycle: 0 en existència, en calen {short.needed}."
    office = paying.office()
    keeper = paying.stocked(office, short.needed - 1)
    assert shortages_of(emission) == [Shortage("bicycle", short.needed, short.needed - 1)]
    paying.stock_moved(keeper, office, 1)
    assert shortages_of(emission) == [] and not alarm.rows()
