"""Stop the sales of premises that owe more than their guarantee."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.ledger import services as ledger
from core.ledger.services import Line, asset, premises_account
from core.premises.models import Suspension
from core.premises.suspending import SuspensionAutomatic, sales_resume
from core.statements import services
from core.statements.guarantee import cover_apply, covers_due
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_premises_stop_selling_beyond_their_guarantee_and_resume_below(
    organiser: Any, contest: Any
) -> None:
    place = factories.point()

    def limit(cents: int) -> None:
        services.guarantee_limit_set(
            by=organiser, premises=place.premises.code, limit_cents=cents, reference="Aval"
        )

    def outcome() -> str:
        return factories.sell(contest, place, [(1,), (1,)]).outcome

    limit(105)
    assert outcome() == "sold"
    assert covers_due() == []
    assert outcome() == "sold"
    assert covers_due() == [place.premises.pk]
    assert cover_apply(premises_id=place.premises.pk)
    assert not cover_apply(premises_id=place.premises.pk)
    assert outcome() == "sales_suspended"
    suspension = Suspension.objects.get()
    with pytest.raises(SuspensionAutomatic):
        sales_resume(by=organiser, suspension=suspension.pk)
    paid = Line("test", asset("treasury"), premises_account(place.premises.pk), 105)
    ledger.post(reference=uuid.uuid4(), lines=[paid])
    assert covers_due() == [place.premises.pk]
    assert cover_apply(premises_id=place.premises.pk)
    assert outcome() == "sold"
    limit(1)
    assert covers_due() == [place.premises.pk]
    services.guarantee_limit_set(
        by=organiser,
        premises=place.premises.code,
        limit_cents=1_000,
        reference="Aval",
        in_force_from=clock.now() + timedelta(days=1),
    )
    assert covers_due() == [place.premises.pk]
    factories.time_pass(days=2)
    assert covers_due() == []
