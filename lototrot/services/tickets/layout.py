"""Compute the digest of the layout in which tickets are printed (14.II.2) [E15].

The layout is what `core.receipts` makes of a specimen ticket in every language, byte by byte: its
elements, their order, texts and sizes. A contest is opened only on a ticket model that names it.
"""

import dataclasses
import datetime
import hashlib
from functools import cache
from uuid import UUID

from core.kernel.codes import LENGTH, TICKET, Code
from core.kernel.languages import LANGUAGES
from core.premises.sellers import SellerFacts
from core.receipts.document import Document, Qr
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from lototrot.services.contest.facts import ContestFacts, LegFacts
from lototrot.services.tickets.selling import Sold
from lototrot.services.tickets.slips import ticket_document

_AT = datetime.datetime(2006, 1, 2, 17, tzinfo=datetime.UTC)
_CODE = Code(TICKET, "0" * LENGTH)
_SELLER = SellerFacts("P1", "Bar Exemple", "Carrer Major 1", "Palma", "T1", 1)
_LEGS = tuple(
    LegFacts(position, "Son Pardo", position, f"Cursa {position}", _AT, 0b11_1111)
    for position in range(1, 8)
)
_FACTS = ContestFacts(
    pk=0,
    game="Lototrot",
    bet_type_code="lototrot",
    bet_type_name="Lototrot",
    bet_type_version=1,
    prize_percent="60",
    day=_AT.date(),
    meeting_name="Son Pardo",
    price_cents=100,
    max_bets=10_000,
    allows_multiple=True,
    correction_window_s=0,
    ticket_model_code="model",
    ticket_model_version=0,
    legs=_LEGS,
    secret=b"",
)


def specimen(language: str) -> Document:
    """Return a ticket that nobody bought, with every element of a ticket."""
    sold = Sold(
        uuid=UUID(int=0),
        facts=_FACTS,
        terminal_id=0,
        operator_id=0,
        sold_at=_AT,
        masks=(0b11, 0b100000, *[0b1] * 5),
        quick_legs=0b10,
        bets=2,
        amount_cents=200,
        code=_CODE,
        replayed=False,
    )
    paper = ticket_document(sold, language=language, simulated=False, seller=_SELLER)
    # Where the symbol leads to is no part of the layout.
    blocks = (Qr(_CODE.text) if isinstance(block, Qr) else block for block in paper.blocks)
    return dataclasses.replace(paper, blocks=tuple(blocks))


@cache
def layout_digest() -> str:
    """Return the SHA-256 of the specimen as printed in every language, in hexadecimal."""
    digest = hashlib.sha256()
    for language in LANGUAGES:
        paper = render(
            specimen(language), output=Output.ESCPOS, created_at=_AT, paper=Paper.ROLL_80
        )
        digest.update(len(paper).to_bytes(8, "big") + paper)
    return digest.hexdigest()
