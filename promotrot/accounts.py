"""Promotrot's accounts. What each act moves between them stands in `promotrot.postings`.

Everything here is owed or held, so every account is a liability; what premises have taken is theirs
(`core.ledger.services.premises_account`).
"""

from datetime import date
from functools import cache
from importlib import resources

from core.ledger.organiser import OrganiserShare, Part, share_in_force, shares_from
from core.ledger.services import AccountCode, liability


def prizes(game_code: str) -> AccountCode:
    """A game's prize account (15.III.6.2): below zero by what is awarded while on sale."""
    return liability(f"promotrot:{game_code}:prizes")


def takings(reference: str) -> AccountCode:
    """What the tickets of an emission sold for, until its closing divides it."""
    return liability(f"promotrot:{reference}:takings")


def vouchers(reference: str) -> AccountCode:
    """Prizes awarded and neither paid nor lapsed; its sub-ledger are the vouchers."""
    return liability(f"promotrot:{reference}:vouchers")


def refunds(reference: str) -> AccountCode:
    """Prices of plays that ended without any act, until they are paid back [P11]."""
    return liability(f"promotrot:{reference}:refunds")


def held(reference: str) -> AccountCode:
    """Vouchers presented, deposited or blocked, until they are paid or decided."""
    return liability(f"promotrot:{reference}:held")


def organiser(part: Part) -> AccountCode:
    """A part of the organiser's share; the remainder bears what is awarded beyond it [P3]."""
    return liability(f"promotrot:organiser:{part}")


def organiser_share(day: date) -> OrganiserShare:
    """The division in force on the day an emission was planned."""
    return share_in_force(_organiser_shares(), day)


@cache
def _organiser_shares() -> tuple[OrganiserShare, ...]:
    path = resources.files("promotrot").joinpath("organiser_share.json")
    return shares_from(path.read_text("utf-8"))


def late_awards() -> AccountCode:
    """The organiser's account of prizes awarded after their emission was stated."""
    return liability("promotrot:organiser:late")


def unclaimed() -> AccountCode:
    """Prizes whose vouchers lapsed; they are the organiser's (15.III.6.7)."""
    return liability("promotrot:organiser:unclaimed")
