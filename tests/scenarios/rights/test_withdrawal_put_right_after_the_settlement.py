"""A withdrawal is put right after the settlement, and each of its days is made again from its file.

A horse was withdrawn before the start, and nobody entered it; then it proves to be a mistake of the
announced text's reader (14.III.5.3, 14.III.5.4.1) [B6, B14].
"""

from datetime import date, timedelta

import pytest

from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.services.races.classification import Entry
from lototrot.services.races.withdrawals import withdrawal_enter, withdrawal_reverse
from lototrot.services.settlement.classification_correction import classification_correct
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.lototrot import rights
from tests.support.lototrot.rights import JUNE_8, NUMBERS, at

pytestmark = pytest.mark.article("14.III.5.3", "14.III.5.4.1")
JUNE_9, JUNE_10 = date(2030, 6, 9), date(2030, 6, 10)


def corrected(race: Race, *withdrawn: int) -> None:
    """Correct the classification of a race that number 1 won, by two persons."""
    others = {number: "withdrawn" if number in withdrawn else "started" for number in NUMBERS}
    proposal = classification_correct(
        by=factories.staff(Role.STEWARDS),
        race_id=race.pk,
        runners=[Entry(1, "winner", 1), *(Entry(n, others[n]) for n in NUMBERS[1:])],
        reason="As announced",
    )
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.INSPECTOR))


def settled_of(contest: Contest) -> dict[str, int]:
    """Return the bets by category of the settlement in force."""
    rights.settled(contest)
    settlement = contest.settlements.get(in_force=True)
    return dict(settlement.categories.values_list("hits", "winning_bets"))


def test_the_days_of_a_withdrawal_entered_late_and_taken_back_agree(
    own_database: Database,
) -> None:
    at(JUNE_8, 9)
    contest = rights.meeting(JUNE_8)
    rounds.sell(contest, factories.point(), [(1 << 19, 1 << 0), (1 << 0, 1 << 0)])
    rights.run(contest)
    first = settled_of(contest)
    race = contest.legs.get(position=1).race
    one, two = factories.two_stewards()
    entered = withdrawal_enter(
        by=one,
        race_id=race.pk,
        number=20,
        source="Announced text",
        effective_at=race.starts.get().actual_start_at - timedelta(seconds=1),
    )
    two_persons.confirm(proposal=entered.proposal.uuid, by=two)
    corrected(race, 20)
    second = settled_of(contest)
    assert first != second
    at(JUNE_9, 9)
    one, two = factories.two_stewards()
    reversal = withdrawal_reverse(by=one, withdrawal_id=entered.pk, reason="It was another race")
    two_persons.confirm(proposal=reversal.uuid, by=two)
    corrected(race)
    assert settled_of(contest) == first
    at(JUNE_10, 9)
    rights.everything_agrees(JUNE_8, JUNE_9)
