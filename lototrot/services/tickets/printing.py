"""Confirm the print of a ticket, and reprint it [E5]."""

import datetime
import uuid

from django.db import transaction
from django.db.models import Q

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict
from core.premises.access import BareTerminal, Capability, TerminalActor
from core.premises.requests import UuidReused, need_new
from lototrot.models.tickets import PrintConfirmation, Reprint, Ticket, Void
from lototrot.selectors.selling import print_confirmed, print_retired
from lototrot.services.contest.contests import ContestClosed
from lototrot.services.tickets.selling import (
    OperatorDiffers,
    Road,
    Sold,
    sold_again,
    ticket_of_terminal,
)

_NOT_LAPSED_WITHIN = datetime.timedelta(days=1)
"""A contest lapses long after its sales; nearly all prints are confirmed within seconds."""


class SlipPrinted(Conflict):
    code = "slip_printed"
    message = "The print of the ticket is confirmed; nothing gives its code again [E5]."


class PrintTooLate(Conflict):
    code = "print_too_late"
    message = "The prizes of the contest have lapsed; no print is confirmed any more."


class TicketNotPrintable(Conflict):
    code = "ticket_not_printable"
    message = "The ticket has been voided and is not printed again."


def is_printed(ticket: Ticket) -> bool:
    """Return whether the print was confirmed, also where that has left with its month."""
    return _is(print_confirmed(), ticket)


def _is(condition: Q, ticket: Ticket) -> bool:
    return Ticket.objects.filter(condition, pk=ticket.pk).exists()


def sold_unprinted(ticket: Ticket, *, by: BareTerminal | TerminalActor, road: Road | None) -> Sold:
    """Return a ticket with its code, for the operator who sold it, until its print is confirmed.

    Raise TicketNotPrintable if it is void, SlipPrinted, OperatorDiffers, or ContestClosed when the
    code is not given again.
    """
    if Void.objects.filter(ticket=ticket).exists():
        raise TicketNotPrintable
    if is_printed(ticket):
        raise SlipPrinted
    if ticket.operator_id != by.operator_id:
        raise OperatorDiffers
    sold = sold_again(ticket, by=by.operator_id, road=road)
    if sold.code is None:
        raise ContestClosed
    return sold


def print_confirm(*, by: BareTerminal, ident: uuid.UUID) -> PrintConfirmation:
    """Record that the paper was printed. Confirming it twice changes nothing.

    Raise TicketUnknown, SlipPrinted where the confirmation was retired with its month, or
    PrintTooLate where there is none and the contest has lapsed.
    """
    ticket = ticket_of_terminal(terminal=by, ident=ident)
    now = clock.now()
    if now - ticket.sold_at > _NOT_LAPSED_WITHIN:
        if _is(print_retired(), ticket):
            raise SlipPrinted
        if _is(Q(contest__lapse__isnull=False, print_confirmation=None), ticket):
            raise PrintTooLate
    confirmation, _ = PrintConfirmation.objects.get_or_create(
        ticket=ticket, defaults={"confirmed_at": now}
    )
    return confirmation


@transaction.atomic
def ticket_reprint(
    *, by: TerminalActor, ident: uuid.UUID, copy: uuid.UUID | None = None
) -> tuple[Sold, Reprint]:
    """Print a further copy with the same code, marked duplicate, before closing only.

    The operator who sold the ticket gets it while its print is not confirmed. `copy` is the
    terminal's id of this copy: the same id returns the same copy. Raise TicketUnknown,
    TicketNotPrintable, SlipPrinted, OperatorDiffers, ContestClosed, UuidReused
    or a refusal of `copy`.
    """
    by.need(Capability.SELL)
    terminal = BareTerminal(by.terminal_id, by.premises_id, by.premises_kind)
    ticket = ticket_of_terminal(terminal=terminal, ident=ident)
    if copy is not None:
        hold((Lock.REQUEST, copy.int))
    hold((Lock.CONTEST, ticket.contest_id), shared=True)
    hold((Lock.TICKET, ticket.pk))
    sold = sold_unprinted(ticket, by=by, road=None)
    reprint = Reprint.objects.filter(uuid=copy).first() if copy else None
    if reprint is None:
        if copy is not None:
            need_new(copy)
        reprint = Reprint.objects.create(
            uuid=copy,
            ticket=ticket,
            number=Reprint.objects.filter(ticket=ticket).count() + 1,
            operator_id=by.operator_id,
            printed_at=clock.now(),
        )
    elif reprint.ticket_id != ticket.pk:
        raise UuidReused
    return sold, reprint
