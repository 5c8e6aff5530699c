"""Enter draws that were made with balls by hand."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.draws import documents, manual, services
from core.proofs.log import published
from core.staff import two_persons
from tests.support.urn import Hall, hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def room(monkeypatch: Any) -> Hall:
    return hall(monkeypatch)


def by_hand(room: Hall, **changes: Any) -> Any:
    given = {
        "order": ["5", "1", "8", "2", "3"],
        "drawn_at": clock.now(),
        "place": "Oficina Central",
        "witness": "Notary",
        "cause": "Tall de llum",
    } | changes
    return manual.manual_propose(by=room.organiser, draw=room.draw.uuid, **given)


@pytest.mark.article("14.III.5.4.4")
@pytest.mark.parametrize("committed", [False, True])
def test_a_draw_with_balls_is_entered_by_two_persons(room: Hall, committed: bool) -> None:
    if committed:
        room.committed()
    proposal = by_hand(room)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=room.organiser)
    two_persons.confirm(proposal=proposal.uuid, by=room.other)
    with pytest.raises(services.EntropyGiven):
        room.enter()
    with pytest.raises(services.DrawBegun):
        by_hand(room)
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    room.certify()
    assert room.urn.certified[0].order == ("5", "1", "8", "2", "3")
    log = published(kind=documents.MINUTES, subject=str(room.draw.uuid))
    assert log and log.document["method"] == "balls" and log.document["entropy"] is None
    assert (log.document["commitment"] is not None) == committed


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"place": " "}, services.PlaceNeeded),
        ({"witness": ""}, services.WitnessMissing),
        ({"cause": ""}, manual.CauseMissing),
        ({"order": ["5", "1", "8", "2"]}, manual.OrderMalformed),
        ({"order": ["5", "1", "8", "2", "2"]}, manual.OrderMalformed),
        ({"order": ["5", "1", "8", "2", "4"]}, manual.OrderMalformed),
    ],
)
def test_balls_that_cannot_be_are_refused(
    room: Hall, changes: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        by_hand(room, **changes)
    for length in (timedelta(hours=-3), timedelta(minutes=1)):
        with pytest.raises(manual.DrawnOutOfTime):
            by_hand(room, drawn_at=clock.now() + length)
