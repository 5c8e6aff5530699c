"""Record the start of a race, or declare that it is not run, through the services."""

from datetime import datetime

from core.database import clock
from core.staff.powers import Role
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart
from lototrot.services.races.starts import race_declare, start_record
from tests.support import factories as f

Kind = RaceDeclaration.Kind


def start(race: Race, at: datetime | None = None, **more) -> RaceStart:
    by = more.pop("by", None) or f.staff(Role.STEWARDS)
    at = at or clock.now()
    return start_record(
        by=by, race_id=race.pk, actual_start_at=at, source=more.pop("source", "Starter")
    )


def declare(race: Race, kind: str = Kind.NOT_RUN, **more) -> RaceDeclaration:
    by = more.pop("by", None) or f.staff(Role.ORGANISER)
    reason = more.pop("reason", "Storm")
    return race_declare(by=by, race_id=race.pk, kind=kind, reason=reason, **more)
