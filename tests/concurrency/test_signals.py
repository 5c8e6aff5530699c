"""A device at the course signals a start while a person ends it (14.III.4) [E12]."""

import pytest
from django.db import connection, transaction

from core.premises.models import Premises
from core.staff.powers import Role
from lototrot.models.stops import SalesStop
from lototrot.services.races import signals
from tests.support import factories
from tests.support.concurrency.sales import apart, eventually
from tests.support.databases import Database

_BLOCKED = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid)))
"""


def somebody_waits() -> bool:
    """Return whether another connection waits for this one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(_BLOCKED)
        return bool(cursor.fetchone()[0])


@pytest.mark.article("14.III.4")
def test_a_device_that_is_ended_meanwhile_signals_nothing(own_database: Database) -> None:
    """The signal waits for the person who ends the device, and is then refused by its code."""
    race = factories.races_of(factories.contest())[0]
    point = factories.point(factories.premises(Premises.Kind.RACECOURSE_POINT))
    device = factories.signal_device(race.racecourse, point)
    by = factories.staff(Role.STEWARDS)
    with transaction.atomic():
        signals.device_end(by=by, device_id=device.pk)
        signal = apart(lambda: signals.race_signal(terminal=point.bare, race_id=race.pk))
        eventually(somebody_waits)
    with pytest.raises(signals.NotSignalDevice):
        signal.result()
    assert not SalesStop.objects.exists()
