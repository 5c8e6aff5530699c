"""A device at the course stops sales, and nothing else (14.III.4) [E12]."""

import pytest

from core.database import clock
from core.premises.models import Premises, Terminal
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from core.staff.two_persons import ProposalPending
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.stops import SignalDevice
from lototrot.selectors.contests import RaceUnknown
from lototrot.services.races import signals
from lototrot.services.races.stopping import NothingOnSale, stop_lift
from tests.support import factories as f

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]


@pytest.fixture
def point() -> f.Point:
    return f.point(f.premises(Premises.Kind.RACECOURSE_POINT))


def test_a_signal_stops_sales_and_two_persons_let_them_go_on(
    contest: Contest, race: Race, point: f.Point
) -> None:
    shop = f.point()
    f.signal_device(race.racecourse, point)
    stop = signals.race_signal(terminal=point.bare, race_id=race.pk)
    assert (stop.terminal, stop.stopped_by, stop.source) == (point.terminal, None, signals.SOURCE)
    assert f.sell(contest, shop).outcome == "sales_stopped"
    again = signals.race_signal(terminal=point.bare, race_id=race.pk)
    assert again.pk == stop.pk
    one, other = f.two_stewards()
    lifting = stop_lift(by=one, stop_id=stop.pk, reason="A false start")
    two_persons.confirm(proposal=lifting.uuid, by=other)
    assert f.sell(contest, shop).outcome == "sold"


def test_a_signal_is_refused_where_it_does_not_count(
    contest: Contest, race: Race, point: f.Point
) -> None:
    f.signal_device(f.racecourse(), point)
    with pytest.raises(signals.NotSignalDevice):
        signals.race_signal(terminal=point.bare, race_id=race.pk)
    device = f.signal_device(race.racecourse, point)
    with pytest.raises(RaceUnknown):
        signals.race_signal(terminal=point.bare, race_id=0)
    f.contest_closed(contest, sealed=False)
    with pytest.raises(NothingOnSale):
        signals.race_signal(terminal=point.bare, race_id=race.pk)
    f.time_to(contest.meeting.ends_at)
    with pytest.raises(signals.SignalOutsideMeeting):
        signals.race_signal(terminal=point.bare, race_id=race.pk)
    signals.device_end(by=f.staff(Role.STEWARDS), device_id=device.pk)
    with pytest.raises(signals.NotSignalDevice):
        signals.race_signal(terminal=point.bare, race_id=race.pk)


def test_two_persons_appoint_a_terminal_of_a_racecourse_and_one_ends_it(
    race: Race, point: f.Point
) -> None:
    one, other = f.two_stewards()
    place = {"terminal": point.terminal.code, "racecourse": race.racecourse.code}
    with pytest.raises(PowerMissing):
        signals.device_appoint(by=f.staff(Role.ORGANISER), **place)
    with pytest.raises(signals.RacecourseUnknown):
        signals.device_appoint(by=one, **place | {"racecourse": "NOWHERE"})
    with pytest.raises(signals.SignalDevicePlace):
        signals.device_appoint(by=one, **place | {"terminal": f.point().terminal.code})
    proposal = signals.device_appoint(by=one, **place)
    with pytest.raises(ProposalPending):
        signals.device_appoint(by=other, **place)
    assert not SignalDevice.objects.exists()
    two_persons.confirm(proposal=proposal.uuid, by=other)
    device = SignalDevice.objects.get()
    assert (device.terminal, device.racecourse) == (point.terminal, race.racecourse)
    with pytest.raises(signals.SignalDeviceAppointed):
        signals.device_appoint(by=one, **place)
    with pytest.raises(signals.SignalDeviceUnknown):
        signals.device_end(by=one, device_id=0)
    ended = signals.device_end(by=one, device_id=device.pk)
    assert signals.device_end(by=other, device_id=device.pk).ended_by_id == ended.ended_by_id
    signals.device_appoint(by=one, **place)


def test_a_terminal_that_is_revoked_meanwhile_is_not_appointed(race: Race, point: f.Point) -> None:
    one, other = f.two_stewards()
    proposal = signals.device_appoint(
        by=one, terminal=point.terminal.code, racecourse=race.racecourse.code
    )
    Terminal.objects.filter(pk=point.terminal.pk).update(revoked_at=clock.now())
    with pytest.raises(signals.SignalDevicePlace):
        two_persons.confirm(proposal=proposal.uuid, by=other)
