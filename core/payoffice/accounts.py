"""The prize office's accounts. What a prize is paid from is the game's (`Payable.owed`, `.held`).

An establishment or entity that pays has it deducted from what it owes (`premises_account`).
"""

from core.ledger.services import AccountCode, asset, liability


def treasury() -> AccountCode:
    """The organiser's money outside cash sessions: bank and safe."""
    return asset("treasury")


def cash(session_id: int) -> AccountCode:
    """What a cashier's open session holds; nothing once it is closed."""
    return asset(f"payoffice:cash:{session_id}")


def cash_differences() -> AccountCode:
    """What counts at close had too much; too little stands on its debit side."""
    return liability("payoffice:cash_differences")


def cheques() -> AccountCode:
    """Cheques handed over and not yet presented at the bank (14.III.10.6)."""
    return liability("payoffice:cheques")


def goods() -> AccountCode:
    """Prizes in kind in stock, at their equivalents (15.III.6.5)."""
    return asset("payoffice:goods")
