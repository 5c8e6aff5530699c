"""Import a programme with everything that players read: drivers, form, distances, long names."""

import json
from collections.abc import Sequence
from datetime import timedelta

from core.database import clock
from core.kernel.days import MADRID, natural_day
from core.staff.powers import Role
from lototrot.models.contest import BetType, Contest
from lototrot.models.programme import Race
from lototrot.services.programme.official import approval_record, programme_import
from tests.support import factories
from tests.support.lototrot.meeting_by_api import programme

HORSES = (
    "Hurricane de Felanitx",
    "Bella",
    "Quaterna de Son Bauló SF",
    "Trot d'Or",
    "Fènix de Bellver",
    "Ídol",
    "Nit de Sant Joan",
    "Vent de Llevant",
    "Unix Gédé",
)
DRIVERS = ("Miquel À. Bauçà Fullana", "J. Riera", "Maria del Mar Taltavull", "Toni Frau")
FORM = ("1 3 D 2", "0 0 5", "2 1 1 4 D", "")
ELSEWHERE = {
    "code": "MAO",
    "name": "Hipòdrom Municipal de Maó",
    "timezone": "Europe/Madrid",
    "municipality": "Maó",
    "country": "ES",
}


def contest(
    numbers: Sequence[int] = range(1, 10), *, rules: BetType | None = None, window_s: int = 0
) -> Contest:
    """Return a contest on sale on seven races at two racecourses, the first in two hours."""
    now = clock.now().astimezone(MADRID).replace(second=0, microsecond=0)
    first = now + timedelta(hours=2)
    starts = [first + timedelta(minutes=30 * number) for number in range(7)]
    document = programme(starts, natural_day(first))
    document["racecourses"].append(ELSEWHERE)
    for place, race in enumerate(document["races"]):
        race |= {"distance_m": 2100 + 25 * place, "name": f"Premi Ajuntament, {place + 1}"}
        race["racecourse"] = "MAO" if place > 3 else race["racecourse"]
        race["runners"] = [_runner(place, number) for number in numbers]
    by = factories.staff(Role.ORGANISER)
    meeting = programme_import(by=by, data=json.dumps(document).encode(), format="json")
    approved = {"approved_by": "Federació Balear de Trot", "reference": "FBT-1"}
    approval_record(by=by, meeting=meeting, approved_at=clock.now(), **approved)
    factories.internal_bets(meeting, ())
    races = list(Race.objects.filter(meeting=meeting).order_by("scheduled_start_at"))
    new_contest: Contest = factories.contest(
        meeting, races=races, rules=rules, correction_window_s=window_s
    )
    return new_contest


def _runner(race: int, number: int) -> dict[str, object]:
    at = race + number
    runner = {
        "number": number,
        "name": HORSES[at % len(HORSES)],
        "driver": DRIVERS[at % len(DRIVERS)],
    }
    form = FORM[at % len(FORM)]
    return runner | ({"form": form} if form else {})
