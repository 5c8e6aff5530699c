"""Let no session and no second factor that has ended come back by a change of its row."""

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.premises.models import OperatorSession
from core.staff.models import SecondFactor, StaffSession, User
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [StaffSession, SecondFactor, OperatorSession])
def test_what_a_dismissed_person_had_stays_ended(
    model: type[StaffSession | SecondFactor | OperatorSession],
) -> None:
    """A program could bring back a session of which somebody kept the token."""
    if model is OperatorSession:
        key = factories.point().session.pk
    elif model is StaffSession:
        key = factories.staff().session_id
    else:
        user = User.objects.get(pk=factories.staff().user_id)
        factories.second_factor(user)
        key = SecondFactor.objects.values_list("pk", flat=True).get(user=user)
        SecondFactor.objects.filter(pk=key).update(confirmed_at=None)
    row = model._default_manager.filter(pk=key)
    row.update(ended_at=clock.now())
    for at in (None, clock.now()):
        with pytest.raises(IntegrityError, match="has ended"), transaction.atomic():
            row.update(ended_at=at)
