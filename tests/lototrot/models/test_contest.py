"""Check what the database refuses of contests, bet types and legs."""

from datetime import date, timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.ledger import services as ledger
from lototrot.engine.bet_type import MAX_LEGS
from lototrot.models.contest import Contest, ContestLeg, DisplayAcknowledgement
from tests.support import factories
from tests.support.lototrot.scheduling import postpone

pytestmark = pytest.mark.django_db


def refused(contest: Contest, **changes: object) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Contest.objects.filter(pk=contest.pk).update(**changes)


def test_a_contest_goes_from_state_to_state_and_never_back() -> None:
    contest = factories.contest(state=Contest.State.DRAFT)
    refused(contest, state=Contest.State.SETTLED)
    factories.contest_opened(contest)
    refused(contest, state=Contest.State.DRAFT)


def test_one_person_puts_nothing_on_sale() -> None:
    contest = factories.contest(state=Contest.State.DRAFT)
    on_sale = {"state": Contest.State.OPEN, "opened_at": clock.now()}
    refused(contest, **on_sale)
    refused(contest, **on_sale, opening=factories.proposal("lototrot.contest_discard"))
    factories.contest_opened(contest)
    refused(contest, opening=factories.proposal("lototrot.contest_discard"))


def test_the_terms_that_players_rely_on_do_not_change() -> None:
    contest = factories.contest()
    refused(contest, price_cents=200)
    refused(contest, max_bets=1)
    refused(contest, code_secret=b"x" * 32)
    with pytest.raises(DatabaseError), transaction.atomic():
        contest.bet_type.delete()


@pytest.mark.article("14.III.1.4", "14.III.5.1", "14.III.6.1")
@pytest.mark.parametrize(
    "name",
    [
        *("bet_type", "ticket_model", "price_cents", "max_bets", "premises_cap_cents"),
        *("correction_window_s", "correction_approval"),
    ],
)
def test_each_term_changes_only_until_the_contest_is_on_sale(name: str) -> None:
    """[E4, E9]: not even by SQL of the application's role."""
    other = factories.contest(factories.meeting(day=date(2031, 1, 1)), kind="five-races")
    changes = {
        "bet_type": {"bet_type": other.bet_type, "bet_type_code": other.bet_type_code},
        "ticket_model": {"ticket_model": None},
        "price_cents": {"price_cents": 200},
        "max_bets": {"max_bets": 3},
        "premises_cap_cents": {"premises_cap_cents": 500},
        "correction_window_s": {"correction_window_s": 60},
        "correction_approval": {"correction_approval": "CAIB 8"},
    }[name]
    window = {"correction_window_s": 30}
    draft = factories.contest(state=Contest.State.DRAFT, **window)
    assert Contest.objects.filter(pk=draft.pk).update(**changes)
    on_sale = factories.contest(factories.meeting(day=date(2031, 1, 2)), **window)
    with pytest.raises(IntegrityError, match="its terms change only"), transaction.atomic():
        Contest.objects.filter(pk=on_sale.pk).update(**changes)


@pytest.mark.article("14.III.4")
def test_what_the_closing_recorded_stays() -> None:
    contest = factories.contest_closed(factories.contest())
    later = clock.now() + timedelta(minutes=5)
    for changes in (
        {"closed_at": later},
        {"opened_at": contest.opened_at - timedelta(minutes=5)},
        {"closing_cause": Contest.Cause.START},
        {"offered_masks": [1] * 7},
    ):
        with pytest.raises(IntegrityError, match="recorded stays"), transaction.atomic():
            Contest.objects.filter(pk=contest.pk).update(**changes)


@pytest.mark.article("14.III.4")
def test_a_closing_that_has_been_reached_is_not_moved() -> None:
    contest = factories.contest()
    later = postpone(contest, contest.scheduled_close_at + timedelta(minutes=5)).scheduled_close_at
    factories.time_to(later)
    refused(contest, scheduled_close_at=later + timedelta(minutes=5))


@pytest.mark.article("14.III.4")
def test_a_closing_is_moved_as_the_newest_change_on_record_says() -> None:
    """[E13]"""
    contest = factories.contest()
    planned = contest.scheduled_close_at
    refused(contest, scheduled_close_at=planned + timedelta(minutes=5))
    refused(contest, scheduled_close_at=planned - timedelta(minutes=5))
    postpone(contest, planned + timedelta(minutes=5))
    refused(contest, scheduled_close_at=planned)
    refused(contest, scheduled_close_at=planned + timedelta(minutes=10))


def test_a_closed_contest_has_a_cause_and_a_settled_one_no_secret() -> None:
    contest = factories.contest()
    closed = {"state": Contest.State.CLOSED, "closed_at": contest.opened_at}
    refused(contest, **closed, code_secret=None)
    Contest.objects.filter(pk=contest.pk).update(**closed, closing_cause=Contest.Cause.START)
    refused(contest, state=Contest.State.SETTLED)
    Contest.objects.filter(pk=contest.pk).update(state=Contest.State.SETTLED, code_secret=None)


@pytest.mark.article("14.III.5.1")
def test_a_contest_has_each_race_once_and_ten_legs_at_most() -> None:
    meeting = factories.meeting(races=8)
    contest = factories.contest(meeting, state=Contest.State.DRAFT)
    race, other = factories.races_of(contest)[0], meeting.races.get(number=8)
    for position, of in ((8, race), (1, other), (MAX_LEGS + 1, other)):
        with pytest.raises(IntegrityError), transaction.atomic():
            ContestLeg.objects.create(contest=contest, position=position, race=of)
    ContestLeg.objects.create(contest=contest, position=MAX_LEGS, race=other)


@pytest.mark.article("14.III.5.1", "14.III.9.8")
def test_a_draft_is_of_its_meeting_and_its_chain_and_has_an_account_of_its_own() -> None:
    """These are not shown to the two who put it on sale: a program could have its takings, or the
    jackpot, be another contest's.
    """
    other = factories.contest(factories.meeting(day=date(2031, 1, 1)), kind="five-races")
    draft = factories.contest(state=Contest.State.DRAFT)
    columns = {
        field.attname: getattr(draft, field.attname)
        for field in Contest._meta.concrete_fields
        if not field.primary_key
    }
    meeting = factories.meeting(day=date(2031, 1, 2))

    def make(**changes: object) -> Contest:
        code = ledger.liability(f"lototrot:takings:{len(changes)}:{clock.now()}")
        account = ledger.account_open([code])[code.code]
        own = {"meeting_id": meeting.pk, "day": meeting.day, "takings_account_id": account.pk}
        return Contest.objects.create(**columns | own | changes)

    elsewhere = ledger.liability("lototrot:other")
    elsewhere_race = factories.races_of(draft)[0]
    for changes in (
        {"day": date(2031, 1, 3)},
        {"bet_type_code": "five-races"},
        {"takings_account_id": other.takings_account_id},
        {"takings_account_id": ledger.account_open([elsewhere])[elsewhere.code].pk},
    ):
        with (
            pytest.raises(IntegrityError, match=r"is another's|takings_account"),
            transaction.atomic(),
        ):
            make(**changes)
    with transaction.atomic():
        draft = make()
    refused(draft, bet_type_code="five-races")
    refused(draft, bet_type_id=other.bet_type_id)
    with pytest.raises(IntegrityError, match="of another meeting"), transaction.atomic():
        ContestLeg.objects.create(contest=draft, position=1, race=elsewhere_race)


@pytest.mark.article("14.III.5.1")
def test_a_contest_on_sale_gets_no_other_leg() -> None:
    """A program could add a race that no ticket chose: two persons named the others."""
    contest = factories.contest()
    other = factories.races_of(factories.contest(kind="five-races"))[0]
    with pytest.raises(IntegrityError, match="no draft any more"), transaction.atomic():
        ContestLeg.objects.create(contest=contest, position=MAX_LEGS, race=other)


def test_a_declaration_of_display_names_rows_that_are_there() -> None:
    """No foreign key says so, for it would lock the contest with each declaration."""
    place = factories.point()
    columns = {
        "contest_id": factories.contest().pk,
        "terminal_id": place.terminal.pk,
        "operator_id": place.operator.pk,
    }
    for name in columns:
        with pytest.raises(IntegrityError, match="no such contest"), transaction.atomic():
            DisplayAcknowledgement.objects.create(
                acknowledged_at=clock.now(), **{**columns, name: 0}
            )
    DisplayAcknowledgement.objects.create(acknowledged_at=clock.now(), **columns)
