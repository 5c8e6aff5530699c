"""Report the start of a race, or declare that it gave no result, and have it confirmed."""

from datetime import datetime
from typing import Any

from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision
from core.staff.powers import Role
from lototrot.models.programme import Meeting, Race
from lototrot.models.running import RaceDeclaration, RaceStart
from lototrot.services.races.declarations import meeting_declare, race_declare
from lototrot.services.races.starts import start_report
from tests.support import factories as f

Kind = RaceDeclaration.Kind
_DECIDED = {"reason": "Storm", "text": "Resolució", "author": "authority"}


def start(
    race: Race,
    at: datetime | None = None,
    *,
    by: StaffActor | None = None,
    second: StaffActor | None = None,
    source: str = "Starter",
) -> RaceStart:
    """Report a start, which stops sales, and confirm it, which closes the contests [E12]."""
    by, second = by or f.staff(Role.STEWARDS), second or f.staff(Role.STEWARDS)
    proposal = start_report(by=by, race_id=race.pk, actual_start_at=at, source=source)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    return RaceStart.objects.get(proposal=proposal)


def declare(race: Race, kind: str = Kind.NOT_RUN, **more: Any) -> RaceDeclaration:
    """Declare that a race gave no result, by two persons [B17]."""
    by, second = more.pop("by", None), more.pop("second", None)
    proposal = race_declare(
        by=by or f.staff(Role.ORGANISER), race_id=race.pk, kind=kind, **_DECIDED | more
    )
    if not Decision.objects.filter(proposal=proposal).exists():
        two_persons.confirm(proposal=proposal.uuid, by=second or f.staff(Role.STEWARDS))
    return RaceDeclaration.objects.get(race=race, superseded_at=None)


def call_off(meeting: Meeting, **more: Any) -> list[RaceDeclaration]:
    """Declare that the races of a meeting that have not started are not run, by two persons."""
    by = more.pop("by", None) or f.staff(Role.ORGANISER)
    proposal = meeting_declare(by=by, meeting=meeting, **_DECIDED | more)
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))
    return list(RaceDeclaration.objects.filter(proposal=proposal).order_by("pk"))
