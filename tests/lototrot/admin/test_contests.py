"""Run a contest from its draft to its closing in the admin."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry

from core.staff.powers import Role
from core.staff.signals import SESSION_KEY
from lototrot.models.contest import Contest, ScheduleChange
from lototrot.models.programme import Meeting
from tests.support import factories
from tests.support.admin_desk import (
    RULES,
    Desk,
    as_typed,
    confirm_pending,
    row_url,
)
from tests.support.lototrot.contest_form import new_contest

pytestmark = pytest.mark.django_db


def test_a_contest_from_draft_to_closing(organiser: Desk) -> None:
    meeting = factories.meeting()
    organiser.do(meeting, "contest", **new_contest(meeting))
    contest = Contest.objects.get()
    assert (contest.price_cents, contest.max_bets, contest.legs.count()) == (150, 5000, 7)
    page = organiser.get(row_url(contest))
    assert "€1.50" in page
    assert "The programme is not published" in page
    refusal = organiser.refused(contest, "open", "gates_shut")
    assert "rules_unpublished" in refusal
    assert "14.III.6.2" in refusal
    assert Contest.objects.get().state == Contest.State.DRAFT
    organiser.do(contest, "publish", **RULES)
    assert not organiser.offers(contest, "publish")
    organiser.do(contest, "open")
    assert Contest.objects.get().state == Contest.State.DRAFT
    confirm_pending("lototrot.contest_opening", Role.ORGANISER)
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN
    later = contest.scheduled_close_at - timedelta(minutes=10)
    organiser.do(contest, "schedule", to_at=as_typed(later))
    change = ScheduleChange.objects.get()
    assert (change.to_at, change.changed_by) == (later, organiser.person)
    assert change.changed_in_id == organiser.client.session[SESSION_KEY]
    organiser.do(contest, "close")
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "organiser")
    entries = LogEntry.objects.filter(user=organiser.person).order_by("pk")
    acts = [e.change_message.split(": ")[1].split()[0] for e in entries]
    assert acts == ["contest", "publish", "open", "schedule", "close"]


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ORGANISER])
def test_contests_are_the_organisers(role: Role) -> None:
    desk, contest = Desk(role), factories.contest(correction_window_s=60)
    acts = ("publish", "open", "schedule", "close", "breach_void", "settle", "order")
    assert not desk.offers(contest, *acts)
    for act in acts:
        assert desk.ask(contest, act, **RULES).status_code == 403
    for act in ("approve", "contest"):
        assert desk.ask(contest.meeting, act).status_code == 403
    assert desk.ask(Meeting, "import").status_code == 403
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN
