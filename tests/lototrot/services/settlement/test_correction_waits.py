"""The database on what two persons decide while a correction waits."""

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.staff import two_persons
from lototrot.services.races.declarations import declaration_retract
from lototrot.services.races.starts import start_correct
from lototrot.services.settlement import breach
from lototrot.services.settlement.breach import breach_void
from tests.support import factories as f
from tests.support.lototrot.breaching import confirmed, organiser, sell, started_at

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.I.6", "14.III.4")]


def test_the_database_too_refuses_bets_voided_while_a_correction_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[C6, C9]: where a program does not ask; a correction that has lapsed holds nothing."""
    monkeypatch.setattr(breach, "need_no_correction", lambda contest: None)
    contest = f.contest()
    late = sell(contest, f.point())
    started_at(contest, late.sold_at)
    race, (one, two) = f.races_of(contest)[0], f.two_stewards()
    later = clock.now()
    correction = start_correct(by=one, race_id=race.pk, actual_start_at=later, source="Video")
    proposed = breach_void(by=organiser(), contest_id=contest.pk)
    with pytest.raises(IntegrityError, match="correction of a start"), transaction.atomic():
        confirmed(proposed)
        _at_the_end()
    f.declared(race)
    two_persons.reject(proposal=correction.uuid, by=two)
    retraction = declaration_retract(by=one, race_id=race.pk, reason="Another race")
    with pytest.raises(IntegrityError, match="correction of a start"), transaction.atomic():
        confirmed(proposed)
        _at_the_end()
    with transaction.atomic():
        two_persons.reject(proposal=retraction.uuid, by=two)
        confirmed(proposed)
        _at_the_end()
        transaction.set_rollback(True)
    f.time_pass(hours=25)  # the retraction has lapsed
    confirmed(breach_void(by=organiser(), contest_id=contest.pk))
    _at_the_end()


def _at_the_end() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
