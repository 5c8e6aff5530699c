"""Return the original of a ticket until it is printed, and render tickets on paper."""

import uuid

from core.database import clock
from core.premises.access import BareTerminal, TerminalActor
from core.proofs.head import with_head
from core.receipts.output import Output, need_language, render
from core.receipts.paper import Paper
from lototrot.services.tickets.printing import sold_unprinted
from lototrot.services.tickets.selling import Road, Sold, ticket_of_terminal
from lototrot.services.tickets.slips import ticket_document


def slip_original(*, by: BareTerminal | TerminalActor, ident: uuid.UUID) -> Sold:
    """Return a ticket whose original is not printed yet, for the operator who sold it.

    For some minutes after the closing a replay of the sale still gives it [E11]. Raise
    TicketUnknown, TicketNotPrintable if it is void, SlipPrinted if the print is confirmed,
    OperatorDiffers, or ContestClosed afterwards, when the code is not given again (*Codes*).
    """
    ticket = ticket_of_terminal(terminal=by, ident=ident)
    return sold_unprinted(ticket, by=by, road=Road.PAPER)


def slip_render(sold: Sold, *, output: Output, language: str, copy: int = 0) -> bytes:
    """Render the ticket on 80 mm paper.

    `copy` is 0 for the original, else the number of the duplicate.
    """
    need_language(language)
    document = ticket_document(sold, language=language, simulated=clock.is_simulated(), copy=copy)
    return render(with_head(document), output=output, created_at=sold.sold_at, paper=Paper.ROLL_80)
