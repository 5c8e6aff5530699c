"""Promotrot's postings: which accounts each act moves money between.

The services post these lines, `ledger_rebuild` carries them out with the amounts that it counts
again, and a day's replay posts them again. A sale is inserted by `sql/sell.sql` as `sale` says, the
vouchers of a play by `sql/play.sql` as `award` and `refund_due` say. By act, debit first:

* sale: the premises -> `takings(emission)`, the price;
* award of any prize, extra ones too: `prizes(game)` -> `vouchers(emission)` [P3];
* price refunded (P11): `takings(emission)` -> `refunds(emission)`;
* closing (`closing_lines`): the minimum percentage of the takings goes to `prizes(game)` and the
  rest to the organiser, who also bears what was awarded beyond it. What then stands on
  `prizes(game)` is what the game owes to prizes;
* award after the closing, of a play left unfinished: `late_awards()` -> `vouchers(emission)`;
* voucher lapsed: `vouchers(emission)` -> `unclaimed()`, the organiser's (15.III.6.7) [P9];
* voucher of an ended game's draw lapsed: `vouchers(emission)` -> `prizes(game)`, to be drawn again;
  after the last draw, or at the end of a game without a ticket to draw, `prizes(game)` ->
  `for_authority(game)`, and by its decision -> the treasury [P17].
"""

from datetime import date

from core.kernel.money import percent_up
from core.ledger.organiser import Part
from core.ledger.services import AccountCode, Line, premises_account
from core.payoffice.accounts import treasury
from promotrot import accounts
from promotrot.engine.shortfall import Statement


def sale(*, premises_id: int, takings: AccountCode, cents: int) -> Line:
    """Return the line of a sale: the premises owe the price, which is added to the takings."""
    return Line("promotrot.sale", premises_account(premises_id), takings, cents)


def award(*, game_code: str, reference: str, cents: int, late: bool) -> Line:
    """Return the line of a prize, owed to its voucher's bearer; `late` after the closing [P3]."""
    source = accounts.late_awards() if late else accounts.prizes(game_code)
    return Line("promotrot.award", source, accounts.vouchers(reference), cents)


def refund_due(*, reference: str, cents: int, late: bool) -> Line:
    """Return the line of a price that is owed back: its play ended without an act [P11]."""
    source = accounts.late_awards() if late else accounts.takings(reference)
    return Line("promotrot.refund_due", source, accounts.refunds(reference), cents)


def draw(*, game_code: str, reference: str, cents: int) -> Line:
    """Return the line of a drawn ticket's award, from what its game owes to prizes (15.III.6.2)."""
    owed = accounts.prizes(game_code)
    return Line("promotrot.draw", owed, accounts.vouchers(reference), cents)


def lapse(*, reference: str, cents: int) -> Line:
    """Return the line of vouchers that lapse: they are the organiser's (15.III.6.7) [P9]."""
    return Line("promotrot.lapse", accounts.vouchers(reference), accounts.unclaimed(), cents)


def lapse_drawn(*, game_code: str, reference: str, cents: int) -> Line:
    """Return the line of drawn prizes that lapse: the game owes them to prizes again [P17]."""
    owed = accounts.prizes(game_code)
    return Line("promotrot.lapse_drawn", accounts.vouchers(reference), owed, cents)


def restored(*, game_code: str, cents: int) -> Line:
    """A rebuild gives drawn prizes, paid late from the organiser's account, back to the game."""
    return Line("promotrot.restored", accounts.late_awards(), accounts.prizes(game_code), cents)


def debt_stands(*, game_code: str, cents: int) -> Line:
    """Return the line of money that no draw gives; it awaits the authority's decision [P17]."""
    authority = accounts.for_authority(game_code)
    return Line("promotrot.debt_stands", accounts.prizes(game_code), authority, cents)


def debt_decided(*, game_code: str, cents: int) -> Line:
    """Return the line of the payment that the authority decides, from the treasury [P17]."""
    authority = accounts.for_authority(game_code)
    return Line("promotrot.debt_decided", authority, treasury(), cents)


def closing_parts(statement: Statement, day: date) -> dict[Part, int]:
    """Return what a closing leaves to the organiser, by part (15.III.5.1).

    The remainder bears what was awarded beyond the minimum and may be below zero [P3].
    """
    minimum, beyond = _minimum(statement), _beyond(statement)
    parts = accounts.organiser_share(day).divide(statement.takings_cents - minimum)
    return parts | {Part.REMAINDER: parts[Part.REMAINDER] - beyond}


def closing_lines(*, game_code: str, reference: str, statement: Statement, day: date) -> list[Line]:
    """Return the transfers of a closing. They leave the emission's takings at 0."""
    sold, account = accounts.takings(reference), accounts.prizes(game_code)
    minimum = _minimum(statement)
    parts = accounts.organiser_share(day).divide(statement.takings_cents - minimum)
    remainder = accounts.organiser(Part.REMAINDER)
    return [
        Line("promotrot.minimum", sold, account, minimum),
        *[
            Line("promotrot.organiser", sold, accounts.organiser(part), parts[part])
            for part in Part
        ],
        Line("promotrot.beyond", remainder, account, _beyond(statement)),
    ]


def _minimum(statement: Statement) -> int:
    return percent_up(statement.takings_cents, statement.closing.minimum_percent)


def _beyond(statement: Statement) -> int:
    return max(0, statement.closing.awarded_cents - _minimum(statement))
