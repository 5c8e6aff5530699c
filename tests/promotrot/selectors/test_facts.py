"""Keep the facts of an emission, and read them again when they are unknown."""

import pytest

from promotrot.selectors.facts import EmissionUnknown, emission_facts
from tests.support import emitting

pytestmark = pytest.mark.django_db


def test_the_facts_are_those_of_the_game_and_of_its_tiers() -> None:
    emission = emitting.opened(emitting.small())
    facts = emission_facts(emission.pk)
    assert (facts.reference, facts.price_cents, facts.prize_percent) == ("small/1", 100, "70")
    assert facts.dealt
    assert {number: tier.value_cents for number, tier in facts.tiers.items()} == {1: 400, 2: 100}
    assert facts.screen["mode"] == "predrawn"
    assert facts.texts("de") == facts.texts("ca") != facts.texts("en")
    assert emission_facts(emission.pk) is facts


def test_a_game_of_acts_gives_its_mechanic_to_the_screen() -> None:
    facts = emission_facts(emitting.opened(emitting.document("five-stalls")).pk)
    assert not facts.dealt
    assert facts.screen["presentation"] is None
    assert facts.screen["mechanic"]["kind"] == "hidden"


def test_an_unknown_emission() -> None:
    with pytest.raises(EmissionUnknown):
        emission_facts(10**15)
