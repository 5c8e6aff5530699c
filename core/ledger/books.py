"""Rebuild every balance from the recorded events and compare it with the ledger.

Each app lists functions as `REBUILDERS` in its `rebuild.py`. They repeat the app's transfers from
tickets, results and payments, never from a stored figure. The core adds up and compares. Balances
that an app keeps besides the ledger are compared with it too.
"""

import dataclasses
from collections.abc import Callable, Iterable

from core.contributions import contributed_items
from core.ledger.models import Account
from core.ledger.services import AccountCode, Line, balances


class Books:
    """Balances while they are rebuilt: account code to cents, positive on the debit side."""

    def __init__(self) -> None:
        self._cents: dict[str, int] = {}
        self.kept: dict[str, int] = {}

    def move(self, lines: Iterable[Line]) -> None:
        """Add transfers that must have taken place."""
        for line in lines:
            self._add(line.debit.code, line.amount_cents)
            self._add(line.credit.code, -line.amount_cents)

    def keep(self, account: AccountCode, cents: int) -> None:
        """State the balance that another table keeps of an account, on its normal side."""
        self.kept[account.code] = cents

    def cents(self, account: AccountCode) -> int:
        """Return the balance of an account so far, in cents, on its normal side."""
        cents = self._cents.get(account.code, 0)
        return cents if account.side == Account.Side.DEBIT else -cents

    def codes(self) -> set[str]:
        return set(self._cents)

    def _add(self, code: str, cents: int) -> None:
        self._cents[code] = self._cents.get(code, 0) + cents


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """An account whose balance differs from the rebuilt one; cents on the account's normal side."""

    account: str
    ledger_cents: int
    rebuilt_cents: int


Rebuilder = Callable[[Books], None]
"""A function that adds to the books every transfer that its app has ever made."""


def differences() -> tuple[int, list[Difference]]:
    """Return the number of accounts, and those whose balance differs from what is rebuilt or kept.

    Run it in one database snapshot: a sale between two of its queries would show as a difference.
    """
    books = Books()
    for rebuilder in contributed_items("rebuild", "REBUILDERS"):
        rebuilder(books)
    balance_by_code = {balance.code: balance for balance in balances()}
    differing = []
    for code in sorted(balance_by_code.keys() | books.codes() | books.kept.keys()):
        balance = balance_by_code.get(code)
        side = Account.Side(balance.side) if balance else Account.Side.DEBIT
        ledger_cents = balance.cents if balance else 0
        rebuilt_cents = books.cents(AccountCode(code, side))
        for cents in sorted({rebuilt_cents, books.kept.get(code, rebuilt_cents)}):
            if cents != ledger_cents:
                differing.append(Difference(code, ledger_cents, cents))
    return len(balance_by_code), differing
