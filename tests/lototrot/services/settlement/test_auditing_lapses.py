"""Audit what lapsed and what came back: every account that was charged wrongly is found [C8]."""

from datetime import date

import pytest

from core.database import clock
from core.ledger.services import account_open
from core.payoffice.models import Restoration
from lototrot import accounts
from lototrot.services.settlement.auditing_lapses import carried_over_cents
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import forge
from tests.support.lototrot import rights
from tests.support.lototrot.rights import LAST_DAY, at

pytestmark = pytest.mark.article("14.III.10.5", "14.III.10.7")
JULY_13 = date(2030, 7, 13)


def restored_from_an_unsettled_meeting() -> int:
    """Bring a prize back from the meeting that received it. Return that meeting's id."""
    _contest, ticket = rights.washed()
    at(LAST_DAY, 12)
    later = rights.meeting(JULY_13)
    rounds.sell(later, factories.point(), [(1, 1)])
    receipt = rights.washed_up_in_time()
    at(date(2030, 7, 9), 9)
    assert rights.matched(receipt, ticket).status_code == 201
    return int(later.pk)


def checks() -> set[str]:
    return {finding.check for finding in carried_over_cents()[1]}


@pytest.mark.django_db
def test_what_came_back_is_missing_where_it_was() -> None:
    later = restored_from_an_unsettled_meeting()
    assert carried_over_cents() == ({later: 2 * 480_000}, [])


def test_a_restoration_forged_onto_another_account_or_day_is_found(
    own_database: Database,
) -> None:
    restored_from_an_unsettled_meeting()
    assert checks() == set()
    organiser = account_open([accounts.late_claims()])[accounts.late_claims().code]
    forge(f"UPDATE payoffice_restoration SET taken_from_id = {organiser.pk}")
    assert "restored_from" in checks()
    forge(
        "UPDATE payoffice_restoration SET taken_from_id = (SELECT id FROM ledger_account"
        f" WHERE code = '{accounts.carry_over('two-legs', LAST_DAY).code}')"
    )
    assert f"waiting two-legs {LAST_DAY}" in checks()
    forge("UPDATE payoffice_restoration SET lapsed_day = lapsed_day - 1")
    assert len(checks()) >= 2
    forge("UPDATE lototrot_carryover SET cents = cents + 1")
    assert "carried_over" in checks()
    assert Restoration.objects.get().restored_at <= clock.now()
