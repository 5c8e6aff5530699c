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

from core.kernel.money import percent_up
from core.ledger.services import Chart, Line, liability
from promotrot.engine.shortfall import Statement


def prizes(game_code: str) -> Chart:
    """A game's prize account (15.III.6.2): below zero by what is awarded while on sale."""
    return liability(f"promotrot:{game_code}:prizes")


def takings(reference: str) -> Chart:
    """What the tickets of an emission sold for, until its closing divides it."""
    return liability(f"promotrot:{reference}:takings")


def vouchers(reference: str) -> Chart:
    """Prizes awarded and neither paid nor lapsed; its sub-ledger are the vouchers."""
    return liability(f"promotrot:{reference}:vouchers")


def refunds(reference: str) -> Chart:
    """Prices of plays that ended without any act, until they are paid back [P11]."""
    return liability(f"promotrot:{reference}:refunds")


def held(reference: str) -> Chart:
    """Vouchers presented, deposited or barred, until they are paid or decided."""
    return liability(f"promotrot:{reference}:held")


def organiser() -> Chart:
    """The organiser's share (15.III.5.1); it bears what is awarded beyond the minimum [P3]."""
    return liability("promotrot:organiser")


def late_awards() -> Chart:
    """The organiser's account of prizes awarded after their emission was stated."""
    return liability("promotrot:organiser:late")


def unclaimed() -> Chart:
    """Prizes whose vouchers lapsed; they are the organiser's (15.III.6.7)."""
    return liability("promotrot:organiser:unclaimed")


def closing_lines(*, game_code: str, reference: str, statement: Statement) -> list[Line]:
    """The transfers of a closing; they leave the emission's takings at nothing."""
    closing, sold = statement.closing, takings(reference)
    minimum = percent_up(statement.takings_cents, closing.minimum_percent)
    beyond = max(0, closing.awarded_cents - minimum)
    account = prizes(game_code)
    return [
        Line("promotrot.minimum", sold, account, minimum),
        Line("promotrot.organiser", sold, organiser(), statement.takings_cents - minimum),
        Line("promotrot.beyond", organiser(), account, beyond),
    ]
