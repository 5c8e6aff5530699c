"""Refuse a sale by its content, its time and its place, and write nothing."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.journal.rules import broken
from core.ledger.models import Transfer
from core.premises.access import (
    OperatorSessionExpired,
    PremisesNotAuthorised,
    SalesSuspended,
    TerminalCannot,
    TerminalRevoked,
    TerminalUnknown,
)
from core.premises.models import OperatorSession, Premises, Suspension, Terminal
from core.premises.requests import DisplayNotAcknowledged, new_uuid
from lototrot.engine.selection import (
    EmptyRace,
    RepeatedNumber,
    TooManyBets,
    UnknownNumber,
    WithdrawnNumber,
    WrongPrice,
    WrongRaceCount,
)
from lototrot.journal_rules import CAP
from lototrot.models.contest import Contest
from lototrot.models.tickets import PremisesSales, Ticket
from lototrot.selectors.contests import ContestUnknown
from lototrot.services.contest.contests import ContestClosed, ContestNotOpen
from lototrot.services.contest.facts import contest_facts
from lototrot.services.tickets import selling
from lototrot.services.tickets.selling import (
    PremisesCapReached,
    QuickPick,
    QuickPickTooLong,
    SaleRequest,
    WrongAmount,
)
from tests.support import factories
from tests.support.factories import Point
from tests.support.lototrot.selling import SINGLE, asked, sell

pytestmark = pytest.mark.django_db


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def contest(place: Point) -> Contest:
    new_contest = factories.contest()
    factories.acknowledge(new_contest, place)
    return new_contest


REFUSED = [
    ("fewer races", {"races": SINGLE[:6]}, WrongRaceCount),
    ("no number", {"races": ((), *SINGLE[1:])}, EmptyRace),
    ("unknown number", {"races": ((31,), *SINGLE[1:])}, UnknownNumber),
    ("number out of range", {"races": ((99,), *SINGLE[1:])}, UnknownNumber),
    ("repeated number", {"races": ((1, 1), *SINGLE[1:])}, RepeatedNumber),
    ("wrong price", {"price_cents": 51}, WrongPrice),
    ("wrong amount", {"amount_cents": 1}, WrongAmount),
    ("quick pick of too many", {"races": (QuickPick(99), *SINGLE[1:])}, QuickPickTooLong),
    ("unknown contest", {"contest_id": 2**31 - 1}, ContestUnknown),
]


@pytest.mark.article("14.III.1.2", "14.III.1.3")
@pytest.mark.parametrize(("change", "error"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_bad_requests_are_refused_and_nothing_is_written(
    place: Point, contest: Contest, change: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        sell(place, asked(contest, **change))
    assert not Ticket.objects.exists()
    assert not Transfer.objects.exists()


def test_more_bets_than_the_contest_allows_are_refused(place: Point) -> None:
    contest = factories.contest(max_bets=3)
    factories.acknowledge(contest, place)
    races = ((1, 2), (1, 2), *SINGLE[2:])
    with pytest.raises(TooManyBets):
        sell(place, asked(contest, races=races, amount_cents=4 * contest.price_cents))


def test_a_contest_caps_what_one_premises_sell_in_it(place: Point) -> None:
    """Up to the cap itself: the second ticket reaches it."""
    contest = factories.contest(premises_cap_cents=200)
    beside, elsewhere = factories.point(place.premises), factories.point()
    for each in (place, beside, elsewhere):
        factories.acknowledge(contest, each)
    sell(place, asked(contest))
    sell(beside, asked(contest))
    with pytest.raises(PremisesCapReached):
        sell(place, asked(contest))
    sell(elsewhere, asked(contest))
    sold = PremisesSales.objects.values_list("premises", "sold_cents")
    assert not list(broken(CAP))
    assert dict(sold) == {place.premises.pk: 200, elsewhere.premises.pk: 100}


@pytest.mark.article("14.III.5.4.1")
def test_a_withdrawn_number_is_refused(place: Point, contest: Contest) -> None:
    factories.withdrawal(factories.races_of(contest)[2], 3)
    with pytest.raises(WithdrawnNumber) as refusal:
        sell(place, asked(contest))
    assert refusal.value.data["race"] == 3


@pytest.mark.article("14.III.4")
def test_nothing_is_sold_from_the_closing_on(place: Point, contest: Contest) -> None:
    """The clock closes a contest by itself, with nobody there to record it."""
    factories.time_to(contest.scheduled_close_at)
    with pytest.raises(ContestClosed):
        sell(place, asked(contest))
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN


@pytest.mark.article("14.III.1.3")
@pytest.mark.parametrize(
    ("stale", "error"),
    [
        (lambda facts: {"price_cents": facts.price_cents + 1}, WrongPrice),
        (lambda facts: {"legs": facts.legs[:6]}, WrongRaceCount),
    ],
)
def test_what_was_read_of_a_draft_that_changed_before_it_opened_sells_nothing(
    place: Point, contest: Contest, monkeypatch: pytest.MonkeyPatch, stale: Any, error: Any
) -> None:
    """The database compares price and races again, at the instant of the sale [E9]."""
    facts = contest_facts(contest.pk)
    read = dataclasses.replace(facts, **stale(facts))
    monkeypatch.setattr(selling, "contest_facts", lambda pk: read)
    request = SaleRequest(
        new_uuid(), contest.pk, SINGLE[: len(read.legs)], read.price_cents, read.price_cents
    )
    with pytest.raises(error):
        sell(place, request)
    assert not Ticket.objects.exists()


@pytest.mark.article("14.III.4")
def test_the_last_instant_before_closing_still_sells(place: Point, contest: Contest) -> None:
    factories.time_to(contest.scheduled_close_at - timedelta(seconds=5))
    assert not sell(place, asked(contest)).replayed


@pytest.mark.article("14.III.5.2", "14.III.6.2")
def test_a_terminal_sells_only_after_its_operator_acknowledged_the_display(place: Point) -> None:
    contest = factories.contest()
    with pytest.raises(DisplayNotAcknowledged):
        sell(place, asked(contest))
    factories.acknowledge(contest, place)
    sell(place, asked(contest))
    colleague = dataclasses.replace(place, session_token=factories.operator_at(place))
    with pytest.raises(DisplayNotAcknowledged):
        sell(colleague, asked(contest))


def test_a_draft_contest_is_not_sold(place: Point) -> None:
    contest = factories.contest(state=Contest.State.DRAFT)
    with pytest.raises(ContestNotOpen):
        sell(place, asked(contest))


@pytest.mark.article("14.I.6")
@pytest.mark.parametrize("game", [(), ("promotrot",)], ids=["none", "the other game"])
def test_premises_without_an_authorisation_at_that_instant_do_not_sell(game: tuple[str]) -> None:
    contest = factories.contest()
    place = factories.point(factories.premises(authorised=game))
    factories.acknowledge(contest, place)
    with pytest.raises(PremisesNotAuthorised):
        sell(place, asked(contest))


@pytest.mark.article("14.I.6")
def test_an_authorisation_is_dated(place: Point, contest: Contest) -> None:
    soon = clock.now() + timedelta(minutes=10)
    late = factories.point(factories.premises(since=soon))
    ended = factories.point(factories.premises(until=soon))
    for each in (late, ended):
        factories.acknowledge(contest, each)
    with pytest.raises(PremisesNotAuthorised):
        sell(late, asked(contest))
    sell(ended, asked(contest))
    factories.time_to(soon + timedelta(seconds=1))
    sell(late, asked(contest))
    with pytest.raises(PremisesNotAuthorised):
        sell(ended, asked(contest))


@pytest.mark.article("14.I.3", "14.I.6")
@pytest.mark.parametrize("kind", Premises.Kind.values)
def test_only_establishments_and_racecourse_points_sell(kind: str) -> None:
    contest = factories.contest()
    place = factories.point(factories.premises(kind))
    factories.acknowledge(contest, place)
    if kind in (Premises.Kind.ESTABLISHMENT, Premises.Kind.RACECOURSE_POINT):
        sell(place, asked(contest))
    else:
        with pytest.raises(TerminalCannot):
            sell(place, asked(contest))


@pytest.mark.parametrize("scope", ["all", "premises", "terminal"])
def test_sales_stop_at_once_where_they_are_suspended(
    place: Point, contest: Contest, scope: str
) -> None:
    other = factories.point()
    factories.acknowledge(contest, other)
    by, now = factories.staff(), clock.now()
    stop = Suspension.objects.create(
        premises=place.premises if scope == "premises" else None,
        terminal=place.terminal if scope == "terminal" else None,
        reason="test",
        since=now,
        suspended_by_id=by.user_id,
        suspended_in_id=by.session_id,
    )
    with pytest.raises(SalesSuspended):
        sell(place, asked(contest))
    if scope == "all":
        with pytest.raises(SalesSuspended):
            sell(other, asked(contest))
    else:
        sell(other, asked(contest))
    Suspension.objects.filter(pk=stop.pk).update(lifted_at=now, lifted_by_id=by.user_id)
    sell(place, asked(contest))


def test_strangers_are_refused(place: Point, contest: Contest) -> None:
    stranger = dataclasses.replace(place, token="no such token")
    with pytest.raises(TerminalUnknown):
        sell(stranger, asked(contest))
    OperatorSession.objects.filter(pk=place.session.pk).update(ended_at=clock.now())
    with pytest.raises(OperatorSessionExpired):
        sell(place, asked(contest))
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=clock.now())
    with pytest.raises(TerminalRevoked):
        sell(place, asked(contest))


def test_a_session_of_another_terminal_does_not_serve(place: Point, contest: Contest) -> None:
    other = factories.point(place.premises)
    borrowed = dataclasses.replace(place, session_token=other.session_token)
    with pytest.raises(Exception, match="signed on"):
        sell(borrowed, asked(contest))
