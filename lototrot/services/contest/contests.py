"""Record ticket models, and acknowledge displays."""

import datetime
import re

from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.errors import Conflict, Invalid
from core.premises.access import Capability, TerminalActor
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.contest import (
    Contest,
    DisplayAcknowledgement,
    TicketModel,
)
from lototrot.services.reasons import need_authorisation


class TicketModelRecorded(Conflict):
    code = "ticket_model_recorded"
    message = "That version of the ticket model is already on record."


class LayoutMalformed(Invalid):
    code = "ticket_layout_malformed"
    message = "The digest of a layout is a SHA-256 in hexadecimal, 64 digits long [E15]."


class ScheduleOutOfPlace(Invalid):
    code = "schedule_out_of_place"
    message = (
        "The scheduled closing must be in the future, and not after the first scheduled start."
    )


class ProgrammeNotApproved(Conflict):
    code = "programme_not_approved"
    message = "The Federation's approval of the programme is not on record (14.III.5.2)."


class ContestNotOpen(Conflict):
    code = "contest_not_open"
    message = "The contest is not on sale yet."


class ContestClosed(Conflict):
    code = "contest_closed"
    message = "The contest has closed; no bet is accepted any more (14.III.4)."


def ticket_model_record(
    *,
    by: StaffActor,
    code: str,
    version: int,
    authorisation: str,
    authorised_on: datetime.date,
    multiple: bool,
    layout: str,
) -> TicketModel:
    """Record a ticket model that the gaming authority has authorised (14.II.2).

    `layout` is the digest of the layout that it authorises [E15]. Raise AuthorisationMissing,
    LayoutMalformed or TicketModelRecorded.
    """
    by.need(powers.PREPARE_CONTEST)
    need_authorisation(authorisation)
    if not re.fullmatch("[0-9a-f]{64}", layout):
        raise LayoutMalformed
    try:
        with transaction.atomic():
            return TicketModel.objects.create(
                code=code,
                version=version,
                authorisation=authorisation,
                authorised_on=authorised_on,
                multiple=multiple,
                layout=layout,
                recorded_at=clock.now(),
                recorded_by_id=by.user_id,
            )
    except IntegrityError as error:
        raise TicketModelRecorded(code=code, version=version) from error


def display_acknowledge(*, by: TerminalActor, contest: Contest) -> DisplayAcknowledgement:
    """Record the operator's declaration that programme and rules are on display (14.III.6.2).

    It is made before the sale, and a second one returns the first. Raises TerminalCannot,
    ContestNotOpen; and ContestClosed where none was made in time, or it left with its month.
    """
    by.need(Capability.SELL)
    if contest.state in Contest.NEVER_ON_SALE:
        raise ContestNotOpen(contest=contest.pk)
    of = {"contest": contest, "terminal_id": by.terminal_id, "operator_id": by.operator_id}
    if contest.state not in Contest.UNCLOSED:
        first = DisplayAcknowledgement.objects.filter(**of).first()
        if first is None:
            raise ContestClosed(contest=contest.pk)
        return first
    acknowledgement, _ = DisplayAcknowledgement.objects.get_or_create(
        **of, defaults={"acknowledged_at": clock.now()}
    )
    return acknowledgement
