"""Name the ledger accounts of the prize office.

A prize is paid from accounts of its game (`Payable.owed`, `Payable.held`). The amount that an
establishment or an authorised entity pays is deducted from what it owes (`premises_account`).
"""

from core.ledger.services import AccountCode, asset, liability


def treasury() -> AccountCode:
    """Return the account of the organiser's money outside cash sessions: bank and safe."""
    return asset("treasury")


def cash(session_id: int) -> AccountCode:
    """Return the account of a cashier's session. Its balance is zero once the session is closed."""
    return asset(f"payoffice:cash:{session_id}")


def cash_differences() -> AccountCode:
    """Return the account of cash over (credit side) and cash short (debit side) at the counts."""
    return liability("payoffice:cash_differences")


def cheques() -> AccountCode:
    """Return the account of cheques handed over and not yet presented at the bank (14.III.10.6)."""
    return liability("payoffice:cheques")


def voided_cheques() -> AccountCode:
    """Return the account of what the bank paid for voided cheques to others than their payees.

    It is the organiser's claim, less what who presented the cheque, the bank or an insurer gives
    back, and less what is written off.
    """
    return asset("payoffice:voided_cheques")


def written_off() -> AccountCode:
    """Return the account of losses by voided cheques that nobody will give back: the organiser's.

    It is a cost, so its normal side is debit.
    """
    return asset("payoffice:written_off")


def goods() -> AccountCode:
    """Return the account of the prizes in kind in stock, at the value of a unit (15.III.6.5)."""
    return asset("payoffice:goods")


def goods_differences() -> AccountCode:
    """Return the account of the gains (credit side) and losses between the equivalents of prizes in
    kind and the value of the units handed over for them [P21].
    """
    return liability("payoffice:goods_differences")
