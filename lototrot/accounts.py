"""Name Lototrot's accounts. `lototrot.postings` says what each act moves between them.

Lototrot owes or holds all this money, so every account is a liability. The money that premises
received is on their own accounts (`core.ledger.services.premises_account`).
"""

import hashlib
from datetime import date
from functools import cache
from importlib import resources

from core.ledger.organiser import OrganiserShare, share_in_force, shares_from
from core.ledger.organiser import Part as Part
from core.ledger.services import AccountCode, liability
from lototrot.models.contest import Contest


def takings(contest: Contest) -> AccountCode:
    """Return the account of a contest's takings, until they are divided."""
    return liability(contest.takings_account.code)


def pool(contest_id: int) -> AccountCode:
    """Return the account of a contest's prize pool while it is divided (14.III.9.1)."""
    return liability(f"lototrot:contest:{contest_id}:pool")


def category(contest_id: int, hits: int) -> AccountCode:
    """Return the account of a category's money while it is divided (14.III.9.2, 14.III.9.3)."""
    return liability(f"lototrot:contest:{contest_id}:category:{hits}")


def prizes_payable(contest_id: int) -> AccountCode:
    """Return the account of prizes won that are not paid, lapsed or held.

    Prize rows are its sub-ledger.
    """
    return liability(f"lototrot:contest:{contest_id}:prizes")


def lapsed(contest_id: int) -> AccountCode:
    """Return the account of unclaimed prizes carried over into this contest (14.III.10.7)."""
    return liability(f"lototrot:contest:{contest_id}:lapsed")


def refunds_due(contest_id: int) -> AccountCode:
    """Return the account of refunds for tickets voided because they were in breach [C6]."""
    return liability(f"lototrot:contest:{contest_id}:refunds")


def held(contest_id: int) -> AccountCode:
    """Return the account of prizes held until two persons decide [C5, C6].

    Their tickets are blocked or deposited.
    """
    return liability(f"lototrot:contest:{contest_id}:held")


def owed_and_held(contest_id: int, *, is_refund: bool) -> tuple[AccountCode, AccountCode]:
    """Return the two accounts of a ticket's money: where it is owed, and where it is held."""
    owed = refunds_due(contest_id) if is_refund else prizes_payable(contest_id)
    return owed, held(contest_id)


def carry_over(bet_type_code: str, day: date) -> AccountCode:
    """Return the account of prizes that lapsed or were refused with a day [D3, C5].

    They wait here until there is a meeting after the day, and pass to `lapsed` of its contest then.
    """
    return liability(f"lototrot:{bet_type_code}:carry_over:{day.isoformat()}")


def late_claims() -> AccountCode:
    """Return the account of prizes that the organiser bears itself [C8].

    They lapsed, were settled into a later 7/7, and then proved to be of tickets that had been
    deposited in time. Its balance is what the organiser owes for them, so it is negative.
    """
    return liability("lototrot:organiser:late_claims")


def jackpot(bet_type_code: str) -> AccountCode:
    """Return the account of the 7/7 accumulated from meeting to meeting (14.III.9.5)."""
    return liability(f"lototrot:{bet_type_code}:jackpot")


def reserve(bet_type_code: str) -> AccountCode:
    """Return the account of the reserve fund of the 7/7 (14.III.9.3, 14.III.9.5, 14.III.9.8)."""
    return liability(f"lototrot:{bet_type_code}:reserve")


def sent_on(bet_type_code: str, recipient: str) -> AccountCode:
    """Return the account of what an ended bet type owes to a recipient of the decision [A21]."""
    key = hashlib.sha256(recipient.strip().encode()).hexdigest()[:16]
    return liability(f"lototrot:{bet_type_code}:ended:{key}")


def organiser(part: Part) -> AccountCode:
    """Return the account of one part of the organiser's share."""
    return liability(f"lototrot:organiser:{part}")


def organiser_share(day: date) -> OrganiserShare:
    """Return the division in force on a meeting's day; the first version for earlier days."""
    return share_in_force(_organiser_shares(), day)


@cache
def _organiser_shares() -> tuple[OrganiserShare, ...]:
    path = resources.files("lototrot").joinpath("organiser_share.json")
    return shares_from(path.read_text("utf-8"))
