"""Find a ticket by its code (rulebook: *Codes*). `payables` says what it is worth."""

from django.conf import settings

from core.kernel import codes
from core.kernel.errors import NotFound
from lototrot.models.tickets import Ticket
from lototrot.selectors.retired import need_none_left


class TicketNotFound(NotFound):
    code = "ticket_not_found"
    message = "No ticket has that code."


def ticket_by_code(presented: str) -> Ticket:
    """Return the ticket of a scanned or typed code.

    Raise CodeMalformed, CodeMistyped or CodeForged without a query, and after it DocumentArchived
    where tickets left with a retired month, or TicketNotFound.
    """
    code = codes.parse(presented, settings.CODE_KEYS, codes.TICKET)
    ticket = (
        Ticket.objects.select_related("contest")
        .filter(code_digest=settings.CODE_KEYS.digest(code))
        .first()
    )
    if ticket is None:
        need_none_left()
        raise TicketNotFound
    return ticket
