"""Make marks, issue statements on Mondays, and audit both at night."""

from datetime import date, timedelta
from typing import Any

import pytest

from core.ledger import services as ledger
from core.ledger.services import Line, asset, premises_account
from core.statements import nightly, services
from core.statements.models import Statement
from tests.support import factories, rounds
from tests.support.stating import SUNDAY, at

pytestmark = pytest.mark.django_db


def test_the_jobs_of_a_week_mark_issue_and_audit(organiser: Any, contest: Any) -> None:
    rounds.sell(contest, factories.point(), [(1, 1)] * 2)
    at(date(2030, 3, 11), 0)
    assert nightly.mark(SUNDAY).counts["balances"] == 1
    assert nightly.issue(SUNDAY).counts == {
        "statements": 1,
        "commission_cents": 0,
        "closing_cents": 210,
    }
    assert nightly.audit(SUNDAY).counts == {"statements": 1}
    issue = next(job for job in nightly.JOBS if job.name == "statements.issue")
    assert issue.on(SUNDAY)
    assert not issue.on(SUNDAY + timedelta(days=1))


def test_the_audit_names_a_statement_that_the_ledger_does_not_hold(
    organiser: Any, contest: Any
) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    services.statements_issue(until=SUNDAY)
    late = Line("test", premises_account(place.premises.pk), asset("treasury"), 7)
    at(SUNDAY)
    ledger.post(reference=Statement.objects.get().uuid, lines=[late])
    with pytest.raises(nightly.AccountsUnsound) as unsound:
        nightly.audit(SUNDAY)
    assert unsound.value.data["found"] == [{"premises": place.premises.pk, "statement": 1}]
