"""Let nothing of the race day that has ended come back by a change of its row."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, models, transaction

from core.premises.models import Premises
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.programme import Race
from lototrot.services.races.declarations import declaration_retract
from lototrot.services.races.signals import device_end
from lototrot.services.races.withdrawals import withdrawal_reverse
from lototrot.services.settlement.settling import settlement_reverse
from tests.support import factories, rounds

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.article("14.III.5.3", "14.III.5.4.1", "14.III.5.4.2"),
]


def a_race() -> Race:
    race: Race = factories.meeting(races=1).races.get()
    return race


def decided(proposal: Proposal) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.STEWARDS))


def a_confirmed_withdrawal() -> models.Model:
    return factories.withdrawal(a_race(), 4)


def a_reversed_withdrawal() -> models.Model:
    withdrawal, by = factories.withdrawal(a_race(), 4), factories.staff(Role.STEWARDS)
    decided(withdrawal_reverse(by=by, withdrawal_id=withdrawal.pk, reason="Misread"))
    return withdrawal


def a_retracted_declaration() -> models.Model:
    declaration, by = factories.declared(a_race()), factories.staff(Role.STEWARDS)
    decided(declaration_retract(by=by, race_id=declaration.race_id, reason="Another race"))
    return declaration


def a_corrected_classification() -> models.Model:
    classification = factories.classified(a_race(), [1])
    type(classification).objects.filter(pk=classification.pk).update(in_force=False)
    return classification


def a_reversed_settlement() -> models.Model:
    contest = rounds.settled(factories.point())
    return settlement_reverse(contest_id=contest.pk, by=factories.staff(Role.ORGANISER))


def an_ended_device() -> models.Model:
    place = factories.premises(kind=Premises.Kind.RACECOURSE_POINT)
    device = factories.signal_device(a_race().racecourse, factories.point(place))
    return device_end(by=factories.staff(Role.STEWARDS), device_id=device.pk)


@pytest.mark.parametrize(
    ("ended", "back"),
    [
        (a_confirmed_withdrawal, {"confirmed_at": None}),
        (a_reversed_withdrawal, {"reversed_at": None, "reversed_reason": "", "reversal": None}),
        (a_retracted_declaration, {"superseded_at": None, "retraction": None}),
        (a_corrected_classification, {"in_force": True}),
        (a_reversed_settlement, {"in_force": True, "reversed_at": None, "reversed_by": None}),
        (an_ended_device, {"ended_at": None, "ended_by": None, "ended_in": None}),
    ],
)
def test_the_database_lets_nothing_come_back(
    ended: Callable[[], models.Model], back: dict[str, Any]
) -> None:
    row = ended()
    with pytest.raises(IntegrityError, match="stays as it is"), transaction.atomic():
        type(row)._default_manager.filter(pk=row.pk).update(**back)
