"""State which accounts the acts of the weekly statements move money between.

The services post these lines. `ledger_rebuild` applies them with the amounts that it sums again,
and a day replay posts them again.
"""

from collections.abc import Mapping

from core.ledger.services import Line, premises_account, signed_line
from core.payoffice import accounts
from core.statements.columns import COMMISSION_KIND, REMITTANCE_KIND, games


def commission(premises_id: int, earned: Mapping[str, int]) -> list[Line]:
    """Return the lines of a week's commission by game, from the organiser to the premises."""
    place = premises_account(premises_id)
    sources = {game.game: game.commission_from for game in games()}
    return [
        signed_line(COMMISSION_KIND, sources[name], place, cents) for name, cents in earned.items()
    ]


def remittance(premises_id: int, cents: int) -> Line:
    """Return the line of a payment by the premises; a negative amount is paid to it."""
    return signed_line(REMITTANCE_KIND, accounts.treasury(), premises_account(premises_id), cents)
