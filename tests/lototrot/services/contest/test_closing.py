"""Closing: by the clock or earlier, once, and with it the secret behind the codes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.premises.access import BareTerminal
from core.premises.requests import new_uuid
from core.staff.actor import StaffActor
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.services.contest.closing import (
    closings_due,
    contest_close,
    contest_close_due,
    contest_close_early,
)
from lototrot.services.contest.contests import ContestClosed
from lototrot.services.contest.facts import contest_facts
from lototrot.services.settlement.unprinted import prints_due, prints_end
from lototrot.services.tickets.annulment import ticket_annul
from lototrot.services.tickets.paper import slip_original
from lototrot.services.tickets.printing import ticket_reprint
from lototrot.services.tickets.selling import (
    SaleRequest,
    Sold,
    request_state,
    sold_again,
    ticket_sell,
)
from lototrot.services.tickets.slips import TicketIncomplete, ticket_card, ticket_document
from tests.support import factories
from tests.support.factories import Point
from tests.support.lototrot import starting

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Contest:
    return factories.contest(correction_window_s=3600)


def request_of(contest: Contest) -> SaleRequest:
    races = ((1,),) * len(contest.offered_masks)
    return SaleRequest(new_uuid(), contest.pk, races, contest.price_cents, contest.price_cents)


def sell(place: Point, contest: Contest) -> Sold:
    return ticket_sell(credentials=place.credentials, request=request_of(contest))


def bare(place: Point) -> BareTerminal:
    return BareTerminal(
        place.terminal.pk, place.premises.pk, place.premises.kind, place.operator.pk
    )


# --- When -----------------------------------------------------------------------------------------


def test_the_clock_closes_by_itself_and_recording_it_says_when(
    contest: Contest, place: Point
) -> None:
    closes_at = contest.scheduled_close_at
    factories.time_to(closes_at - timedelta(seconds=5))
    sell(place, contest)
    assert closings_due() == []
    assert not contest_close_due(contest_id=contest.pk)
    factories.time_to(closes_at)
    with pytest.raises(ContestClosed):
        sell(place, contest)
    factories.time_pass(minutes=30)
    assert closings_due() == [contest.pk]
    assert contest_close_due(contest_id=contest.pk)
    contest.refresh_from_db()
    assert (contest.closed_at, contest.closing_cause) == (closes_at, Contest.Cause.SCHEDULE)
    assert closings_due() == []
    assert not contest_close_due(contest_id=contest.pk)


def test_closing_early_is_at_once_and_once(by: StaffActor, contest: Contest, place: Point) -> None:
    sold = sell(place, contest)
    assert contest_close_early(by=by, contest_id=contest.pk)
    with pytest.raises(ContestClosed):
        sell(place, contest)
    contest.refresh_from_db()
    assert contest.closing_cause == Contest.Cause.ORGANISER
    assert contest.closed_at is not None
    assert sold.sold_at < contest.closed_at < contest.scheduled_close_at
    first = contest.closed_at
    factories.time_pass(minutes=1)
    assert not contest_close_early(by=by, contest_id=contest.pk)
    contest.refresh_from_db()
    assert contest.closed_at == first


def test_an_early_closing_after_the_schedule_is_the_schedules(
    by: StaffActor, contest: Contest
) -> None:
    factories.time_to(contest.scheduled_close_at + timedelta(seconds=1))
    assert contest_close_early(by=by, contest_id=contest.pk)
    contest.refresh_from_db()
    assert contest.closed_at == contest.scheduled_close_at
    assert contest.closing_cause == Contest.Cause.SCHEDULE


def test_a_draft_is_not_closed(by: StaffActor) -> None:
    tomorrow = factories.meeting(first_start_at=clock.now() + timedelta(days=1))
    draft = factories.contest(tomorrow, state=Contest.State.DRAFT)
    assert not contest_close_early(by=by, contest_id=draft.pk)


# --- Never again ----------------------------------------------------------------------------------


REOPENINGS = [
    "UPDATE lototrot_contest SET state = 'open', closed_at = NULL, closing_cause = ''",
    "UPDATE lototrot_contest SET state = 'draft', closed_at = NULL, closing_cause = ''",
    "UPDATE lototrot_contest SET scheduled_close_at = scheduled_close_at + interval '1 hour'",
    "UPDATE lototrot_contest SET closed_at = closed_at + interval '1 hour'",
    "UPDATE lototrot_contest SET closing_cause = 'start'",
    "UPDATE lototrot_contest SET opened_at = opened_at - interval '1 hour'",
    "UPDATE lototrot_contest SET offered_masks = '{1,1,1,1,1,1,1}'",
    r"UPDATE lototrot_contest SET code_secret = '\x00'",
]


@pytest.mark.parametrize("statement", REOPENINGS)
def test_the_database_refuses_to_reopen_or_to_rewrite_a_closing(
    contest: Contest, statement: str
) -> None:
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_database_refuses_to_move_a_closing_that_the_clock_has_made(contest: Contest) -> None:
    """Nobody has recorded it, the state still says open, and sales have ended all the same."""
    factories.time_to(contest.scheduled_close_at)
    with pytest.raises(IntegrityError, match="reached"), transaction.atomic():
        Contest.objects.filter(pk=contest.pk).update(
            scheduled_close_at=contest.scheduled_close_at + timedelta(hours=1)
        )


@pytest.mark.parametrize("secret", [None, b"another secret of thirty-two byte"])
def test_on_sale_the_secret_of_the_codes_is_neither_lost_nor_changed(
    contest: Contest, secret: bytes | None
) -> None:
    with pytest.raises(IntegrityError, match="secret"), transaction.atomic():
        Contest.objects.filter(pk=contest.pk).update(code_secret=secret)


# --- Codes ----------------------------------------------------------------------------------------


def test_the_secret_outlives_the_closing_by_minutes_and_never_reaches_the_settlement(
    contest: Contest,
) -> None:
    """[E11]"""
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    contest.refresh_from_db()
    assert contest.code_secret is not None
    with pytest.raises(IntegrityError, match="code_secret_erased"), transaction.atomic():
        Contest.objects.filter(pk=contest.pk).update(state="settled")
    assert prints_due() == []
    factories.time_pass(minutes=5)
    assert prints_due() == [contest.pk]
    assert prints_end(contest_id=contest.pk)
    contest.refresh_from_db()
    assert contest.code_secret is None and prints_due() == []


def by_recording(contest: Contest) -> None:
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)


def by_the_clock_alone(contest: Contest) -> None:
    factories.time_to(contest.scheduled_close_at)


@pytest.mark.article("14.III.1.5")
@pytest.mark.parametrize("close", [by_recording, by_the_clock_alone])
def test_after_closing_nobody_gets_a_code(
    contest: Contest, place: Point, close: Callable[[Contest], None]
) -> None:
    """Not even this process, which has kept the contest's facts and the secret among them."""
    request = request_of(contest)
    first = ticket_sell(credentials=place.credentials, request=request)
    assert first.code is not None
    assert contest_facts(contest.pk).secret
    close(contest)
    factories.time_pass(minutes=5)  # until then a replay gets what was not printed [E11]
    replay = ticket_sell(credentials=place.credentials, request=request)
    assert replay.replayed
    assert replay.code is None
    asked = request_state(terminal=bare(place), ident=request.uuid)
    assert asked is not None
    assert asked.code is None
    assert ticket_card(replay)["code"] is None
    assert sold_again(Ticket.objects.get(), by=place.operator.pk, road=None).code is None
    with pytest.raises(ContestClosed):
        ticket_reprint(by=place.actor, ident=request.uuid)
    with pytest.raises(ContestClosed):
        slip_original(by=bare(place), ident=request.uuid)
    with pytest.raises(TicketIncomplete):
        ticket_document(replay, language="ca", simulated=True)
    assert first.code.text not in repr((replay, contest_facts(contest.pk)))


def test_a_voided_ticket_gives_its_code_no_more(contest: Contest, place: Point) -> None:
    request = request_of(contest)
    first = ticket_sell(credentials=place.credentials, request=request)
    assert first.code is not None
    ticket_annul(
        by=place.actor, ident=request.uuid, presented_code=first.code.grouped, reason="Wrong race"
    )
    again = ticket_sell(credentials=place.credentials, request=request)
    assert again.replayed
    assert again.code is None


# --- Racecourses and time zones -------------------------------------------------------------------


@pytest.mark.article("14.I.5")
@pytest.mark.parametrize("first_on_ticket", ["Europe/Madrid", "Pacific/Auckland"])
def test_the_earliest_start_in_real_time_closes_whatever_the_order_and_zone(
    first_on_ticket: str,
) -> None:
    """[E2] Two racecourses half a world apart: local times say nothing of which comes first."""
    start = datetime(2030, 6, 1, 6, tzinfo=UTC)
    factories.time_to(start - timedelta(hours=3))
    madrid = factories.racecourse(timezone="Europe/Madrid")
    auckland = factories.racecourse(timezone="Pacific/Auckland")
    meeting = factories.meeting(races=5, first_start_at=start + timedelta(hours=1), course=madrid)
    # 18:00 in Auckland, though 06:00 in UTC: the first of all.
    early = factories.race(meeting, 1, start, course=auckland)
    late = factories.race(meeting, 2, start + timedelta(hours=4), course=auckland)
    races = [*meeting.races.filter(racecourse=madrid), early, late]
    if first_on_ticket == "Pacific/Auckland":
        races.reverse()
    contest = factories.contest(meeting, races=races)
    assert contest.scheduled_close_at == start
    factories.time_to(start - timedelta(minutes=1))
    starting.start(early, start - timedelta(minutes=1))
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "start")
    assert contest.closed_at is not None
    assert contest.closed_at < start


def test_a_race_not_run_closes_and_a_later_start_changes_nothing(contest: Contest) -> None:
    """[E1]"""
    last, first = factories.races_of(contest)[6], factories.races_of(contest)[0]
    starting.declare(last)
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "not_run")
    closed_at = contest.closed_at
    starting.start(first)
    contest.refresh_from_db()
    assert (contest.closed_at, contest.closing_cause) == (closed_at, "not_run")
