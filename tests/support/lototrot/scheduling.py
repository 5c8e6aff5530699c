"""Announce a delayed start and move the closing to it, by two persons [E13]."""

from datetime import datetime

from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.services.contest.schedule import schedule_postpone
from lototrot.services.races.announcing import start_announce
from tests.support import factories as f


def postpone(contest: Contest, to_at: datetime) -> Contest:
    """Announce that the contest's first race starts then, and let the contest close then."""
    steward = f.staff(Role.STEWARDS)
    first = contest.legs.order_by("race__scheduled_start_at").first()
    assert first is not None
    start_announce(by=steward, race_id=first.race_id, start_at=to_at, source="Stewards")
    proposal = schedule_postpone(
        by=f.staff(Role.ORGANISER), contest_id=contest.pk, to_at=to_at, reason="Delayed"
    )
    two_persons.confirm(proposal=proposal.uuid, by=steward)
    contest.refresh_from_db()
    return contest
