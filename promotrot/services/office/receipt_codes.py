"""Make the code on the receipt of a play, and check it at the Central Office [P11, P17].

The references of all tickets are published when a draw is, so that they prove nothing.
"""

import hashlib
from typing import Final
from uuid import UUID

from django.conf import settings

from core.kernel import codes
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from promotrot.engine.rules import paper_until
from promotrot.services.playing import PlayView

PLAY: Final = b"P"
"""The kind of the codes on receipts of plays."""
_SECRET: Final = hashlib.sha256(b"promotrot receipt").digest()


class ReceiptOfAnother(Conflict):
    code = "receipt_of_another"
    message = "The receipt is genuine, and of another play."


def receipt_code(play: PlayView) -> str:
    """Return the code on the receipt of a play as it was seen, until noon of the day after its
    sale; then "".
    """
    over = play.at >= paper_until(natural_day(play.sold_at))
    return "" if over else _code(play.uuid).grouped


def need_receipt(play: UUID, typed: str) -> None:
    """Check the code on a receipt. Raises CodeMalformed, CodeMistyped, CodeForged,
    ReceiptOfAnother.
    """
    code = codes.parse(typed, settings.CODE_KEYS, PLAY)
    if code != _code(play, code.version):
        raise ReceiptOfAnother


def _code(play: UUID, version: str | None = None) -> codes.Code:
    """Return the code of a play's receipt. Nothing of it is stored: the keys of codes make it."""
    return codes.issue(PLAY, play, _SECRET, settings.CODE_KEYS, version)
