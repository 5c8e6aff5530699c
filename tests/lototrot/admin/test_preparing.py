"""Change and discard a draft in the admin [E9]."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import localtime

from core.database import clock
from core.kernel.days import natural_day
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.preparing import ContestChange
from tests.support import factories
from tests.support.admin_desk import Desk, as_typed, row_url, text_of

pytestmark = pytest.mark.django_db


def typed(contest: Contest, **other: Any) -> dict[str, Any]:
    """Return the form as it is filled in with the contest's terms, but for `other`."""
    legs = {f"leg_{leg.position}": leg.race_id for leg in contest.legs.all()}
    return {
        "bet_type": contest.bet_type_id,
        "ticket_model": contest.ticket_model_id,
        "price_cents": "1.00",
        "max_bets": contest.max_bets,
        "correction_window_s": contest.correction_window_s,
        "scheduled_close_at": as_typed(contest.scheduled_close_at),
        **legs,
        **other,
    }


def test_a_draft_is_changed_in_a_form_that_shows_what_it_is(organiser: Desk) -> None:
    contest = factories.contest(state=Contest.State.DRAFT, price_cents=110)
    page = organiser.get(f"{row_url(contest).removesuffix('change/')}terms/")
    assert 'value="1.10"' in page
    assert 'value="10000"' in page
    organiser.do(contest, "terms", **typed(contest, price_cents="2,50", max_bets="7"))
    contest.refresh_from_db()
    assert (contest.price_cents, contest.max_bets) == (250, 7)
    assert ContestChange.objects.get().changed_by == organiser.person
    assert "terms before" in organiser.get(row_url(contest)).lower()


def test_two_persons_discard_a_draft(organiser: Desk) -> None:
    contest = factories.contest(state=Contest.State.DRAFT)
    organiser.do(contest, "discard", reason="Meeting cancelled")
    proposal = Proposal.objects.get()
    second = Desk(Role.ORGANISER)
    assert "Discarding of a contest" in second.get(row_url(proposal))
    second.do(proposal, "confirm")
    contest.refresh_from_db()
    assert contest.state == Contest.State.DISCARDED
    page = organiser.get(row_url(contest))
    assert "Meeting cancelled" in page
    assert not organiser.offers(contest, "terms", "discard", "open", "publish")
    desk = organiser.client.get(f"/admin/race-day/{contest.pk}/", follow=True)
    assert "Discarded" in text_of(desk)


def test_what_is_on_sale_is_not_offered_for_it_and_refused(organiser: Desk) -> None:
    contest = factories.contest()
    assert not organiser.offers(contest, "terms")
    organiser.refused(contest, "terms", "contest_not_draft", **typed(contest, max_bets="7"))
    organiser.refused(contest, "discard", "contest_not_draft", reason="Too late")
    assert not Proposal.objects.exclude(kind="lototrot.contest_opening").exists()


def test_a_contest_begins_as_the_last_one_of_its_bet_type(organiser: Desk) -> None:
    last = factories.meeting(races=8, day=natural_day(clock.now()))
    chosen = list(last.races.order_by("number"))[1:]
    closes_at = chosen[0].scheduled_start_at - timedelta(minutes=5)
    contest = factories.contest(last, races=chosen, price_cents=250, closes_at=closes_at)
    first_start_at = clock.now() + timedelta(days=7)
    coming = factories.meeting(races=8, first_start_at=first_start_at)
    page = organiser.get(f"{row_url(coming).removesuffix('change/')}contest/")
    assert 'value="2.50"' in page
    races = list(coming.races.order_by("number"))
    selected = [int(pk) for pk in re.findall(r'<option value="(\d+)" selected>', page)]
    assert selected[2:] == [race.pk for race in races[1:]]
    assert selected[0] == contest.bet_type_id
    moved = localtime(races[1].scheduled_start_at - timedelta(minutes=5))
    assert moved.strftime("%Y-%m-%dT%H:%M") in page


def test_the_first_contest_of_a_bet_type_has_its_races_and_its_price(organiser: Desk) -> None:
    factories.bet_type("five-races")
    coming = factories.meeting(races=8)
    page = organiser.get(f"{row_url(coming).removesuffix('change/')}contest/")
    races = [race.pk for race in coming.races.order_by("number")]
    selected = [int(pk) for pk in re.findall(r'<option value="(\d+)" selected>', page)]
    assert selected[-5:] == races[:5]
