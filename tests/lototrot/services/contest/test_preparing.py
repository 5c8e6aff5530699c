"""Change and discard contests that were never on sale, and nothing else [E9]."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from core.staff.two_persons import ProposalPending, SamePerson
from lototrot.models.contest import Contest
from lototrot.models.preparing import ContestChange, Discard
from lototrot.selectors.contests import RaceUnknown
from lototrot.services.contest.contests import (
    ContestNotOpen,
    ScheduleOutOfPlace,
    display_acknowledge,
)
from lototrot.services.contest.facts import contest_facts
from lototrot.services.contest.preparing import (
    ContestNotDraft,
    ContestOfDayExists,
    LaterMeetingSettled,
    PublishedAlready,
    RacesRemoved,
    TermsRefused,
    contest_change,
    contest_discard,
    terms_of,
)
from lototrot.services.races.course import contests_including
from lototrot.services.reasons import ReasonMissing
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories, rounds
from tests.support.lototrot.putting_on_sale import created, opened, published

pytestmark = pytest.mark.django_db


def discarded(contest: Contest, by: StaffActor) -> Contest:
    """Return a draft that two persons have discarded."""
    proposal = contest_discard(by=by, contest_id=contest.pk, reason="Cancelled")
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    contest.refresh_from_db()
    return contest


# --- Changes --------------------------------------------------------------------------------------


def test_each_term_of_a_draft_may_change_and_what_it_was_stays(by: StaffActor) -> None:
    meeting = factories.meeting(races=8)
    contest = created(by, meeting)
    races = list(meeting.races.order_by("-number"))[:7]
    changes = {
        "price_cents": 250,
        "max_bets": 77,
        "ticket_model": None,
        "races": races,
        "scheduled_close_at": contest.scheduled_close_at - timedelta(minutes=5),
        "correction_window_s": 60,
        "correction_approval": "CAIB 3/2006",
    }
    changed = contest_change(by=by, contest_id=contest.pk, **changes)
    terms = terms_of(changed)
    assert {name: getattr(terms, name) for name in changes} == changes
    (kept,) = ContestChange.objects.all()
    assert set(kept.before) == set(kept.after) == set(changes)
    assert (kept.before["price_cents"], kept.after["price_cents"]) == (100, 250)
    assert (kept.changed_by_id, kept.changed_in_id) == (by.user_id, by.session_id)


def test_the_same_terms_again_change_nothing(by: StaffActor) -> None:
    contest = created(by)
    for _ in range(2):
        contest_change(by=by, contest_id=contest.pk, price_cents=200)
    assert ContestChange.objects.count() == 1


def test_a_bet_type_of_more_races_takes_more_races(by: StaffActor) -> None:
    meeting = factories.meeting()
    races = list(meeting.races.order_by("number"))
    contest = created(by, meeting, bet_type=factories.bet_type("five-races"))
    seven = factories.bet_type()
    changed = contest_change(by=by, contest_id=contest.pk, bet_type=seven, races=races)
    assert (changed.bet_type_code, factories.races_of(changed)) == ("lototrot", races)
    assert len(changed.offered_masks) == 7
    with pytest.raises(RacesRemoved):
        contest_change(by=by, contest_id=contest.pk, races=races[:5])


def test_races_may_change_places(by: StaffActor) -> None:
    contest = created(by)
    races = [*reversed(factories.races_of(contest))]
    assert factories.races_of(contest_change(by=by, contest_id=contest.pk, races=races)) == races


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"price_cents": 0}, TermsRefused),
        ({"correction_window_s": 5}, TermsRefused),
        ({"scheduled_close_at": rounds.NOON}, ScheduleOutOfPlace),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_impossible_terms_write_nothing(
    by: StaffActor, changes: dict[str, Any], error: type[Exception]
) -> None:
    contest = created(by)
    with pytest.raises(error):
        contest_change(by=by, contest_id=contest.pk, **changes)
    with pytest.raises(RaceUnknown):
        other = factories.meeting(day=contest.day)
        contest_change(by=by, contest_id=contest.pk, races=list(other.races.all()))
    assert not ContestChange.objects.exists()


def test_what_is_published_stays_but_the_price_may_still_change(by: StaffActor) -> None:
    contest = published(by, created(by))
    races = [*reversed(factories.races_of(contest))]
    with pytest.raises(PublishedAlready):
        contest_change(by=by, contest_id=contest.pk, races=races)
    changed = contest_change(by=by, contest_id=contest.pk, price_cents=200)
    assert opened(by, changed).price_cents == 200


def test_a_sale_tried_on_a_draft_does_not_keep_its_old_price(by: StaffActor) -> None:
    contest, place = published(by, created(by)), factories.point()
    assert contest_facts(contest.pk).price_cents == 100
    contest_change(by=by, contest_id=contest.pk, price_cents=200)
    display_acknowledge(by=place.actor, contest=opened(by, contest))
    request = SaleRequest(new_uuid(), contest.pk, ((1,),) * 7, 200, 200)
    sold = ticket_sell(credentials=place.credentials, request=request)
    assert sold.amount_cents == 200


def test_a_draft_whose_closing_has_passed_may_get_another(by: StaffActor) -> None:
    contest = created(by)
    first = contest.scheduled_close_at
    contest_change(by=by, contest_id=contest.pk, scheduled_close_at=first - timedelta(hours=1))
    factories.time_to(first - timedelta(minutes=30))
    changed = contest_change(by=by, contest_id=contest.pk, scheduled_close_at=first)
    assert changed.scheduled_close_at == first


def test_a_draft_cannot_move_to_a_bet_type_that_has_its_contest_that_day(by: StaffActor) -> None:
    meeting = factories.meeting()
    created(by, meeting)
    five = created(by, meeting, bet_type=factories.bet_type("five-races"))
    races = list(meeting.races.order_by("number"))
    with pytest.raises(ContestOfDayExists):
        contest_change(by=by, contest_id=five.pk, bet_type=factories.bet_type(), races=races)


# --- Discards -------------------------------------------------------------------------------------


def test_two_persons_discard_a_draft_and_its_day_is_free(by: StaffActor) -> None:
    contest = created(by)
    proposal = contest_discard(by=by, contest_id=contest.pk, reason="Cancelled")
    with pytest.raises(ProposalPending):
        contest_discard(by=by, contest_id=contest.pk, reason="Cancelled")
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    with pytest.raises(ContestOfDayExists):
        created(by, contest.meeting)
    second = factories.staff(Role.ORGANISER)
    for _ in range(2):
        two_persons.confirm(proposal=proposal.uuid, by=second)
    contest.refresh_from_db()
    assert (contest.state, contest.code_secret) == (Contest.State.DISCARDED, None)
    assert contest.discard.reason == "Cancelled"
    other = created(by, contest.meeting)
    assert contests_including(other.legs.first().race_id) == [other.pk]
    with pytest.raises(ContestNotOpen):
        display_acknowledge(by=factories.point().actor, contest=contest)


def test_a_discard_says_why(by: StaffActor) -> None:
    with pytest.raises(ReasonMissing):
        contest_discard(by=by, contest_id=created(by).pk, reason=" ")


def open_now(contest: Contest, by: StaffActor) -> None:
    opened(by, published(by, contest))


@pytest.mark.parametrize("become", [open_now, discarded])
def test_what_is_no_draft_is_neither_changed_nor_discarded(
    by: StaffActor, become: Callable[[Contest, StaffActor], Any]
) -> None:
    contest = created(by)
    become(contest, by)
    with pytest.raises(ContestNotDraft):
        contest_change(by=by, contest_id=contest.pk, price_cents=200)
    with pytest.raises(ContestNotDraft):
        contest_discard(by=by, contest_id=contest.pk, reason="Late")


def test_one_opened_between_the_two_persons_is_not_discarded(by: StaffActor) -> None:
    contest = published(by, created(by))
    proposal = contest_discard(by=by, contest_id=contest.pk, reason="Cancelled")
    opened(by, contest)
    with pytest.raises(ContestNotDraft):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN


def test_the_database_refuses_what_the_services_refuse(by: StaffActor) -> None:
    contest = created(by)
    with pytest.raises(IntegrityError, match="two persons discard"), transaction.atomic():
        Contest.objects.filter(pk=contest.pk).update(state="discarded", code_secret=None)
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        Discard.objects.create(
            contest=contest,
            reason="Alone",
            discarded_at=clock.now(),
            proposal=factories.proposal("other"),
        )
    open_now(contest, by)
    confirmed = factories.proposal("lototrot.contest_discard")
    with pytest.raises(IntegrityError, match="no draft"), transaction.atomic():
        Discard.objects.create(
            contest=contest, reason="Late", discarded_at=clock.now(), proposal=confirmed
        )
    for column in ("price_cents", "max_bets", "bet_type_id", "correction_window_s"):
        with (
            pytest.raises(IntegrityError, match="before it is on sale"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(f"UPDATE lototrot_contest SET {column} = {column} + 1")
    with pytest.raises(IntegrityError, match="no draft"), transaction.atomic():
        contest.legs.filter(position=1).update(
            race=factories.race(contest.meeting, 9, clock.now(), course=factories.racecourse())
        )


# --- The chain ------------------------------------------------------------------------------------


def test_no_contest_is_prepared_before_one_that_is_settled(by: StaffActor) -> None:
    """Its jackpot would come from a later day [A4, A20]."""
    factories.time_to(rounds.NOON)
    later = rounds.settled(factories.point())
    earlier = factories.meeting(races=2, day=later.day - timedelta(days=1))
    with pytest.raises(LaterMeetingSettled) as refusal:
        created(by, earlier, bet_type=later.bet_type)
    assert refusal.value.data == {"contest": later.pk, "day": later.day.isoformat()}
