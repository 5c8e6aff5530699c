"""Name Promotrot's accounts, and divide the organiser's share without losing a cent."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger.models import Account
from promotrot import accounts
from promotrot.accounts import Part

DAY = date(2026, 11, 20)


def test_every_account_is_a_liability_under_a_code_of_its_own() -> None:
    reference = "small/1"
    named = [
        accounts.prizes("small"),
        accounts.takings(reference),
        accounts.vouchers(reference),
        accounts.refunds(reference),
        accounts.held(reference),
        accounts.late_awards(),
        accounts.unclaimed(),
        *map(accounts.organiser, Part),
    ]
    assert len({account.code for account in named}) == len(named)
    assert {account.side for account in named} == {Account.Side.CREDIT}
    assert all(account.code.startswith("promotrot:") for account in named)


@pytest.mark.article("15.III.6.2")
@given(cents=st.integers(0, 10_000_000))
def test_the_parts_are_the_share_to_the_cent(cents: int) -> None:
    parts = accounts.organiser_share(DAY).divide(cents)
    assert set(parts) == set(Part)
    assert sum(parts.values()) == cents
    assert min(parts.values()) >= 0
