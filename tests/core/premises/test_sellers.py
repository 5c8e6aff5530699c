"""The names of sellers and premises that papers show."""

from typing import Any

import pytest

from core.premises.models import Operator, Premises, Terminal
from core.premises.sellers import SellerFacts, place_facts, seller_facts
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.II.3")
def test_a_ticket_names_the_establishment_the_terminal_and_the_operator() -> None:
    point = factories.point()
    place = point.premises
    assert seller_facts(point.terminal.pk, point.operator.pk) == SellerFacts(
        place.code,
        place.name,
        place.address,
        place.municipality,
        point.terminal.code,
        point.operator.number,
    )
    facts = place_facts(place.pk)
    assert (facts.code, facts.name) == (place.code, place.name)
    assert (facts.address, facts.municipality) == (place.address, place.municipality)


@pytest.mark.usefixtures("facts_stay")
def test_a_repeated_reading_asks_the_database_nothing(django_assert_num_queries: Any) -> None:
    point = factories.point()
    first = seller_facts(point.terminal.pk, point.operator.pk), place_facts(point.premises.pk)
    with django_assert_num_queries(0):
        again = seller_facts(point.terminal.pk, point.operator.pk), place_facts(point.premises.pk)
    assert again == first


def test_unknown_sellers_have_no_names() -> None:
    point = factories.point()
    with pytest.raises(Terminal.DoesNotExist):
        seller_facts(0, point.operator.pk)
    with pytest.raises(Operator.DoesNotExist):
        seller_facts(point.terminal.pk, 0)
    with pytest.raises(Premises.DoesNotExist):
        place_facts(0)
