"""Name Promotrot's accounts. `promotrot.postings` says what each act moves between them.

All are liabilities, because the money is owed or held. The takings that premises hold are on the
accounts of the premises (`core.ledger.services.premises_account`).
"""

from datetime import date
from functools import cache
from importlib import resources

from core.ledger.organiser import OrganiserShare, Part, share_in_force, shares_from
from core.ledger.services import AccountCode, liability


def prizes(game_code: str) -> AccountCode:
    """Return a game's prize account (15.III.6.2). Its balance is negative by the awards during the
    sale.
    """
    return liability(f"promotrot:{game_code}:prizes")


def takings(reference: str) -> AccountCode:
    """Return the account of an emission's takings, until its closing divides them."""
    return liability(f"promotrot:{reference}:takings")


def vouchers(reference: str) -> AccountCode:
    """Return the account of prizes awarded and not yet paid or lapsed. The vouchers are its
    sub-ledger.
    """
    return liability(f"promotrot:{reference}:vouchers")


def refunds(reference: str) -> AccountCode:
    """Return the account of prices due back for plays that ended without any act [P11].

    They never are the organiser's: one that two persons refused to a claimant stays here [C6].
    """
    return liability(f"promotrot:{reference}:refunds")


def held(reference: str) -> AccountCode:
    """Return the account of vouchers presented, deposited or blocked, until they are paid or
    decided.
    """
    return liability(f"promotrot:{reference}:held")


def organiser(part: Part) -> AccountCode:
    """Return the account of a part of the organiser's share. The remainder bears excess awards
    [P3].
    """
    return liability(f"promotrot:organiser:{part}")


def organiser_share(day: date) -> OrganiserShare:
    """Return the division of the organiser's share in force on the day an emission was planned."""
    return share_in_force(_organiser_shares(), day)


@cache
def _organiser_shares() -> tuple[OrganiserShare, ...]:
    path = resources.files("promotrot").joinpath("organiser_share.json")
    return shares_from(path.read_text("utf-8"))


def late_awards() -> AccountCode:
    """Return the organiser's account of prizes awarded after their emission was closed."""
    return liability("promotrot:organiser:late")


def for_authority(game_code: str) -> AccountCode:
    """Return the account of what an ended game owed and no draw could give away. It waits for the
    authority's decision and never is the organiser's [P17].
    """
    return liability(f"promotrot:{game_code}:authority")


def unclaimed() -> AccountCode:
    """Return the account of prizes whose vouchers lapsed. They are the organiser's (15.III.6.7)."""
    return liability("promotrot:organiser:unclaimed")
