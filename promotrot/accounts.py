"""Promotrot's accounts, and how an emission's money moves between them.

Everything here is owed or held, so every account is a liability; what premises have taken is theirs
(`core.ledger.services.premises_account`). By act, debit first:

* sale: the premises -> `takings(emission)`, the whole price;
* award of any prize, extra ones too: `prizes(game)` -> `vouchers(emission)` [P3];
* price refunded (P11): `takings(emission)` -> `refunds(emission)`;
* closing (`closing_lines`): the minimum percentage of the takings goes to `prizes(game)` and the
  rest to the organiser, who also bears what was awarded beyond it. What then stands on
  `prizes(game)` is what the game owes to prizes;
* award after the closing, of a play left unfinished: `late_awards()` -> `vouchers(emission)`;
* voucher lapsed: `vouchers(emission)` -> `unclaimed()`, the organiser's (15.III.6.7) [P9].
"""

from datetime import date
from functools import cache
from importlib import resources

from core.kernel.money import percent_up
from core.ledger.organiser import OrganiserShare, Part, share_in_force, shares_from
from core.ledger.services import AccountCode, Line, liability
from promotrot.engine.shortfall import Statement


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


def closing_parts(statement: Statement, day: date) -> dict[Part, int]:
    """What a closing leaves to the organiser (15.III.5.1), by what it is for; the remainder, which
    bears what was awarded beyond the minimum, may be below zero [P3]."""
    minimum, beyond = _minimum(statement), _beyond(statement)
    parts = organiser_share(day).divide(statement.takings_cents - minimum)
    return parts | {Part.REMAINDER: parts[Part.REMAINDER] - beyond}


def closing_lines(*, game_code: str, reference: str, statement: Statement, day: date) -> list[Line]:
    """The transfers of a closing; they leave the emission's takings at nothing."""
    sold, account, minimum = takings(reference), prizes(game_code), _minimum(statement)
    parts = organiser_share(day).divide(statement.takings_cents - minimum)
    remainder = organiser(Part.REMAINDER)
    return [
        Line("promotrot.minimum", sold, account, minimum),
        *[Line("promotrot.organiser", sold, organiser(part), parts[part]) for part in Part],
        Line("promotrot.beyond", remainder, account, _beyond(statement)),
    ]


def _minimum(statement: Statement) -> int:
    return percent_up(statement.takings_cents, statement.closing.minimum_percent)


def _beyond(statement: Statement) -> int:
    return max(0, statement.closing.awarded_cents - _minimum(statement))
