"""The chain's lock is one for all meetings of a bet type."""

from core.database.locks import Lock
from lototrot.selectors.settlement.chains import chain_lock


def test_a_chain_has_one_lock() -> None:
    assert chain_lock("lototrot") == chain_lock("lototrot")
    assert chain_lock("lototrot") != chain_lock("eight-races")
    assert chain_lock("lototrot")[0] is Lock.CHAIN
