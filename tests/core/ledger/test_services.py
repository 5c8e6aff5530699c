"""Post by double entry: each posting sums to zero, is made once, and is mirrored whole."""

import random
import uuid
from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.ledger import services as ledger
from core.ledger.models import Account, Transfer
from core.ledger.selectors import trial_balance
from core.ledger.services import AccountCode, LedgerUnbalanced, Line
from core.staff.powers import Role
from tests.support import factories

pytestmark = pytest.mark.django_db

ACCOUNTS = [ledger.asset(f"a:{n}") for n in range(3)] + [
    ledger.liability(f"l:{n}") for n in range(3)
]
LINES = st.lists(
    st.builds(
        lambda pair, cents: Line("test", pair[0], pair[1], cents),
        st.permutations(ACCOUNTS).map(lambda pair: (pair[0], pair[1])),
        st.integers(0, 10**12),
    ),
    max_size=8,
)


def signed(account: AccountCode) -> int:
    """The balance with the sign of a debit."""
    cents = ledger.balance_cents(account)
    return cents if account.side == Account.Side.DEBIT else -cents


def line(cents: int, debit: AccountCode = ACCOUNTS[0], credit: AccountCode = ACCOUNTS[3]) -> Line:
    return Line("test", debit, credit, cents)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=st.lists(LINES, min_size=1, max_size=6), reversed_act=st.integers(0, 5))
def test_books_agree_whatever_is_posted(acts: list[list[Line]], reversed_act: int) -> None:
    with transaction.atomic():
        expected: Counter[str] = Counter()
        references = [uuid.uuid4() for _ in acts]
        for reference, lines in zip(references, acts, strict=True):
            posted = ledger.post(reference=reference, lines=lines)
            assert posted == sum(1 for each in lines if each.amount_cents)
            for each in lines:
                expected[each.debit.code] += each.amount_cents
                expected[each.credit.code] -= each.amount_cents
        at = reversed_act % len(acts)
        undone = ledger.post_reversal(reference=uuid.uuid4(), of=references[at], kind="undo")
        assert undone == Transfer.objects.filter(reference=references[at]).count()
        for each in acts[at]:
            expected[each.debit.code] -= each.amount_cents
            expected[each.credit.code] += each.amount_cents
        assert {
            account.code: signed(account) for account in ACCOUNTS if expected[account.code]
        } == {code: cents for code, cents in expected.items() if cents}
        balances = ledger.balances()
        assert sum(b.debit_cents for b in balances) == sum(b.credit_cents for b in balances)
        for balance in balances:
            account = AccountCode(balance.code, Account.Side(balance.side))
            assert balance.cents == ledger.balance_cents(account)
        trial = trial_balance(by=factories.staff(Role.AUDITOR))
        assert trial.difference_cents == 0
        assert trial.debit_cents == sum(cents for cents in expected.values() if cents > 0)
        transaction.set_rollback(True)


def test_a_reversal_mirrors_every_transfer_in_its_order() -> None:
    reference, undo = uuid.uuid4(), uuid.uuid4()
    lines = [line(7), line(0), line(5, ACCOUNTS[1], ACCOUNTS[2]), line(2)]
    ledger.post(reference=reference, lines=lines)
    assert ledger.post_reversal(reference=undo, of=reference, kind="undo") == 3
    columns = ("line", "debit__code", "credit__code", "amount_cents")
    forth = Transfer.objects.filter(reference=reference).order_by("line").values_list(*columns)
    back = Transfer.objects.filter(reference=undo).order_by("line").values_list(*columns)
    assert [(n, c, d, cents) for n, d, c, cents in forth] == list(back)
    assert set(Transfer.objects.filter(reference=undo).values_list("kind", flat=True)) == {"undo"}
    assert all(ledger.balance_cents(account) == 0 for account in ACCOUNTS)


def test_an_act_is_posted_once() -> None:
    reference = uuid.uuid4()
    ledger.post(reference=reference, lines=[line(7)])
    with pytest.raises(IntegrityError, match="transfer_once"), transaction.atomic():
        ledger.post(reference=reference, lines=[line(7)])
    with pytest.raises(IntegrityError, match="transfer_once"), transaction.atomic():
        ledger.post_reversal(reference=reference, of=reference, kind="undo")
    assert Transfer.objects.count() == 1


def test_an_account_keeps_its_side() -> None:
    ledger.post(reference=uuid.uuid4(), lines=[line(1)])
    wrong = AccountCode(ACCOUNTS[0].code, Account.Side.CREDIT)
    with pytest.raises(LedgerUnbalanced):
        ledger.post(reference=uuid.uuid4(), lines=[line(1, wrong)])
    assert Transfer.objects.count() == 1


def test_what_an_account_must_hold_is_demanded() -> None:
    ledger.post(reference=uuid.uuid4(), lines=[line(7)])
    ledger.need_balance(ACCOUNTS[0], 7)
    ledger.need_balance(ACCOUNTS[3], 7)
    ledger.need_balance(ACCOUNTS[5], 0)
    with pytest.raises(LedgerUnbalanced) as broken:
        ledger.need_balance(ACCOUNTS[3], 8)
    assert broken.value.data == {"account": "l:0", "held_cents": 7, "expected_cents": 8}


def test_a_prefix_is_text_and_not_a_pattern() -> None:
    for code in ("x_y:1", "xzy:1", "x%:1"):
        ledger.account_open([ledger.asset(code)])
    assert [b.code for b in ledger.balances(prefix="x_")] == ["x_y:1"]
    assert [b.code for b in ledger.balances(prefix="x%")] == ["x%:1"]
    assert ledger.balances(prefix="none") == []


def test_amounts_beyond_thirty_two_bits_are_exact() -> None:
    odd = random.Random(7).randrange(10**14, 10**15) | 1
    ledger.post(reference=uuid.uuid4(), lines=[line(odd)] * 11 + [line(1)])
    assert ledger.balance_cents(ACCOUNTS[0]) == 11 * odd + 1 > 2**50
