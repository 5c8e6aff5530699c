"""Stop sales and announce another start from the admin [E12, E13]."""

from datetime import timedelta

import pytest

from core.premises.models import Premises
from core.staff.powers import Role
from lototrot.models.contest import Contest, ScheduleChange
from lototrot.models.running import StartAnnouncement
from lototrot.models.stops import SalesStop, SignalDevice
from tests.support import factories
from tests.support.admin_desk import Desk, as_typed, confirm_pending

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]


def test_sales_are_stopped_and_go_on_again(stewards: Desk) -> None:
    """[E12]: from a race and from its meeting; a second steward confirms that they go on."""
    race = factories.races_of(factories.contest())[0]
    stewards.do(race, "stop", source="The horses are off")
    assert Contest.objects.get().state == Contest.State.STOPPED
    stop = SalesStop.objects.get()
    assert (stop.stopped_by, stop.source) == (stewards.person, "The horses are off")
    stewards.do(stop, "lift", reason="A false start")
    confirm_pending("lototrot.stop_lifting", Role.STEWARDS)
    assert Contest.objects.get().state == Contest.State.OPEN
    assert not stewards.offers(stop, "lift")
    stewards.do(race.meeting, "stop", source="Fire")
    assert Contest.objects.get().state == Contest.State.STOPPED
    assert not Desk(Role.ORGANISER).offers(race, "stop")


def test_a_delay_is_announced_and_the_closing_moved_to_it(stewards: Desk) -> None:
    contest = factories.contest()
    race, later = factories.races_of(contest)[0], contest.scheduled_close_at + timedelta(minutes=5)
    organiser = Desk(Role.ORGANISER)
    typed = {"to_at": as_typed(later), "reason": "Delayed"}
    organiser.refused(contest, "schedule", "schedule_later", to_at=as_typed(later))
    organiser.refused(contest, "postpone", "after_announced_start", **typed)
    stewards.do(race, "announce_start", start_at=as_typed(later), source="Stewards")
    assert StartAnnouncement.objects.get().announced_by == stewards.person
    organiser.do(contest, "postpone", **typed)
    confirm_pending("lototrot.closing_postponement", Role.STEWARDS)
    assert ScheduleChange.objects.get().to_at == later


def test_a_device_that_signals_starts_is_appointed_and_ended(stewards: Desk) -> None:
    race = factories.races_of(factories.contest())[0]
    point = factories.point(factories.premises(Premises.Kind.RACECOURSE_POINT))
    stewards.do(
        SignalDevice,
        "appoint",
        terminal=point.terminal.code,
        racecourse=race.racecourse.code,
    )
    confirm_pending("lototrot.signal_device", Role.STEWARDS)
    device = SignalDevice.objects.get()
    assert (device.terminal, device.racecourse) == (point.terminal, race.racecourse)
    assert not Desk(Role.ORGANISER).offers(device, "end")
    stewards.do(device, "end")
    assert SignalDevice.objects.get().ended_by == stewards.person
