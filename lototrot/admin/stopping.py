"""Run the acts that stop sales before a start, and announce another time of it [E12, E13].

Devices at a course that stop sales are appointed and ended here as well.
"""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.columns import named
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.admin.race_records import is_selling, record_of
from lototrot.admin.running_forms import AnnounceStartForm, AppointDeviceForm, ReasonForm, StopForm
from lototrot.admin.words import race_text
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting, Race
from lototrot.models.running import StartAnnouncement
from lototrot.models.stops import SalesStop, SignalDevice
from lototrot.selectors.races import RaceState
from lototrot.services.races import announcing, signals, stopping

Data = dict[str, Any]
_STOPPED = _("Sales are stopped. Confirm the start, or have the stop lifted by two persons.")


def _stop(by: StaffActor, race: Race, data: Data) -> Done:
    stop = stopping.race_stop(by=by, race_id=race.pk, source=data["source"])
    return Done(_STOPPED, stop)


def _stop_meeting(by: StaffActor, meeting: Meeting, data: Data) -> Done:
    stop = stopping.meeting_stop(by=by, meeting=meeting, source=data["source"])
    return Done(_STOPPED, stop)


def _lift(by: StaffActor, stop: SalesStop, data: Data) -> Done:
    return Done(PROPOSED, stopping.stop_lift(by=by, stop_id=stop.pk, reason=data["reason"]))


def _announce_start(by: StaffActor, race: Race, data: Data) -> Done:
    announced = announcing.start_announce(by=by, race_id=race.pk, **data)
    return Done(_("The announced start is on record."), announced)


def _appoint(by: StaffActor, _: None, data: Data) -> Done:
    return Done(PROPOSED, signals.device_appoint(by=by, **data))


def _end(by: StaffActor, device: SignalDevice, data: Data) -> Done:
    return Done(_("The device is ended."), signals.device_end(by=by, device_id=device.pk))


STOP = Act(
    name="stop",
    title=_("Stop sales"),
    power=powers.STOP_SALES,
    run=_stop,
    form=StopForm,
    icon="back_hand",
    danger=True,
    offered=lambda by, race: is_selling(race.pk),
    text=_("Every contest on the race is stopped at once. A second person confirms the start."),
)
STOP_MEETING = Act(
    name="stop",
    title=_("Stop all sales of the meeting"),
    power=powers.STOP_SALES,
    run=_stop_meeting,
    form=StopForm,
    icon="back_hand",
    danger=True,
    offered=lambda by, meeting: meeting.contests.filter(state__in=Contest.UNCLOSED).exists(),
    text=_("Every contest of the meeting is stopped at once. Two persons lift the stop."),
)
LIFT = Act(
    name="lift",
    title=_("Lift the stop"),
    power=powers.STOP_SALES,
    run=_lift,
    form=ReasonForm,
    icon="play_circle",
    offered=lambda by, stop: stop.ended_at is None,
    text=_("No start is on record: sales go on when a second person confirms."),
)
ANNOUNCE_START = Act(
    name="announce_start",
    title=_("Announce another start"),
    power=powers.RECORD_START,
    run=_announce_start,
    form=AnnounceStartForm,
    icon="schedule",
    offered=lambda by, race: record_of(race.pk).state is RaceState.SCHEDULED,
    text=_("The new time of the start, as the stewards announced it."),
)


APPOINT = Act(
    name="appoint",
    title=_("Appoint a device that signals starts"),
    power=powers.STOP_SALES,
    run=_appoint,
    form=AppointDeviceForm,
    icon="sensors",
    text=_("Its signal stops sales. A second person confirms the appointment."),
)
END_DEVICE = Act(
    name="end",
    title=_("End the device"),
    power=powers.STOP_SALES,
    run=_end,
    icon="sensors_off",
    danger=True,
    offered=lambda by, device: device.ended_at is None,
    text=_("Its signals are refused from now on. What it stopped stays stopped."),
)


@admin.register(SalesStop)
class SalesStopAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("__str__", "stopped_at", "source", "stopped_by", "ending", "ended_at")
    list_filter = ("ending",)
    search_fields = ("race__name", "meeting__reference")
    acts = (LIFT,)

    def told_as(self, row: SalesStop) -> str:
        """Return the race, or the meeting all of whose races are stopped."""
        return race_text(row.race) if row.race else named(row.meeting)


@admin.register(SignalDevice)
class SignalDeviceAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("__str__", "appointed_at", "ended_at", "ended_by")
    list_filter = ("racecourse",)
    search_fields = ("terminal__code",)
    acts = (END_DEVICE,)
    list_acts = (APPOINT,)


@admin.register(StartAnnouncement)
class StartAnnouncementAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("id", "race", "start_at", "source", "announced_by", "announced_at")
    list_select_related = ("race__racecourse", "announced_by")
    search_fields = ("race__name", "race__meeting__reference")
