"""End plays at the Central Office that their premises can no longer finish [P19].

The premises have no terminal in use or no authorisation for Promotrot any more. Two persons at the
Central Office end the play as the game's published rule for stopping says: with the standing prize,
or with the price back where no prize stands. The voucher is held for the buyer.
"""

import uuid

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import powers
from promotrot.models.play import OfficeEnd, PlayEnd, PlayTicket
from promotrot.selectors.plays import can_be_finished
from promotrot.services.office.handing import central_office_session
from promotrot.services.playing import PlayEnded, unknown
from promotrot.services.unfinished import play_end_held


class PlayCanBeFinished(Conflict):
    code = "play_can_be_finished"
    message = "The premises can still finish the play: staff move it to another terminal there."


def play_end_propose(*, by: StaffActor, ident: uuid.UUID, reason: str) -> Proposal:
    """Propose to end a play at the Central Office. A second person there confirms.

    Raises CashSessionMissing, NotCentralOffice, PlayUnknown, PlayArchived, PlayEnded,
    PlayCanBeFinished.
    """
    by.need(powers.END_PLAY)
    central_office_session(by)
    _stranded(ident)
    return two_persons.propose(
        kind=ENDING,
        subject=f"promotrot:play:{ident}",
        by=by,
        content={"play": str(ident), "reason": reason},
    )


def _stranded(ident: uuid.UUID) -> PlayTicket:
    ticket = PlayTicket.objects.filter(uuid=ident).first()
    if ticket is None:
        raise unknown(ident)
    if PlayEnd.objects.filter(ticket=ticket).exists():
        raise PlayEnded
    if can_be_finished(ticket.premises_id):
        raise PlayCanBeFinished
    return ticket


def _end(proposal: Proposal, by: StaffActor) -> None:
    central_office_session(by)
    ident = uuid.UUID(proposal.content["play"])
    ticket = _stranded(ident)
    hold((Lock.TICKET, ticket.pk))
    ticket = _stranded(ident)
    OfficeEnd.objects.create(
        ticket=ticket,
        proposal=proposal,
        reason=proposal.content["reason"],
        ended_at=clock.now(),
    )
    acts = ticket.acts.order_by("number").values_list("act", "draw")
    if play_end_held(ticket, [*acts]) is None:
        raise PlayEnded


ENDING = two_persons.Kind("promotrot.play_end", powers.END_PLAY, _end)
