"""A race without a classification is not drawn while it is unknown which of its horses started."""

from datetime import timedelta

import pytest

from core.database import clock
from core.staff import two_persons
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration
from lototrot.selectors.draws import subject_of
from lototrot.services.races.course import WithdrawnTooLate
from lototrot.services.races.declarations import Left, declaration_retract
from lototrot.services.races.drawing import RACE_DRAW
from lototrot.services.races.withdrawals import withdrawal_reverse
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories as f
from tests.support.lototrot.starting import declare

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.1", "14.III.5.4.3")]
SUSPENDED = RaceDeclaration.Kind.SUSPENDED


@pytest.fixture
def race() -> Race:
    f.central_office()
    return f.races_of(f.contest())[0]


def drawn_from(race: Race) -> list[str]:
    return list(RACE_DRAW.field(subject_of(race.pk)).entries)


def test_a_horse_whose_withdrawal_proves_too_late_is_not_drawn_as_a_starter(race: Race) -> None:
    """[B5, B8]: the start was earlier than first stated. Nobody said that the horse ran."""
    f.withdrawal(race, 2)
    withdrawn_at = clock.now()
    f.started(race, at=withdrawn_at + timedelta(microseconds=1))
    f.contest_closed(Contest.objects.get())
    declare(race, SUSPENDED)
    assert "2" not in drawn_from(race)
    steward, second = f.two_stewards()
    early = start_correct(
        by=steward,
        race_id=race.pk,
        actual_start_at=withdrawn_at - timedelta(seconds=30),
        source="Film",
    )
    two_persons.confirm(proposal=early.uuid, by=second)
    with pytest.raises(WithdrawnTooLate):
        drawn_from(race)
    retraction = declaration_retract(by=steward, race_id=race.pk, reason="2 did not start")
    two_persons.confirm(proposal=retraction.uuid, by=second)
    with pytest.raises(WithdrawnTooLate):
        declare(race, SUSPENDED)
    declare(race, SUSPENDED, left=[Left(2, "Was not sent to the start")])
    assert "2" not in drawn_from(race)


def test_a_withdrawal_that_proves_too_late_is_reversed_if_the_horse_ran(race: Race) -> None:
    """[B4, B8]"""
    gone = f.withdrawal(race, 2)
    f.started(race, at=gone.effective_at)
    f.contest_closed(Contest.objects.get())
    first, second = f.two_stewards()
    with pytest.raises(WithdrawnTooLate):
        declare(race, SUSPENDED)
    reversal = withdrawal_reverse(by=first, withdrawal_id=gone.pk, reason="It ran")
    two_persons.confirm(proposal=reversal.uuid, by=second)
    declare(race, SUSPENDED)
    assert "2" in drawn_from(race)
