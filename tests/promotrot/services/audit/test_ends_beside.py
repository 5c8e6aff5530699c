"""Compute the ends of plays again where one emission cannot be computed: it hides no other."""

import pytest
from django.conf import LazySettings
from django.db import connection

from core.database import clock
from core.database.kept import forget_all
from core.kernel.days import natural_day
from core.nights.models import JobRun
from core.nights.services import night_run
from promotrot.nightly import JOBS
from promotrot.services.audit.ends import AUDIT, PlaysDiffer, ends_audit
from tests.promotrot.services.audit.test_ends import ended, losing, without_seed_keys
from tests.support import emitting, factories
from tests.support.contributing import contributed
from tests.support.databases import Database
from tests.support.journaling import as_owner

pytestmark = pytest.mark.article("15.II.2")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE promotrot_playticket SET position = 5000 WHERE id = {moved}",
        "UPDATE promotrot_emission SET plan = '{{}}' WHERE id = {broken}",
        "DELETE FROM promotrot_witnessentropy WHERE emission_id = {broken}",
    ],
)
def test_one_emission_that_cannot_be_computed_hides_no_other(
    own_database: Database, damage: str
) -> None:
    """Somebody moved a ticket, or took a plan or an entropy away: the others are computed."""
    place = factories.point()
    emission, broken = (emitting.opened(emitting.small(code)) for code in ("small", "broken"))
    moved = losing(place, broken)
    ended(moved, 0, 0)
    ended(losing(place, emission), 1, 400)
    with as_owner(own_database), connection.cursor() as cursor:
        statement = damage.format(broken=broken.pk, moved=moved.pk)
        cursor.execute(f"ALTER TABLE {_table(statement)} DISABLE TRIGGER USER")
        cursor.execute(statement)
        assert cursor.rowcount == 1
    forget_all()
    with pytest.raises(PlaysDiffer) as refusal:
        ends_audit(natural_day(clock.now()))
    assert emission.reference in refusal.value.data["emissions"]


def _table(statement: str) -> str:
    """Return the table that a statement changes."""
    return next(word for word in statement.split() if word.startswith("promotrot_"))


def test_while_an_emission_stays_unreadable_an_older_end_is_found_in_its_turn(
    own_database: Database, settings: LazySettings
) -> None:
    """The nights fail one after another; the period of another emission has its turn."""
    place = factories.point()
    first, lost = (emitting.opened(emitting.small(code)) for code in ("first", "lost"))
    emitting.played(place, emitting.sold(first, 1, place))
    factories.time_pass(minutes=30 * 24 * 60)
    other = emitting.opened(emitting.document("trotters-ladder"))
    ended(emitting.buy(factories.point(), other), 1, 10_000, cause="played")
    factories.time_pass(minutes=65 * 24 * 60)
    newest = factories.point()
    emitting.played(newest, emitting.sold(lost, 1, newest))
    audit = [job for job in JOBS if job.name == AUDIT]
    with without_seed_keys(settings), contributed("nightly", "JOBS", audit):
        errors = set()
        for _ in range(2):
            factories.time_pass(minutes=24 * 60)
            night_run()
            errors.add(JobRun.objects.latest("day").error.partition(":")[0])
    assert errors == {"content_unreadable", "plays_differ"}
