"""The prize office's postings: which accounts each act moves money between.

The services post these lines, `ledger_rebuild` carries them out with the amounts that it counts
anew, and a day's replay posts them again. A payment is inserted by `sql/pay.sql` with the accounts
and the kind that `payment` gives.
"""

from core.kernel.regulation import Means
from core.ledger.services import AccountCode, Line, premises_account, signed_line
from core.payoffice import accounts


def payer(*, premises_id: int, cash_session_id: int | None, means: str) -> AccountCode:
    """Return the account that a payment comes out of."""
    if means == Means.NOMINATIVE_CHEQUE:
        return accounts.cheques()
    if cash_session_id is not None:
        return accounts.cash(cash_session_id)
    return premises_account(premises_id)


def payment(*, refund: bool, stood: AccountCode, paid_from: AccountCode, cents: int) -> Line:
    """A claim is paid: what it was owed leaves the payer's account."""
    return Line(f"payoffice.{'refund' if refund else 'prize'}", stood, paid_from, cents)


def hold(*, owed: AccountCode, held: AccountCode, cents: int) -> Line:
    """A claim presented or deposited waits on the game's account of held money (14.III.10.5)."""
    return Line("payoffice.hold", owed, held, cents)


def refusal(*, held: AccountCode, forfeits_to: AccountCode, cents: int) -> Line:
    """A held claim is refused: its money goes where the game sends it [C5]."""
    return Line("payoffice.refused", held, forfeits_to, cents)


def exchange(*, stood: AccountCode, cents: int) -> Line:
    """A prize in kind is handed over from the stock (15.III.6.5)."""
    return Line("payoffice.exchange", stood, accounts.goods(), cents)


def cheque_presented(cents: int) -> Line:
    """The bank has paid a cheque out of the treasury (14.III.10.6)."""
    return Line("payoffice.cheque", accounts.cheques(), accounts.treasury(), cents)


def cash_float(session_id: int, cents: int) -> Line:
    """A cashier opens a session with cash from the treasury."""
    return Line("payoffice.float", accounts.cash(session_id), accounts.treasury(), cents)


def cash_moved(session_id: int, cents: int) -> Line:
    """Cash is brought to an open session; a negative amount is taken from it."""
    return signed_line("payoffice.cash", accounts.cash(session_id), accounts.treasury(), cents)


def cash_counted(session_id: int, *, counted_cents: int, difference_cents: int) -> list[Line]:
    """A session is closed: the count goes to the treasury, its difference to an own account."""
    cash, differences = accounts.cash(session_id), accounts.cash_differences()
    return [
        Line("payoffice.count", accounts.treasury(), cash, counted_cents),
        signed_line("payoffice.difference", cash, differences, difference_cents),
    ]


def goods_moved(cents: int) -> Line:
    """Goods are bought at their equivalents; a negative amount is found missing."""
    return signed_line("payoffice.goods", accounts.goods(), accounts.treasury(), cents)
