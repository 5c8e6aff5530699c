"""Move an unfinished play from a terminal that no longer works to another one [P11]."""

import uuid

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict
from core.premises.models import Terminal
from core.staff.actor import StaffActor
from promotrot import powers
from promotrot.models.play import PlayEnd, PlayMove, PlayTicket
from promotrot.services.playing import PlayEnded, unknown


class MoveRefused(Conflict):
    code = "play_move_refused"
    message = "A play moves to another working terminal of the same premises only."


def terminal_of(ticket: PlayTicket) -> int:
    """Return the terminal at which a ticket is played now."""
    last = PlayMove.objects.filter(ticket=ticket).order_by("-number").first()
    return last.to_terminal_id if last else ticket.terminal_id


@transaction.atomic
def play_move(*, by: StaffActor, ident: uuid.UUID, terminal_code: str, reason: str) -> PlayMove:
    """Move an unfinished play to a terminal. If it is there already, return the move that brought
    it.

    Raises PlayUnknown, PlayArchived, PlayEnded, MoveRefused.
    """
    by.need(powers.MOVE_PLAY)
    ticket = PlayTicket.objects.filter(uuid=ident).first()
    if ticket is None:
        raise unknown(ident)
    hold((Lock.TICKET, ticket.pk))
    if PlayEnd.objects.filter(ticket=ticket).exists():
        raise PlayEnded
    target = Terminal.objects.filter(
        code=terminal_code,
        premises=ticket.premises_id,
        revoked_at=None,
        copied_at=None,
        token_digest__isnull=False,
    ).first()
    last = PlayMove.objects.filter(ticket=ticket).order_by("-number").first()
    if target is not None and last is not None and last.to_terminal_id == target.pk:
        return last
    here = terminal_of(ticket)
    if target is None or target.pk == here:
        raise MoveRefused
    return PlayMove.objects.create(
        ticket=ticket,
        number=last.number + 1 if last else 1,
        from_terminal_id=here,
        to_terminal=target,
        reason=reason,
        moved_at=clock.now(),
        moved_by_id=by.user_id,
        moved_in_id=by.session_id,
    )
