"""Put a contest on sale: each gate of [E8] that is missing is named and keeps it shut."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from core.staff.two_persons import SamePerson
from lototrot.engine.bet_type import BetTypeRefused
from lototrot.models.contest import BetType, Contest, Publication, TicketModel
from lototrot.models.programme import FederationApproval, Race
from lototrot.services.authority.bet_types import bet_type_propose
from lototrot.services.contest.contests import (
    ContestNotOpen,
    ProgrammeNotApproved,
    ScheduleOutOfPlace,
    display_acknowledge,
)
from lototrot.services.contest.preparing import PublishedAlready, contest_change
from lototrot.services.contest.schedule import AfterAnnouncedStart
from lototrot.services.races.announcing import start_announce
from lototrot.services.tickets.layout import layout_digest
from lototrot.services.tickets.putting_on_sale import (
    CourseUnderWay,
    GatesShut,
    RulesIncomplete,
    TermsChanged,
    contest_open_propose,
    contest_publish,
)
from tests.support import factories
from tests.support.lototrot.putting_on_sale import (
    DOCUMENT,
    RULES,
    created,
    opened,
    published,
    shut,
)

pytestmark = pytest.mark.django_db


# --- Gates ----------------------------------------------------------------------------------------


@pytest.mark.article("14.I.2", "14.III.5.1", "14.III.5.2", "14.III.6.2", "14.II.2")
def test_a_contest_opens_once_nothing_is_missing(by: StaffActor) -> None:
    contest = published(by, created(by))
    assert shut(contest) == []
    on_sale = opened(by, contest)
    assert on_sale.state == Contest.State.OPEN
    assert on_sale.opened_at is not None
    assert on_sale.code_secret is not None
    assert on_sale.offered_masks == [0b1111111111] * 7
    with pytest.raises(GatesShut):
        contest_open_propose(by=by, contest=contest)


def test_one_organiser_alone_puts_nothing_on_sale(by: StaffActor) -> None:
    contest = published(by, created(by))
    proposal = contest_open_propose(by=by, contest=contest)
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=by)
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.STEWARDS))
    contest.refresh_from_db()
    assert contest.state == Contest.State.DRAFT


def test_what_the_second_person_did_not_read_is_not_put_on_sale(by: StaffActor) -> None:
    contest = published(by, created(by))
    proposal = contest_open_propose(by=by, contest=contest)
    contest_change(by=by, contest_id=contest.pk, price_cents=200)
    with pytest.raises(TermsChanged):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    contest.refresh_from_db()
    assert contest.state == Contest.State.DRAFT


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
        layout=layout_digest(),
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
    return published(by, created(by, factories.meeting(internal=("trio", "lototrot"))))


def without_the_list_of_internal_types(by: StaffActor) -> Contest:
    return published(by, created(by, factories.meeting(internal=None)))


def with_a_model_of_another_layout(by: StaffActor) -> Contest:
    model = TicketModel.objects.create(
        code="older",
        version=1,
        authorisation="CAIB 2/2006",
        authorised_on=date(2006, 1, 2),
        layout="ab" * 32,
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
    )
    return published(by, created(by, ticket_model=model))


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
    (without_the_list_of_internal_types, [("internal_bets_unlisted", "14.I.1")]),
    (with_a_model_of_another_layout, [("ticket_layout_changed", "14.II.2")]),
]


@pytest.mark.article("14.I.1", "14.II.2", "14.III.2", "14.III.5.2", "14.III.6.2", "14.III.7")
@pytest.mark.parametrize(("make", "missing"), GATES, ids=[make.__name__ for make, _ in GATES])
def test_each_missing_gate_is_named_and_keeps_the_contest_shut(
    by: StaffActor, make: Callable[[StaffActor], Contest], missing: list[tuple[str, str]]
) -> None:
    contest = make(by)
    gates = shut(contest)
    assert set(missing) <= set(gates)
    if make is not without_approval:  # nothing can be published before it is approved
        assert gates == missing
    with pytest.raises(GatesShut) as refusal:
        contest_open_propose(by=by, contest=contest)
    assert [(g["code"], g["article"]) for g in refusal.value.data["missing"]] == gates
    assert all(gate["detail"] for gate in refusal.value.data["missing"])
    contest.refresh_from_db()
    assert contest.state == Contest.State.DRAFT
    with pytest.raises(ContestNotOpen):
        display_acknowledge(by=factories.point().actor, contest=contest)


@pytest.mark.article("14.III.2")
@pytest.mark.parametrize("price_cents", [50, 600])
def test_the_limits_of_the_price_are_within_them(by: StaffActor, price_cents: int) -> None:
    contest = published(by, created(by, price_cents=price_cents))
    assert opened(by, contest).state == Contest.State.OPEN


@pytest.mark.article("14.III.6.1")
def test_a_bet_type_below_sixty_percent_is_not_even_recorded(by: StaffActor) -> None:
    low = DOCUMENT | {"prize_percent": "59.99"}
    with pytest.raises(BetTypeRefused):
        bet_type_propose(by=by, document=low, authorisation="CAIB 9")
    assert not BetType.objects.exists()


def test_every_shut_gate_is_named_at_once(by: StaffActor) -> None:
    meeting = factories.meeting(approved=False, internal=("lototrot",))
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


@pytest.mark.article("14.III.4")
def test_it_does_not_open_with_a_closing_after_the_announced_start(by: StaffActor) -> None:
    """[E13] The stewards announced the first race earlier than the programme has it."""
    contest = published(by, created(by, factories.meeting()))
    opening = contest_open_propose(by=by, contest=contest)
    closes_at, race = contest.scheduled_close_at, factories.races_of(contest)[0]
    earlier = closes_at - timedelta(minutes=20)
    start_announce(
        by=factories.staff(Role.STEWARDS), race_id=race.pk, start_at=earlier, source="Stewards"
    )
    with pytest.raises(AfterAnnouncedStart):
        two_persons.confirm(proposal=opening.uuid, by=factories.staff(Role.ORGANISER))
    with pytest.raises(AfterAnnouncedStart):
        contest_open_propose(by=by, contest=contest)
    two_persons.reject(proposal=opening.uuid, by=by)
    contest_change(by=by, contest_id=contest.pk, scheduled_close_at=earlier)
    assert contest_open_propose(by=by, contest=contest)


def test_it_does_not_open_once_its_closing_has_passed(by: StaffActor) -> None:
    contest = published(by, created(by))
    factories.time_to(contest.scheduled_close_at)
    with pytest.raises(ScheduleOutOfPlace):
        contest_open_propose(by=by, contest=contest)


@pytest.mark.parametrize("state", ["closed", "settled", "ordered"])
def test_what_has_been_on_sale_never_opens_again(by: StaffActor, state: str) -> None:
    contest = factories.contest_closed(factories.contest())
    for step in ("settled", "ordered")[: ("closed", "settled", "ordered").index(state)]:
        Contest.objects.filter(pk=contest.pk).update(state=step)
    with pytest.raises(GatesShut):
        contest_open_propose(by=by, contest=contest)


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


@pytest.mark.article("14.III.4")
@pytest.mark.parametrize("happened", [factories.started, factories.declared])
def test_a_contest_whose_course_is_under_way_is_not_put_on_sale(
    by: StaffActor, happened: Callable[[Race], object]
) -> None:
    """[E1] One race run early, or declared not run, and its result could be known."""
    contest = published(by, created(by, factories.meeting()))
    happened(factories.races_of(contest)[1])
    with pytest.raises(CourseUnderWay):
        contest_open_propose(by=by, contest=contest)
