"""Print the receipt of a play.

Its reference names the ticket in the draw of a game that has ended: it may win later, and says so
[P2, P17]. All references are published then: its code proves whose it is (`office.receipt_codes`).
"""

from django.utils.translation import gettext as _
from django.utils.translation import override

from core.database import clock
from core.premises.sellers import seller_facts
from core.proofs.head import with_head
from core.receipts.document import Align, Document, Emphasis, Line, Notice, Pair, Qr, Rule, Title
from core.receipts.formats import format_cents, format_moment, format_percent
from core.receipts.output import Output, need_language, render
from core.receipts.paper import Paper
from promotrot.services.office.receipt_codes import receipt_code
from promotrot.services.playing import PlayView
from promotrot.services.voucher_paper import GAME


def may_win_later() -> str:
    """Return what every receipt says of a later win, in the active language [P17]."""
    return _(
        "Keep this code: it may win later. If the game ends and owes prizes, they are drawn among"
        " all its plays and paid at the Central Prize Payment Office."
    )


def receipt_document(play: PlayView, *, language: str, simulated: bool) -> Document:
    """Return the receipt: what was bought, where and when, and the reference of the play."""
    facts = play.facts
    seller = seller_facts(play.terminal_id, play.operator_id)
    with override(language):
        blocks = (
            Title(GAME),
            Line(f"{facts.texts(language).name} · {facts.reference}", Align.CENTRE),
            Rule(),
            Pair(_("Amount"), format_cents(facts.price_cents, language), Emphasis.LARGE),
            Pair(_("To prizes"), format_percent(facts.prize_percent, language)),
            Line(f"{seller.premises_code} {seller.premises_name}"),
            Line(f"{seller.premises_address}, {seller.premises_municipality}"),
            Pair(_("Terminal"), f"{seller.terminal_code} / {seller.operator_number}"),
            Pair(_("Sold"), format_moment(play.sold_at, language)),
            Qr(str(play.uuid)),
            Line(str(play.uuid), Align.CENTRE),
            Line(receipt_code(play), Align.CENTRE, Emphasis.BOLD),
            Line(may_win_later(), emphasis=Emphasis.BOLD),
            Notice(_("The receipt of a play. Prizes are paid against their voucher alone.")),
        )
    return Document(language=language, blocks=blocks, simulated=simulated)


def receipt_render(play: PlayView, *, output: Output, language: str) -> bytes:
    """Return the receipt on 80 mm paper. Raises LanguageUnknown."""
    need_language(language)
    document = receipt_document(play, language=language, simulated=clock.is_simulated())
    return render(with_head(document), output=output, created_at=play.sold_at, paper=Paper.ROLL_80)
