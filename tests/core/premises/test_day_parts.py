"""Replay the days before and of a resolution with effect in the past [E10]."""

import io
from datetime import date

import pytest

from core.kernel.days import add_days, natural_day
from core.premises.models import Authorisation
from core.premises.resolutions import resolution_propose
from core.reports.days import day_file
from core.staff import two_persons
from core.staff.models import Proposal
from lototrot.models.contest import Contest
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.settling import contest_settle
from tests.support import databases, factories, rounds
from tests.support.databases import Database


def confirmed(proposal: Proposal) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=factories.two_organisers()[1])


def written(day: date) -> list[str]:
    out = io.StringIO()
    day_file.write(day, out)
    return out.getvalue().splitlines()


def replayed(lines: list[str]) -> int:
    with databases.clone():
        return day_file.replay(lines)


@pytest.mark.article("14.I.6")
def test_the_days_before_and_of_a_resolution_are_made_again(own_database: Database) -> None:
    """On the first day the right to sell was good, and the contest was settled with its bets."""
    today = natural_day(factories.time_to(rounds.NOON))
    began_at, bad = rounds.NOON, factories.point()
    other, good = factories.point(), factories.point()
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    for point in (bad, other, good):
        rounds.sell(contest, point, [(1, 1), (1, 2)])
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    contest_settle(contest_id=contest.pk)
    factories.time_pass(days=1)
    by = factories.two_organisers()[0]
    licence = Authorisation.objects.get(premises=bad.premises, game="lototrot")
    subjects = (
        {"effect": "authorisation_ended", "authorisation": licence.pk},
        {"effect": "terminal_revoked", "terminal": other.terminal.code},
    )
    for subject in subjects:
        confirmed(
            resolution_propose(by=by, effective_at=began_at, reference="DGJ 210/2030", **subject)
        )
    assert Contest.objects.get().state == Contest.State.CLOSED
    confirmed(breach_void(by=by, contest_id=contest.pk))
    contest_settle(contest_id=contest.pk)
    factories.time_pass(days=1)
    before, after = written(today), written(add_days(today, 1))
    assert not any("premises.resolution" in line for line in before)
    assert sum('"event":"premises.resolution"' in line for line in after) == 2
    assert replayed(before) > 3
    assert replayed(after) > 3
