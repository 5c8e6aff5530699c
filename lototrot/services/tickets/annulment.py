"""Correct an error by annulling a ticket, the only act that undoes a sale (14.III.1.4) [E4]."""

import datetime
import uuid

from django.conf import settings
from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel import codes
from core.kernel.errors import Conflict, Forbidden, Invalid
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.premises.access import BareTerminal, Capability, TerminalActor
from lototrot import accounts, postings
from lototrot.models.contest import Contest
from lototrot.models.tickets import Void
from lototrot.services.contest.contests import ContestClosed
from lototrot.services.reasons import need_reason
from lototrot.services.tickets.selling import SalesStopped, ticket_of_terminal


class CorrectionNotOffered(Forbidden):
    code = "correction_not_offered"
    message = "This contest has no correction window: a registered ticket stays as it is (1.4)."


class CorrectionTooLate(Conflict):
    code = "correction_too_late"
    message = "The correction window of this ticket has passed (14.III.1.4)."


class CodeOfAnotherTicket(Invalid):
    code = "code_of_another_ticket"
    message = "The code presented is not this ticket's."


class TicketVoided(Conflict):
    code = "ticket_voided"
    message = "The ticket has been voided."


@transaction.atomic
def ticket_annul(*, by: TerminalActor, ident: uuid.UUID, presented_code: str, reason: str) -> Void:
    """Void a ticket as an error against the printed ticket, and give its price back.

    Only the selling terminal may do it, inside the window and before closing. A repetition changes
    nothing. Raise ReasonMissing, TicketUnknown, an error of the code, CodeOfAnotherTicket,
    TicketVoided, ClockUnsound, CorrectionNotOffered, CorrectionTooLate, ContestClosed or
    SalesStopped.
    """
    by.need(Capability.SELL)
    need_reason(reason)
    presented = codes.parse(presented_code, settings.CODE_KEYS, codes.TICKET)
    ticket = ticket_of_terminal(
        terminal=BareTerminal(by.terminal_id, by.premises_id, by.premises_kind), ident=ident
    )
    if settings.CODE_KEYS.digest(presented) != bytes(ticket.code_digest):
        raise CodeOfAnotherTicket
    hold((Lock.CONTEST, ticket.contest_id), (Lock.SALES, 0), shared=True)
    hold((Lock.TICKET, ticket.pk))
    earlier = Void.objects.filter(ticket=ticket).first()
    if earlier is not None:
        if earlier.reason != Void.Reason.ERROR:
            raise TicketVoided
        return earlier
    clock.need_sound()  # after the start it may say that the closing is still to come
    contest = Contest.objects.select_related("takings_account").get(pk=ticket.contest_id)
    now = clock.now()
    if contest.state not in Contest.UNCLOSED or now >= contest.scheduled_close_at:
        raise ContestClosed
    if contest.state == Contest.State.STOPPED:  # by its confirmation it may be after the closing
        raise SalesStopped
    if not contest.correction_window_s:
        raise CorrectionNotOffered
    if now > ticket.sold_at + datetime.timedelta(seconds=contest.correction_window_s):
        raise CorrectionTooLate(window_s=contest.correction_window_s)
    void = Void.objects.create(
        ticket=ticket,
        reason=Void.Reason.ERROR,
        note=reason,
        voided_at=now,
        operator_id=by.operator_id,
    )
    refund = postings.annulment(
        premises_id=ticket.premises_id,
        takings=accounts.takings(contest),
        cents=ticket.amount_cents,
    )
    ledger.post(reference=void_reference(ticket.uuid), lines=[refund])
    return void


def void_reference(ticket: uuid.UUID) -> uuid.UUID:
    """Return the ledger's reference for the void of a ticket.

    It is always the same for one ticket.
    """
    return derived_uuid(ticket, "lototrot.void")
