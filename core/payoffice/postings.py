"""State which accounts each act of the prize office moves money between.

The services post these lines. `ledger_rebuild` applies them with the amounts that it sums again,
and a day replay posts them again. `sql/pay.sql` inserts a payment with the accounts and the kind
that `payment` returns.
"""

from core.kernel.regulation import Means
from core.ledger.services import AccountCode, Line, premises_account, signed_line
from core.payoffice import accounts

PRIZE, REFUND = "payoffice.prize", "payoffice.refund"
# The kind of the counter entry of each kind of entry that can be taken back.
_COUNTER = {
    "payoffice.cheque": "payoffice.cheque_reversed",
    "payoffice.voided_cheque": "payoffice.voided_cheque_reversed",
    "payoffice.recovery": "payoffice.recovery_reversed",
    "payoffice.write_off": "payoffice.write_off_reversed",
}


def payer(*, premises_id: int, cash_session_id: int | None, means: str) -> AccountCode:
    """Return the account that a payment comes out of."""
    if means == Means.NOMINATIVE_CHEQUE:
        return accounts.cheques()
    if cash_session_id is not None:
        return accounts.cash(cash_session_id)
    return premises_account(premises_id)


def claimed(*, owed: AccountCode, to: AccountCode, cents: int) -> Line:
    """Return the line by which a rebuild moves a claim's debt to where its state puts it."""
    return Line("payoffice.claims", owed, to, cents)


def payment(*, refund: bool, stood: AccountCode, paid_from: AccountCode, cents: int) -> Line:
    """Return the line of a payment: the debt of the claim is settled from the payer's account."""
    return Line(REFUND if refund else PRIZE, stood, paid_from, cents)


def hold(*, owed: AccountCode, held: AccountCode, cents: int) -> Line:
    """Return the line that moves a prize to the game's account of held money (14.III.10.5).

    It is posted when a document is presented or deposited.
    """
    return Line("payoffice.hold", owed, held, cents)


def refusal(*, held: AccountCode, forfeits_to: AccountCode, cents: int) -> Line:
    """Return the line that moves the money of a refused claim where the game sends it [C5]."""
    return Line("payoffice.refused", held, forfeits_to, cents)


def restoration(*, taken_from: AccountCode, held: AccountCode, cents: int) -> Line:
    """Return the line of lapsed money that comes back for a document deposited in time [C8]."""
    return Line("payoffice.restored", taken_from, held, cents)


def exchange(*, stood: AccountCode, cents: int, unit_cents: int) -> list[Line]:
    """Return the lines of a prize in kind handed over from the stock (15.III.6.5).

    `cents` is the equivalent of its emission, `unit_cents` what the unit is worth in the books; the
    difference is the organiser's gain or loss [P21].
    """
    differences = accounts.goods_differences()
    return [
        Line("payoffice.exchange", stood, differences, cents),
        Line("payoffice.goods_out", differences, accounts.goods(), unit_cents),
    ]


def cheque_presented(cents: int) -> Line:
    """Return the line of a cheque that the bank has paid out of the treasury (14.III.10.6)."""
    return Line("payoffice.cheque", accounts.cheques(), accounts.treasury(), cents)


def voided_cheque_paid(*, settled: bool, cents: int) -> Line:
    """Return the line of a voided cheque that the bank paid all the same.

    Where its payee has the money it is cashed like any other; otherwise the organiser bears it, and
    what stands for the payee's cheques stays.
    """
    if settled:
        return cheque_presented(cents)
    voided = accounts.voided_cheques()
    return Line("payoffice.voided_cheque", voided, accounts.treasury(), cents)


def loss_recovered(cents: int) -> Line:
    """Return the line of what the bank credits of a loss by a voided cheque."""
    voided = accounts.voided_cheques()
    return Line("payoffice.recovery", accounts.treasury(), voided, cents)


def written_off(cents: int) -> Line:
    """Return the line of a loss by a voided cheque that nobody will give back."""
    return Line("payoffice.write_off", accounts.written_off(), accounts.voided_cheques(), cents)


def entry_reversed(entry: Line) -> Line:
    """Return the counter entry that takes back an entry about a voided cheque."""
    return Line(_COUNTER[entry.kind], entry.credit, entry.debit, entry.amount_cents)


def cash_float(session_id: int, cents: int) -> Line:
    """Return the line of the float that a cashier's session begins with, from the treasury."""
    return Line("payoffice.float", accounts.cash(session_id), accounts.treasury(), cents)


def cash_moved(session_id: int, cents: int) -> Line:
    """Return the line of cash brought to an open session; a negative amount is taken from it."""
    return signed_line("payoffice.cash", accounts.cash(session_id), accounts.treasury(), cents)


def cash_counted(session_id: int, *, counted_cents: int, difference_cents: int) -> list[Line]:
    """Return the lines of a close: the count goes to the treasury, a difference to its account."""
    cash, differences = accounts.cash(session_id), accounts.cash_differences()
    return [
        Line("payoffice.count", accounts.treasury(), cash, counted_cents),
        signed_line("payoffice.difference", cash, differences, difference_cents),
    ]


def goods_corrected(*, units: int, handed_over: int, by_cents: int) -> list[Line]:
    """Return the lines that move the books to where another value of a unit puts them: `by_cents`
    more for each unit that came in. Of those handed over the organiser bore the difference [P21].
    """
    kind, treasury = "payoffice.goods_corrected", accounts.treasury()
    return [
        signed_line(kind, accounts.goods(), treasury, (units - handed_over) * by_cents),
        signed_line(kind, accounts.goods_differences(), treasury, handed_over * by_cents),
    ]


def goods_moved(cents: int) -> Line:
    """Return the line of goods bought at their value; a negative amount is a loss."""
    return signed_line("payoffice.goods", accounts.goods(), accounts.treasury(), cents)
