"""Stop sales on a signal from the course, and appoint the devices that give it (14.III.4) [E12].

Two persons of the stewards' desk appoint a terminal of a sales point at a racecourse; one of them
ends it. Its signal stops the sales of every contest on a race, as a person's stop does. The key of
the terminal signs it, no operator is needed, and it counts during the meeting only.
"""

from django.db import transaction
from django.db.models import QuerySet

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from core.premises.access import BareTerminal
from core.premises.models import Premises, Terminal
from core.premises.services import terminal_by_code
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.models.programme import Racecourse
from lototrot.models.stops import SalesStop, SignalDevice
from lototrot.selectors.jornadas import jornada_of
from lototrot.services.races.course import race_get
from lototrot.services.races.stopping import NothingOnSale, stop_place


class RacecourseUnknown(NotFound):
    code = "racecourse_unknown"
    message = "There is no such racecourse."


class SignalDeviceUnknown(NotFound):
    code = "signal_device_unknown"
    message = "There is no such device."


class SignalDeviceAppointed(Conflict):
    code = "signal_device_appointed"
    message = "That terminal signals the starts of that racecourse already."


class SignalDevicePlace(Invalid):
    code = "signal_device_place"
    message = "A device that signals starts is a terminal in use of a sales point at a racecourse."


class NotSignalDevice(Forbidden):
    code = "not_signal_device"
    message = "This terminal does not signal the starts of that racecourse."


class SignalOutsideMeeting(Conflict):
    code = "signal_outside_meeting"
    message = "A signal counts during the meeting only."


@transaction.atomic
def device_appoint(*, by: StaffActor, terminal: str, racecourse: str) -> Proposal:
    """Propose that a terminal signals the starts of a racecourse; a second person confirms it.

    Both are given by their codes. Raise PowerMissing, TerminalNotFound, RacecourseUnknown,
    SignalDevicePlace or SignalDeviceAppointed.
    """
    by.need(powers.STOP_SALES)
    machine, course = _appointable(terminal, racecourse)
    return two_persons.propose(
        kind=APPOINTMENT,
        subject=f"signal_device:{machine.code}:{course.code}",
        by=by,
        content={"terminal": machine.code, "racecourse": course.code},
    )


def _appointable(terminal: str, racecourse: str) -> tuple[Terminal, Racecourse]:
    machine = terminal_by_code(terminal)
    course = Racecourse.objects.filter(code=racecourse).first()
    if course is None:
        raise RacecourseUnknown(racecourse=racecourse)
    in_use = machine.revoked_at is None
    if not in_use or machine.premises.kind != Premises.Kind.RACECOURSE_POINT:
        raise SignalDevicePlace(terminal=terminal)
    if _appointed(machine.pk, course.pk).exists():
        raise SignalDeviceAppointed(terminal=terminal, racecourse=racecourse)
    return machine, course


def _appointed(terminal: int, racecourse: int) -> QuerySet[SignalDevice]:
    return SignalDevice.objects.filter(terminal=terminal, racecourse=racecourse, ended_at=None)


def _appoint(proposal: Proposal, by: StaffActor) -> None:
    machine, course = _appointable(proposal.content["terminal"], proposal.content["racecourse"])
    SignalDevice.objects.create(
        terminal=machine, racecourse=course, appointed_at=clock.now(), proposal=proposal
    )


@transaction.atomic
def device_end(*, by: StaffActor, device_id: int) -> SignalDevice:
    """End a device at once: one person may, since nothing is given. Ending it again does nothing.

    What it stopped stays stopped. Raise PowerMissing or SignalDeviceUnknown.
    """
    by.need(powers.STOP_SALES)
    device: SignalDevice | None = (
        SignalDevice.objects.select_for_update(of=("self",))
        .select_related("terminal", "racecourse")
        .filter(pk=device_id)
        .first()
    )
    if device is None:
        raise SignalDeviceUnknown(device=device_id)
    if device.ended_at is None:
        device.ended_at = clock.now()
        device.ended_by_id, device.ended_in_id = by.user_id, by.session_id
        device.save(update_fields=("ended_at", "ended_by", "ended_in"))
    return device


@transaction.atomic
def race_signal(*, terminal: BareTerminal, race_id: int) -> SalesStop:
    """Stop the sales of every contest on a race, on the signal of an appointed device.

    A signal that is sent again while its stop stands changes nothing. Raise RaceUnknown,
    NotSignalDevice, SignalOutsideMeeting or NothingOnSale.
    """
    race = race_get(race_id)
    # Locked, so that it does not end before the stop is on record.
    appointed = _appointed(terminal.terminal_id, race.racecourse_id).select_for_update()
    if appointed.first() is None:
        raise NotSignalDevice
    if not jornada_of(race.meeting).includes(clock.now()):
        raise SignalOutsideMeeting(begins_at=race.meeting.begins_at.isoformat())
    hold((Lock.MEETING, race.meeting_id))
    standing: SalesStop | None = SalesStop.objects.filter(
        race=race, terminal=terminal.terminal_id, ended_at=None
    ).first()
    stop = standing or stop_place(
        SalesStop(
            meeting_id=race.meeting_id,
            race=race,
            terminal_id=terminal.terminal_id,
            source=SOURCE,
        )
    )
    if stop is None:
        raise NothingOnSale(meeting=race.meeting_id, race=race.pk)
    return stop


SOURCE = "A signal from the course"
APPOINTMENT = two_persons.Kind(
    "lototrot.signal_device", powers.STOP_SALES, apply=_appoint, good_for=two_persons.A_WEEK
)
