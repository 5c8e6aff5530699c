"""Deal the prize table under a key that the database does not hold (15.II.2)."""

import hashlib

import pytest

from promotrot.models.emission import Commitment
from promotrot.services.dealing import dealing, open_seed
from tests.support import emitting

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.I.2")
@pytest.mark.article("15.II.2")
def test_a_dealing_is_the_prize_table_shuffled_under_a_key_that_is_not_in_the_database() -> None:
    emission = emitting.opened(emitting.small())
    dealt = dealing(emission.pk)
    tiers = [dealt.tier(0, position) for position in range(40)]
    assert sorted(tiers) == [0] * 18 + [1] * 2 + [2] * 20
    with pytest.raises(IndexError):
        dealt.tier(0, 40)
    with pytest.raises(IndexError):
        dealt.tier(0, -1)
    kept = bytes(Commitment.objects.get().encrypted_seed)
    seed = open_seed(emission.commitment)
    assert seed not in kept and hashlib.sha256(seed).digest() not in kept
    assert "key" not in repr(dealt)
    other = emitting.opened(emission.game)
    assert [dealing(other.pk).tier(0, p) for p in range(40)] != tiers
