"""A lane's counter was changed by hand: its emission is stopped, not closed, and others go on."""

import pytest
from django.db import connection

from core.staff.powers import Role
from promotrot.alarms import ALARMS
from promotrot.models.emission import ClosingStatement, Emission, Lane, SaleStop
from promotrot.selectors.closing import LanesDisagree
from promotrot.selectors.emissions import unclosed
from promotrot.services.closing import emission_close_propose
from promotrot.services.selling import EmissionClosed
from tests.promotrot.services.test_closing import _books_hold
from tests.support import emitting, factories
from tests.support.databases import Database
from tests.support.journaling import as_owner


@pytest.mark.parametrize("by_hand", [1, -1])
@pytest.mark.article("15.III.6.2")
def test_its_closing_is_refused_by_a_stable_code_until_the_counter_is_right(
    own_database: Database, by_hand: int
) -> None:
    emission, other = emitting.opened(emitting.small()), emitting.opened(emitting.small("other"))
    emitting.sold_and_played(emission, 4)
    emitting.sold_and_played(other, 2)
    lane = emission.lanes.filter(taken=0 if by_hand > 0 else 1).first()
    assert lane is not None
    counted(own_database, lane, lane.taken + by_hand)
    proposal = emission_close_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    assert alarms() == 0
    for _ in range(2):  # again, by a person who believes that it was a slip
        with pytest.raises(LanesDisagree) as refusal:
            emitting.both(proposal)
        assert refusal.value.code == "lanes_disagree"
        assert refusal.value.data == {"emission": "small/1", "taken": 4 + by_hand, "sold": 4}
        emission.refresh_from_db()
        assert emission.state == Emission.State.STOPPED and emission in unclosed()
        assert not ClosingStatement.objects.exists()
        with pytest.raises(EmissionClosed):
            emitting.sold(emission, 1)
        assert alarms() == 1
    assert SaleStop.objects.get().emission == emission
    emitting.sold_and_played(other, 2)
    assert emitting.closed(other).closing.document["sold"] == 4
    counted(own_database, lane, lane.taken)
    assert alarms() == 0
    emitting.both(proposal)
    emission.refresh_from_db()
    assert (emission.state, emission.closing.document["sold"]) == (Emission.State.CLOSED, 4)
    _books_hold()


def counted(database: Database, lane: Lane, taken: int) -> None:
    """Set the counter of a lane as a person with the owner's password could."""
    with as_owner(database), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE promotrot_lane DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE promotrot_lane SET open = open AND %s < tickets, taken = %s WHERE id = %s",
            [taken, taken, lane.pk],
        )
        cursor.execute("ALTER TABLE promotrot_lane ENABLE TRIGGER USER")


def alarms() -> int:
    (alarm,) = (alarm for alarm in ALARMS if alarm.code == "promotrot_lanes_disagree")
    return len(alarm.rows())
