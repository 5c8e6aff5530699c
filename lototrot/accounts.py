"""Lototrot's accounts. What each act moves between them stands in `lototrot.postings`.

Everything here is owed or held, so every account is a liability; what premises have taken is theirs
(`core.ledger.services.premises_account`). A contest's takings stand on `Contest.takings_account`.
"""

from datetime import date
from functools import cache
from importlib import resources

from core.ledger.organiser import OrganiserShare, share_in_force, shares_from
from core.ledger.organiser import Part as Part
from core.ledger.services import AccountCode, liability


def pool(contest_id: int) -> AccountCode:
    """The prize pool of a contest while it is being divided (9.1)."""
    return liability(f"lototrot:contest:{contest_id}:pool")


def category(contest_id: int, hits: int) -> AccountCode:
    """A category's money while it is being divided (9.2, 9.3)."""
    return liability(f"lototrot:contest:{contest_id}:category:{hits}")


def prizes_payable(contest_id: int) -> AccountCode:
    """Prizes won and neither paid, lapsed nor held; its sub-ledger are the prize rows."""
    return liability(f"lototrot:contest:{contest_id}:prizes")


def lapsed(contest_id: int) -> AccountCode:
    """Unclaimed prizes of earlier meetings, carried over into this one's 7/7 (10.7)."""
    return liability(f"lototrot:contest:{contest_id}:lapsed")


def refunds_due(contest_id: int) -> AccountCode:
    """Prices of tickets voided because they were registered in breach [C6]."""
    return liability(f"lototrot:contest:{contest_id}:refunds")


def held(contest_id: int) -> AccountCode:
    """Prizes whose ticket is blocked or deposited, until two persons decide [C5, C6]."""
    return liability(f"lototrot:contest:{contest_id}:held")


def carry_over(bet_type_code: str, day: date) -> AccountCode:
    """What lapsed with a last day, or was refused on it: for the first meeting after [D3, C5].

    It passes to `lapsed` of that meeting's contest once there is one; until then it stands here.
    """
    return liability(f"lototrot:{bet_type_code}:carry_over:{day.isoformat()}")


def jackpot(bet_type_code: str) -> AccountCode:
    """The 7/7 accumulated from meeting to meeting (9.5)."""
    return liability(f"lototrot:{bet_type_code}:jackpot")


def reserve(bet_type_code: str) -> AccountCode:
    """The reserve fund of the 7/7 (9.3, 9.5, 9.8)."""
    return liability(f"lototrot:{bet_type_code}:reserve")


def organiser(part: Part) -> AccountCode:
    """A part of the organiser's share."""
    return liability(f"lototrot:organiser:{part}")


def organiser_share(day: date) -> OrganiserShare:
    """The division in force on a meeting's day; a day before the first version gets the first."""
    return share_in_force(_organiser_shares(), day)


@cache
def _organiser_shares() -> tuple[OrganiserShare, ...]:
    path = resources.files("lototrot").joinpath("organiser_share.json")
    return shares_from(path.read_text("utf-8"))
