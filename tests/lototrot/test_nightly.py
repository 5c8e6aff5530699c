"""Do Lototrot's nightly jobs: list what is not settled or not printed, and compute all again."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.nights.jobs import MOST_LISTED
from core.premises.models import Operator
from core.staff import two_persons
from lototrot import nightly
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.tickets import PrintConfirmation, Ticket, Void
from lototrot.selectors.settlement.results import ResultsMissing
from lototrot.services.seal.sealing import ContestNotSealed
from lototrot.services.settlement.auditing import SettlementsDiffer
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.settling import BreachPending, PreviousContestOpen
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.journaling import forge

RULES = rounds.rules(**rounds.TWO_LEGS)
WON_BY_ONE = rounds.Facts((1, 2, 3), winners=frozenset({1}))


def today() -> date:
    return natural_day(clock.now())


def contest_of(rules: Any = RULES, *, day: date | None = None) -> Contest:
    return rounds.contest(rules, [(1, 2, 3)] * 2, day=day)


# --- Contests that wait to be settled -------------------------------------------------------------


def codes() -> dict[int, str]:
    """Return the obstacle of each contest that waits."""
    outcome = nightly.unsettled(today())
    rows = outcome.listed["not_settled"]
    assert outcome.counts == {"waiting": len(rows)}
    return {row["contest"]: row["code"] for row in rows}


def test_only_closed_contests_wait(point: Point) -> None:
    contest_of(rounds.rules(**rounds.TWO_LEGS | {"code": "on-sale"}))
    rounds.settled(point)
    assert codes() == {}


def test_each_contest_is_listed_with_what_holds_it_up(point: Point) -> None:
    unsealed = contest_of(rounds.rules(**rounds.TWO_LEGS | {"code": "unsealed"}))
    factories.contest_closed(unsealed, sealed=False)
    unknown = contest_of(rounds.rules(**rounds.TWO_LEGS | {"code": "unknown"}))
    factories.contest_closed(unknown)
    ready, later = contest_of(), contest_of(day=today() + timedelta(days=1))
    rounds.run(ready, [WON_BY_ONE] * 2)
    rounds.run(later, [WON_BY_ONE] * 2)
    assert codes() == {
        unsealed.pk: ContestNotSealed.code,
        unknown.pk: ResultsMissing.code,
        ready.pk: "",
        later.pk: PreviousContestOpen.code,
    }


@pytest.mark.article("14.I.6")
def test_a_contest_with_bets_in_breach_waits_for_two_persons(point: Point) -> None:
    contest = contest_of()
    elsewhere = factories.point(factories.premises(authorised=()))
    rounds.sell(contest, elsewhere, [(1, 1)])
    rounds.run(contest, [WON_BY_ONE] * 2)
    assert codes() == {contest.pk: BreachPending.code}


# --- Tickets without a confirmed print ------------------------------------------------------------


def test_a_ticket_without_a_confirmed_print_is_an_incident_of_its_day(point: Point) -> None:
    contest = contest_of()
    lost, printed, annulled = rounds.sell(contest, point, [(1, 1), (2, 2), (4, 4)])
    PrintConfirmation.objects.create(ticket=printed, confirmed_at=clock.now())
    Void.objects.create(
        ticket=annulled,
        reason="error",
        note="Wrong race",
        voided_at=clock.now(),
        operator=point.operator,
    )
    outcome = nightly.unprinted(today())
    assert outcome.counts == {"unconfirmed": 1}
    (row,) = outcome.listed["unconfirmed_prints"]
    assert (row["ticket"], row["terminal"]) == (str(lost.uuid), point.terminal.code)
    assert row["sold_at"] == Ticket.objects.get(pk=lost.pk).sold_at.isoformat()
    for day in (today() - timedelta(days=1), today() + timedelta(days=1)):
        assert nightly.unprinted(day).counts == {"unconfirmed": 0}


def test_all_are_counted_and_the_first_are_listed(point: Point) -> None:
    rounds.sell(contest_of(), point, [(1, 1)] * (MOST_LISTED + 1))
    outcome = nightly.unprinted(today())
    assert outcome.counts == {"unconfirmed": MOST_LISTED + 1}
    assert len(outcome.listed["unconfirmed_prints"]) == MOST_LISTED


# --- Tickets annulled after the start -------------------------------------------------------------


def annulled_at(ticket: Ticket, at: datetime, operator: Operator) -> Void:
    return Void.objects.create(
        ticket=ticket, reason="error", note="Wrong race", voided_at=at, operator=operator
    )


@pytest.mark.article("14.III.1.4")
def test_what_an_operator_annulled_after_the_start_is_listed_once_it_is_known(
    point: Point,
) -> None:
    contest = contest_of()
    in_time, late, _ = rounds.sell(contest, point, [(1, 1), (2, 2), (4, 4)])
    start = clock.now()
    annulled_at(in_time, start - timedelta(seconds=1), point.operator)
    void = annulled_at(late, start, point.operator)
    factories.contest_closed(contest)
    assert nightly.annulled_late(today()).counts == {"annulled": 0}  # nobody reported a start
    factories.started(contest.legs.get(position=1).race, at=start)
    outcome = nightly.annulled_late(today())
    assert outcome.counts == {"annulled": 1}
    assert outcome.listed["annulled_after_start"] == [
        {
            "ticket": str(late.uuid),
            "terminal": point.terminal.code,
            "operator": point.operator.number,
            "voided_at": void.voided_at.isoformat(),
        }
    ]
    assert nightly.annulled_late(today() - timedelta(days=1)).counts == {"annulled": 0}
    tomorrow = today() + timedelta(days=1)
    assert nightly.annulled_late(tomorrow).counts == {"annulled": 1}  # it is not settled yet
    Contest.objects.filter(pk=contest.pk).update(state=Contest.State.SETTLED)
    assert nightly.annulled_late(tomorrow).counts == {"annulled": 0}
    assert nightly.annulled_late(today()).counts == {"annulled": 1}


# --- Settlements computed again -------------------------------------------------------------------


def test_the_audit_counts_and_stops_the_night_where_figures_differ(
    own_database: Database,
) -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.settled(factories.point())
    assert nightly.audit(today()).counts == {"contests": 1, "tickets": 3, "prizes": 2}
    forge("UPDATE lototrot_settlement SET prizes_cents = prizes_cents + 1")
    with pytest.raises(SettlementsDiffer) as differ:
        nightly.audit(today())
    (named,) = differ.value.data["found"]
    assert (named["contest"], named["check"]) == (contest.pk, "prizes_cents")
    assert named["stored"] == named["recounted"] + 1


# --- Tickets voided after a start that was stated too early ---------------------------------------


def corrected(race: Race, at: datetime) -> None:
    one, two = factories.two_stewards()
    proposal = start_correct(by=one, race_id=race.pk, actual_start_at=at, source="Video")
    two_persons.confirm(proposal=proposal.uuid, by=two)


def voided_as_late(point: Point) -> tuple[Race, Ticket, Ticket]:
    """Void both bets of a contest: its start was stated as the instant of the first sale."""
    contest = contest_of()
    (bettor,) = rounds.sell(contest, point, [(1, 1)])
    factories.time_pass(hours=4)
    (late,) = rounds.sell(contest, point, [(2, 2)])
    race = contest.legs.get(position=1).race
    factories.started(race, at=bettor.sold_at)
    factories.contest_closed(contest, cause="start")
    one, two = factories.two_organisers()
    proposal = breach_void(by=one, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=two)
    return race, bettor, late


@pytest.mark.article("14.I.6", "14.III.4")
def test_what_was_voided_after_a_start_stated_too_early_is_listed(point: Point) -> None:
    """[C6, E12]: the void stands, and the night says whose bet was in time after all."""
    race, bettor, late = voided_as_late(point)
    assert nightly.voided_early(today()).counts == {"voided": 0}
    corrected(race, late.sold_at)
    outcome = nightly.voided_early(today())
    assert outcome.counts == {"voided": 1}
    assert [row["ticket"] for row in outcome.listed["voided_in_time"]] == [str(bettor.uuid)]
    assert Void.objects.count() == 2, "a void is never undone"
    corrected(race, bettor.sold_at)
    assert nightly.voided_early(today()).counts == {"voided": 0}


@pytest.mark.article("14.I.6", "14.III.4")
def test_a_start_that_is_corrected_after_the_settlement_is_listed_that_night(point: Point) -> None:
    """[C6, C9]: a contest is settled as soon as its bets in breach are voided."""
    race, bettor, late = voided_as_late(point)
    Contest.objects.update(state=Contest.State.SETTLED)
    factories.time_pass(days=2)
    yesterday = today() - timedelta(days=1)
    corrected(race, late.sold_at)
    assert nightly.voided_early(yesterday).counts == {"voided": 0}
    outcome = nightly.voided_early(today())
    assert [row["ticket"] for row in outcome.listed["voided_in_time"]] == [str(bettor.uuid)]
    assert nightly.voided_early(today() + timedelta(days=1)).counts == {"voided": 0}
