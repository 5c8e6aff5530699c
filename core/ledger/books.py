"""Rebuild every balance from what happened and compare it with the ledger.

Each app lists as `REBUILDERS` in its `rebuild.py` the functions that carry out its own transfers
anew: from tickets, results and payments, never from a stored figure. The core adds up and compares.
"""

import dataclasses
from collections.abc import Callable, Iterable

from core.contributions import contributed_items
from core.ledger.models import Account
from core.ledger.services import AccountCode, Line, balances


class Books:
    """Balances in the making: an account's code -> cents, positive on the debit side."""

    def __init__(self) -> None:
        self._cents: dict[str, int] = {}

    def move(self, lines: Iterable[Line]) -> None:
        """Carry out transfers that must have taken place."""
        for line in lines:
            self._add(line.debit.code, line.amount_cents)
            self._add(line.credit.code, -line.amount_cents)

    def cents(self, account: AccountCode) -> int:
        """The balance of an account so far, on its normal side."""
        cents = self._cents.get(account.code, 0)
        return cents if account.side == Account.Side.DEBIT else -cents

    def codes(self) -> set[str]:
        return set(self._cents)

    def _add(self, code: str, cents: int) -> None:
        self._cents[code] = self._cents.get(code, 0) + cents


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """An account that does not hold what it must; cents on the account's normal side."""

    account: str
    ledger_cents: int
    rebuilt_cents: int


Rebuilder = Callable[[Books], None]
"""Carries out, on the books, every transfer that its app has ever made."""


def differences() -> tuple[int, list[Difference]]:
    """Return the number of accounts, and those whose balance differs from the rebuilt one, by code.

    Run it in one snapshot: a sale between two of its queries would be a difference.
    """
    books = Books()
    for rebuilder in contributed_items("rebuild", "REBUILDERS"):
        rebuilder(books)
    found = {balance.code: balance for balance in balances()}
    differing = []
    for code in sorted(found.keys() | books.codes()):
        known = found.get(code)
        side = Account.Side(known.side) if known else Account.Side.DEBIT
        ledger_cents, rebuilt_cents = (
            known.cents if known else 0,
            books.cents(AccountCode(code, side)),
        )
        if ledger_cents != rebuilt_cents:
            differing.append(Difference(code, ledger_cents, rebuilt_cents))
    return len(found), differing
