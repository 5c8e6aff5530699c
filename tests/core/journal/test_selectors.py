"""Read who did what, and which rows each act wrote."""

import pytest
from django.db import transaction

from core.journal import acting, selectors
from core.journal.models import Act
from core.premises.models import Terminal
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import seal_all


def test_acts_are_found_by_who_and_when_and_under_which_name(own_database: Database) -> None:
    auditor, organiser = factories.staff(Role.AUDITOR), factories.staff(Role.ORGANISER)
    with acting.acting("of the test", staff=organiser.user_id), transaction.atomic():
        factories.premises()
    (act,) = selectors.acts(by=auditor, name="of the test")
    assert act.user is not None and act.user.pk == organiser.user_id
    assert selectors.act(by=auditor, xid=act.pk) == act
    assert act in selectors.acts(by=auditor, staff=organiser.user_id, since=act.at)
    assert act not in selectors.acts(by=auditor, until=act.at)
    assert not selectors.acts(by=auditor, name="of the test", terminal="T-1").exists()
    assert selectors.acts(by=auditor).count() == Act.objects.count()


def test_an_act_names_the_rows_and_changes_that_it_wrote(own_database: Database) -> None:
    auditor, place = factories.staff(Role.AUDITOR), factories.point()
    with acting.acting("revoking"), transaction.atomic():
        Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=place.terminal.created_at)
        factories.premises()
    (act,) = selectors.acts(by=auditor, name="revoking")
    (change,) = selectors.changes(act=act)
    assert (change.relation, change.row_id) == ("premises_terminal", place.terminal.pk)
    written = {each.table: each for each in selectors.written(act=act)}
    assert written["premises_premises"].rows == 1


def test_only_who_watches_may_read(own_database: Database) -> None:
    auditor, organiser = factories.staff(Role.AUDITOR), factories.staff(Role.ORGANISER)
    for read in (selectors.acts, selectors.batches, selectors.verification):
        with pytest.raises(PowerMissing):
            read(by=organiser)
    with pytest.raises(selectors.ActUnknown):
        selectors.act(by=auditor, xid=10**12)
    seal_all()
    assert selectors.batches(by=auditor).count() > 0
    assert selectors.verification(by=auditor).findings == []
