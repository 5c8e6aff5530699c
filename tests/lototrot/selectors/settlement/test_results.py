"""Check the results that a contest is settled on, and that missing ones are named (14.III.5)."""

import copy
from typing import Any

import pytest

from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.models.programme import Race as RaceRow
from lototrot.models.running import Classification, RaceDeclaration
from lototrot.selectors.settlement.results import (
    DrawRequired,
    ResultsMissing,
    contest_results,
    results_missing,
)
from lototrot.services.settlement.settling import contest_settle, settlements_due
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db

RULES = rounds.rules(**rounds.TWO_LEGS)


@pytest.fixture(scope="module")
def closed(shared: None) -> Contest:
    """A closed contest of two races, the second already classified."""
    factories.time_to(rounds.NOON)
    new_contest = rounds.contest(RULES, [(1, 2, 3, 4)] * 2)
    factories.contest_closed(new_contest)
    factories.classified(factories.races_of(new_contest)[1], [1])
    return new_contest


@pytest.fixture
def contest(closed: Contest) -> Contest:
    return copy.deepcopy(closed)


def first(contest: Contest) -> RaceRow:
    return factories.races_of(contest)[0]


def gaps(contest: Contest) -> list[tuple[str, tuple[int, ...]]]:
    missing = results_missing(contest)
    assert all((gap.position, gap.race_id) == (1, first(contest).pk) for gap in missing)
    return [(gap.code, gap.numbers) for gap in missing]


def not_run(contest: Contest) -> None:
    factories.declared(first(contest))


def suspended(contest: Contest) -> None:
    factories.started(first(contest))
    factories.declared(first(contest), RaceDeclaration.Kind.SUSPENDED)


def unconfirmed(contest: Contest) -> None:
    factories.withdrawal(first(contest), 3, confirmed=False)
    factories.classified(first(contest), [1])


def left_without_ruling(contest: Contest) -> None:
    factories.classified(first(contest), [1], left={2: ""})


def no_start(contest: Contest) -> None:
    factories.classified(first(contest), [1], start=False)


def withdrawn_later(contest: Contest) -> None:
    """The classification says that 3 started; by the record it was withdrawn before."""
    withdrawal = factories.withdrawal(first(contest), 3)
    factories.classified(first(contest), [1])
    runners = [
        runner | ({"outcome": "started"} if runner["number"] == 3 else {})
        for runner in Classification.objects.get(race=first(contest)).runners
    ]
    Classification.objects.filter(race=first(contest)).update(in_force=False)
    named: dict[str, Any] = {"runners": runners, "announced_text": "Text", "author": "Comissaris"}
    announced_at = withdrawal.entered_at
    content = {"race": first(contest).pk, "announced_at": announced_at.isoformat(), **named}
    Classification.objects.create(
        race=first(contest),
        **named,
        announced_at=announced_at,
        confirmed_at=announced_at,
        proposal=factories.proposal("lototrot.classification", content=content),
    )


@pytest.mark.article("14.III.5.3", "14.III.5.4.1", "14.III.5.4.2", "14.III.5.4.3", "14.III.4")
@pytest.mark.parametrize(
    ("happened", "missing"),
    [
        (lambda _: None, [("classification_missing", ()), ("start_missing", ())]),
        (not_run, [("draw_required", ())]),
        (suspended, [("draw_required", ())]),
        (unconfirmed, [("withdrawal_unconfirmed", (3,))]),
        (left_without_ruling, [("ruling_missing", (2,))]),
        (no_start, [("start_missing", ())]),
        (withdrawn_later, [("withdrawals_differ", (3,))]),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_settled(
    contest: Contest, happened: Any, missing: list[tuple[str, tuple[int, ...]]]
) -> None:
    happened(contest)
    assert gaps(contest) == missing
    only_draws = missing == [("draw_required", ())]
    with pytest.raises(ResultsMissing) as refusal:
        contest_settle(contest_id=contest.pk)
    assert refusal.type is (DrawRequired if only_draws else ResultsMissing)
    assert [gap["code"] for gap in refusal.value.data["missing"]] == [code for code, _ in missing]
    assert settlements_due() == []


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_a_certified_draw_is_a_result(contest: Contest) -> None:
    programme = (1, 2, 3, 4)
    new_contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS | {"code": "x"}), [programme] * 2)
    facts = [
        Race(programme, winners=frozenset({4}), outcome=Outcome.SUSPENDED),
        Race(programme, winners=frozenset({2}), withdrawn=frozenset({1}), outcome=Outcome.NOT_RUN),
    ]
    rounds.run(new_contest, facts)
    results = contest_results(new_contest)
    assert results.right_masks == (0b1000, 0b0011)
    assert [leg.race.outcome for leg in results.legs] == [Outcome.SUSPENDED, Outcome.NOT_RUN]
    assert settlements_due() == [new_contest.pk]


@pytest.mark.article("14.III.9.9", "14.III.5.4.1")
def test_the_results_carry_dead_heats_and_substitutes(contest: Contest) -> None:
    factories.withdrawal(first(contest), 2)
    factories.classified(first(contest), [3, 4], left={1: "Refused"})
    document = contest_results(contest).to_document()[0]
    assert isinstance(document, dict)
    assert isinstance(document.pop("official_at"), str)
    assert document.pop("started_at") == first(contest).starts.get().actual_start_at.isoformat()
    assert document == {
        "position": 1,
        "race": first(contest).pk,
        "programme": [1, 2, 3, 4],
        "withdrawn": [2],
        "left": [1],
        "disqualified": [],
        "winners": [3, 4],
        "outcome": "run",
        "right": [2, 3, 4],
    }
