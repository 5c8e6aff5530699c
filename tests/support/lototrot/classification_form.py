"""Fill in the form of a classification, of a race that has started."""

from core.database import clock
from lototrot.models.programme import Race
from tests.support import factories
from tests.support.admin_desk import as_typed


def race_started() -> Race:
    race: Race = factories.meeting().races.first()
    factories.started(race)
    factories.time_pass(minutes=5)
    return race


def classification(race: Race, **other: str) -> dict[str, str]:
    typed = {f"outcome_{n}": "started" for n in range(1, 11)}
    return {
        **typed,
        "outcome_3": "winner",
        "place_3": "1",
        "announced_text": "1r: el 3",
        "announced_at": as_typed(clock.now()),
        "author": "Comissaris",
        **other,
    }
