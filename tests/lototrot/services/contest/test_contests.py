"""Putting a contest on sale: every gate of [E8], and what can never be a contest."""

import dataclasses
import uuid
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction

from core.database import clock
from core.premises.models import Premises
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.engine.bet_type import BetTypeRefused
from lototrot.models.contest import BetType, Contest, Publication, TicketModel
from lototrot.models.programme import FederationApproval, Meeting, Race
from lototrot.services.contest.contests import (
    AuthorisationMissing,
    BetTypeRecorded,
    ContestNotOpen,
    ContestOfDayExists,
    ContestUnknown,
    CourseUnderWay,
    GatesShut,
    ProgrammeNotApproved,
    PublishedAlready,
    RaceRepeated,
    RaceUnknown,
    RulesIncomplete,
    ScheduleOutOfPlace,
    TermsRefused,
    TicketModelRecorded,
    bet_type_record,
    contest_create,
    contest_gates,
    contest_get,
    contest_open,
    contest_publish,
    display_acknowledge,
    internal_bet_type_record,
    ticket_model_record,
)
from lototrot.services.tickets.selling import MultipleNotAuthorised, SaleRequest, ticket_sell
from tests.support import factories

pytestmark = pytest.mark.django_db

RULES = {code: f"The rules in {code}." for code, _ in settings.LANGUAGES}
DOCUMENT = {
    "code": "two-races",
    "version": 1,
    "name": "Two races",
    "legs": 2,
    "prize_percent": "60",
    "payout_step_cents": 1,
    "jackpot_threshold_cents": 0,
    "shares_below": {"2": "100", "reserve": "0"},
    "shares_above": {"2": "100", "reserve": "0"},
}


@pytest.fixture
def by() -> StaffActor:
    return factories.staff(Role.ORGANISER)


def of_legs(legs: int) -> dict[str, Any]:
    shares = {str(legs): "100", "reserve": "0"}
    return DOCUMENT | {
        "code": f"races-{legs}",
        "legs": legs,
        "shares_below": shares,
        "shares_above": shares,
    }


def created(by: StaffActor, meeting: Meeting | None = None, **changes: Any) -> Contest:
    """A contest that lacks nothing but what `changes` takes from it."""
    meeting = meeting or factories.meeting()
    bet_type = changes.pop("bet_type", None) or factories.bet_type()
    races = list(meeting.races.order_by("number"))[: bet_type.document["legs"]]
    given = {
        "meeting": meeting,
        "bet_type": bet_type,
        "ticket_model": factories.ticket_model(),
        "races": races,
        "price_cents": 100,
        "max_bets": 10_000,
        "scheduled_close_at": min(race.scheduled_start_at for race in races),
    }
    return contest_create(by=by, **(given | changes))


def published(by: StaffActor, contest: Contest) -> Contest:
    contest_publish(by=by, contest=contest, rules=RULES)
    return contest


def shut(contest: Contest) -> list[tuple[str, str]]:
    return [(gate.code, gate.article) for gate in contest_gates(contest=contest)]


# --- Gates ----------------------------------------------------------------------------------------


@pytest.mark.article("14.I.2", "14.III.5.1", "14.III.5.2", "14.III.6.2", "14.II.2")
def test_a_contest_opens_once_nothing_is_missing(by: StaffActor) -> None:
    contest = published(by, created(by))
    assert shut(contest) == []
    opened = contest_open(by=by, contest=contest)
    assert opened.state == Contest.State.OPEN
    assert opened.opened_at is not None
    assert opened.code_secret is not None
    assert opened.offered_masks == [0b1111111111] * 7
    again = contest_open(by=by, contest=contest)
    assert again.opened_at == opened.opened_at


def without_approval(by: StaffActor) -> Contest:
    return created(by, factories.meeting(approved=False))


def without_publication(by: StaffActor) -> Contest:
    return created(by)


def without_ticket_model(by: StaffActor) -> Contest:
    return published(by, created(by, ticket_model=None))


def with_an_unauthorised_model(by: StaffActor) -> Contest:
    model = TicketModel.objects.create(
        code="loose",
        version=1,
        authorisation=" ",
        authorised_on=date(2006, 1, 2),
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
    )
    return published(by, created(by, ticket_model=model))


def too_cheap(by: StaffActor) -> Contest:
    return published(by, created(by, price_cents=49))


def too_dear(by: StaffActor) -> Contest:
    return published(by, created(by, price_cents=601))


def with_a_race_less(by: StaffActor) -> Contest:
    meeting = factories.meeting()
    return published(by, created(by, meeting, races=list(meeting.races.all())[:6]))


def with_a_race_without_runners(by: StaffActor) -> Contest:
    meeting = factories.meeting(races=6)
    last = max(race.scheduled_start_at for race in meeting.races.all())
    course = meeting.races.first().racecourse
    factories.race(meeting, 7, last + timedelta(minutes=30), numbers=(), course=course)
    return published(by, created(by, meeting))


def of_an_internal_type(by: StaffActor) -> Contest:
    internal_bet_type_record(by=by, code="lototrot", name="Seven inside")
    return published(by, created(by))


GATES = [
    (without_approval, [("federation_approval_missing", "14.III.5.2")]),
    (
        without_publication,
        [
            ("programme_unpublished", "14.III.5.2"),
            ("rules_unpublished", "14.III.6.2"),
            ("percent_unpublished", "14.III.6.2"),
        ],
    ),
    (without_ticket_model, [("ticket_model_missing", "14.II.2")]),
    (with_an_unauthorised_model, [("ticket_model_missing", "14.II.2")]),
    (too_cheap, [("price_out_of_range", "14.III.2")]),
    (too_dear, [("price_out_of_range", "14.III.2")]),
    (with_a_race_less, [("wrong_race_count", "14.III.7")]),
    (with_a_race_without_runners, [("runners_missing", "14.III.5.2")]),
    (of_an_internal_type, [("bet_type_internal", "14.I.1")]),
]


@pytest.mark.article("14.I.1", "14.II.2", "14.III.2", "14.III.5.2", "14.III.6.2", "14.III.7")
@pytest.mark.parametrize(("make", "missing"), GATES, ids=[make.__name__ for make, _ in GATES])
def test_each_missing_gate_is_named_and_keeps_the_contest_shut(
    by: StaffActor, make: Callable[[StaffActor], Contest], missing: list[tuple[str, str]]
) -> None:
    contest = make(by)
    found = shut(contest)
    assert set(missing) <= set(found)
    if make is not without_approval:  # nothing can be published before it is approved
        assert found == missing
    with pytest.raises(GatesShut) as refusal:
        contest_open(by=by, contest=contest)
    assert [(g["code"], g["article"]) for g in refusal.value.data["missing"]] == found
    assert all(gate["detail"] for gate in refusal.value.data["missing"])
    contest.refresh_from_db()
    assert contest.state == Contest.State.DRAFT
    with pytest.raises(ContestNotOpen):
        display_acknowledge(by=factories.point().actor, contest=contest)


@pytest.mark.article("14.III.2")
@pytest.mark.parametrize("price_cents", [50, 600])
def test_the_limits_of_the_price_are_within_them(by: StaffActor, price_cents: int) -> None:
    contest = published(by, created(by, price_cents=price_cents))
    assert contest_open(by=by, contest=contest).state == Contest.State.OPEN


@pytest.mark.article("14.III.6.1")
def test_a_bet_type_below_sixty_percent_is_not_even_recorded(by: StaffActor) -> None:
    low = DOCUMENT | {"prize_percent": "59.99"}
    with pytest.raises(BetTypeRefused):
        bet_type_record(by=by, document=low, authorisation="CAIB 9")
    assert not BetType.objects.exists()


def test_every_shut_gate_is_named_at_once(by: StaffActor) -> None:
    meeting = factories.meeting(approved=False)
    internal_bet_type_record(by=by, code="lototrot", name="Seven inside")
    contest = created(
        by, meeting, ticket_model=None, price_cents=1, races=list(meeting.races.all())[:3]
    )
    assert [code for code, _ in shut(contest)] == [
        "bet_type_internal",
        "price_out_of_range",
        "wrong_race_count",
        "ticket_model_missing",
        "federation_approval_missing",
        "programme_unpublished",
        "rules_unpublished",
        "percent_unpublished",
    ]


def test_it_does_not_open_once_its_closing_has_passed(by: StaffActor) -> None:
    contest = published(by, created(by))
    factories.time_to(contest.scheduled_close_at)
    with pytest.raises(ScheduleOutOfPlace):
        contest_open(by=by, contest=contest)


@pytest.mark.parametrize("state", ["closed", "settled", "ordered"])
def test_what_has_been_on_sale_never_opens_again(by: StaffActor, state: str) -> None:
    contest = factories.contest_closed(factories.contest())
    for step in ("settled", "ordered")[: ("closed", "settled", "ordered").index(state)]:
        Contest.objects.filter(pk=contest.pk).update(state=step)
    with pytest.raises(GatesShut):
        contest_open(by=by, contest=contest)


# --- Publication ----------------------------------------------------------------------------------


@pytest.mark.article("14.III.1.1", "14.III.6.2")
def test_what_is_published_is_the_rules_and_the_percentage_and_stays(by: StaffActor) -> None:
    contest = created(by)
    first = contest_publish(by=by, contest=contest, rules=RULES)
    assert (first.rules, first.prize_percent) == (RULES, "60")
    assert contest_publish(by=by, contest=contest, rules=RULES) == first
    with pytest.raises(PublishedAlready):
        contest_publish(by=by, contest=contest, rules=RULES | {"ca": "Altres regles."})
    assert Publication.objects.get().rules == RULES


@pytest.mark.article("14.III.5.2")
def test_nothing_is_published_before_the_federation_approves(by: StaffActor) -> None:
    with pytest.raises(ProgrammeNotApproved):
        contest_publish(by=by, contest=without_approval(by), rules=RULES)


@pytest.mark.article("14.III.1.1")
@pytest.mark.parametrize("rules", [{}, {"ca": "Regles."}, RULES | {"es": " "}, RULES | {"fr": "?"}])
def test_the_rules_are_published_in_every_language(by: StaffActor, rules: dict[str, str]) -> None:
    with pytest.raises(RulesIncomplete):
        contest_publish(by=by, contest=created(by), rules=rules)


@pytest.mark.article("14.III.5.2")
def test_a_federation_approval_says_who_and_under_which_reference(by: StaffActor) -> None:
    for lack in ({"approved_by": ""}, {"reference": ""}):
        meeting = factories.meeting(approved=False)
        whole = {"approved_by": "Federació", "reference": "FBT-1"} | lack
        with pytest.raises(IntegrityError, match="approval_is_complete"), transaction.atomic():
            FederationApproval.objects.create(
                meeting=meeting,
                approved_at=clock.now(),
                recorded_by_id=by.user_id,
                recorded_in_id=by.session_id,
                recorded_at=clock.now(),
                **whole,
            )


@pytest.mark.article("14.III.5.2")
def test_only_those_that_sell_acknowledge_a_display_and_once(by: StaffActor) -> None:
    contest = factories.contest()
    place = factories.point()
    first = display_acknowledge(by=place.actor, contest=contest)
    assert display_acknowledge(by=place.actor, contest=contest) == first
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    with pytest.raises(Exception, match="do not do this"):
        display_acknowledge(by=office.actor, contest=contest)


# --- Bet types ------------------------------------------------------------------------------------


@pytest.mark.article("14.III.7", "14.III.5.1", "14.I.5")
@pytest.mark.parametrize("legs", range(2, 11))
def test_a_bet_type_is_data_from_two_to_ten_races(by: StaffActor, legs: int) -> None:
    """Recorded, published, opened and sold without any code for it; numbers 1 to 31."""
    bet_type = bet_type_record(by=by, document=of_legs(legs), authorisation="CAIB 9")
    meeting = factories.meeting(races=legs, numbers=range(1, 32))
    contest = contest_open(by=by, contest=published(by, created(by, meeting, bet_type=bet_type)))
    place = factories.point()
    display_acknowledge(by=place.actor, contest=contest)
    races = ((31, 1), *[(31,)] * (legs - 1))
    sold = ticket_sell(
        credentials=place.credentials,
        request=SaleRequest(uuid.uuid4(), contest.pk, races, 100, 200),
    )
    assert sold.masks == (1 << 30 | 1, *[1 << 30] * (legs - 1))


@pytest.mark.article("14.III.7")
@pytest.mark.parametrize("legs", [0, 1, 11])
def test_bet_types_of_fewer_or_more_races_are_refused(by: StaffActor, legs: int) -> None:
    with pytest.raises(BetTypeRefused):
        bet_type_record(by=by, document=of_legs(legs), authorisation="CAIB 9")


@pytest.mark.article("14.III.7")
def test_a_version_of_a_bet_type_never_changes(by: StaffActor) -> None:
    first = bet_type_record(by=by, document=DOCUMENT, authorisation="CAIB 9")
    assert bet_type_record(by=by, document=DOCUMENT, authorisation="CAIB 9") == first
    other = DOCUMENT | {"payout_step_cents": 10}
    with pytest.raises(BetTypeRecorded):
        bet_type_record(by=by, document=other, authorisation="CAIB 9")
    second = bet_type_record(by=by, document=other | {"version": 2}, authorisation="CAIB 9")
    assert second.pk != first.pk


@pytest.mark.parametrize(
    "change",
    [{"code": "x" * 40}, {"version": 2**31 - 1}, {"name": "x" * 64}],
    ids=["code", "version", "name"],
)
def test_what_the_rules_accept_the_database_holds(by: StaffActor, change: dict[str, Any]) -> None:
    bet_type = bet_type_record(by=by, document=DOCUMENT | change, authorisation="CAIB 9")
    assert created(by, bet_type=bet_type).bet_type_code == bet_type.code


@pytest.mark.article("14.II.2", "14.III.7")
@pytest.mark.parametrize("reference", ["", "  "])
def test_what_the_authority_has_not_authorised_is_not_recorded(
    by: StaffActor, reference: str
) -> None:
    with pytest.raises(AuthorisationMissing):
        bet_type_record(by=by, document=DOCUMENT, authorisation=reference)
    with pytest.raises(AuthorisationMissing):
        ticket_model_record(
            by=by,
            code="m",
            version=1,
            authorisation=reference,
            authorised_on=date(2006, 1, 2),
            multiple=True,
        )


@pytest.mark.article("14.II.2")
def test_a_version_of_a_ticket_model_is_recorded_once(by: StaffActor) -> None:
    given = {
        "by": by,
        "code": "m",
        "version": 1,
        "authorisation": "CAIB 2",
        "authorised_on": date(2006, 1, 2),
        "multiple": False,
    }
    ticket_model_record(**given)
    with pytest.raises(TicketModelRecorded):
        ticket_model_record(**given)


@pytest.mark.article("14.II.2")
def test_a_ticket_model_without_multiple_sells_single_bets_only(by: StaffActor) -> None:
    model = ticket_model_record(
        by=by,
        code="single",
        version=1,
        authorisation="CAIB 2",
        authorised_on=date(2006, 1, 2),
        multiple=False,
    )
    contest = contest_open(by=by, contest=published(by, created(by, ticket_model=model)))
    place = factories.point()
    factories.acknowledge(contest, place)
    single = SaleRequest(uuid.uuid4(), contest.pk, ((1,),) * 7, 100, 100)
    ticket_sell(credentials=place.credentials, request=single)
    double = dataclasses.replace(
        single, uuid=uuid.uuid4(), races=((1, 2), *((1,),) * 6), amount_cents=200
    )
    with pytest.raises(MultipleNotAuthorised):
        ticket_sell(credentials=place.credentials, request=double)


# --- Terms ----------------------------------------------------------------------------------------


@pytest.mark.article("14.I.2", "14.III.5.1")
def test_the_races_are_the_meetings_own_each_once(by: StaffActor) -> None:
    meeting, other = factories.meeting(), factories.meeting()
    races = list(meeting.races.all())
    with pytest.raises(RaceRepeated):
        created(by, meeting, races=[*races[:6], races[0]])
    with pytest.raises(RaceUnknown):
        created(by, meeting, races=[*races[:6], other.races.first()])
    with pytest.raises(RaceUnknown):
        created(by, meeting, races=[], scheduled_close_at=clock.now() + timedelta(hours=1))


def test_the_order_of_the_races_is_the_one_given(by: StaffActor) -> None:
    meeting = factories.meeting()
    races = list(meeting.races.order_by("-number"))
    contest = created(by, meeting, races=races)
    assert factories.races_of(contest) == races


TERMS = [
    {"price_cents": 0},
    {"price_cents": -1},
    {"max_bets": 0},
    {"correction_window_s": -1},
    {"correction_window_s": 60},
    {"correction_window_s": 60, "correction_approval": "  "},
]


@pytest.mark.parametrize("terms", TERMS, ids=str)
@pytest.mark.article("14.III.1.4")
def test_impossible_terms_are_refused(by: StaffActor, terms: dict[str, Any]) -> None:
    with pytest.raises(TermsRefused):
        created(by, **terms)
    assert not Contest.objects.exists()


def test_more_races_than_a_ticket_holds_are_refused(by: StaffActor) -> None:
    meeting = factories.meeting(races=11)
    with pytest.raises(TermsRefused):
        created(by, meeting, races=list(meeting.races.all()))


@pytest.mark.article("14.III.1.4")
def test_a_correction_window_needs_its_approval_in_the_database_too(by: StaffActor) -> None:
    approved = created(by, correction_window_s=60, correction_approval="CAIB 3/2006")
    assert approved.correction_window_s == 60
    row = Contest.objects.filter(pk=approved.pk).values().get()
    row |= {"id": row["id"] + 1, "day": date(2030, 1, 1), "correction_approval": ""}
    with pytest.raises(IntegrityError, match="correction_window_approved"), transaction.atomic():
        Contest.objects.create(**row)


@pytest.mark.article("14.III.4")
def test_the_scheduled_closing_lies_ahead_and_not_after_the_first_start(by: StaffActor) -> None:
    meeting = factories.meeting()
    first = min(race.scheduled_start_at for race in meeting.races.all())
    for instant in (clock.now(), first + timedelta(seconds=1)):
        with pytest.raises(ScheduleOutOfPlace):
            created(by, meeting, scheduled_close_at=instant)
    assert created(by, meeting, scheduled_close_at=first).scheduled_close_at == first


def test_there_is_one_contest_a_day_of_a_bet_type(by: StaffActor) -> None:
    """[A15], whether of the same meeting or of another on the same day."""
    meeting = factories.meeting()
    created(by, meeting)
    other = factories.meeting(day=meeting.day)
    for each in (meeting, other):
        with pytest.raises(ContestOfDayExists):
            created(by, each)
    five = factories.bet_type("five-races")
    assert created(by, other, bet_type=five).day == meeting.day


def test_an_unknown_contest_is_unknown() -> None:
    with pytest.raises(ContestUnknown):
        contest_get(2**31)


@pytest.mark.article("14.III.4")
@pytest.mark.parametrize("happened", [factories.started, factories.declared])
def test_a_contest_whose_course_is_under_way_is_not_put_on_sale(
    by: StaffActor, happened: Callable[[Race], object]
) -> None:
    """[E1] One race run early, or declared not run, and its result could be known."""
    contest = published(by, created(by, factories.meeting()))
    happened(factories.races_of(contest)[1])
    with pytest.raises(CourseUnderWay):
        contest_open(by=by, contest=contest)
