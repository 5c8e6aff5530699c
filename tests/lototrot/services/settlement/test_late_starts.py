"""Bets that were sold after the start are found also once the draw of its race has begun."""

from datetime import datetime, timedelta

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.draws import conducting, services
from core.draws.manual import manual_propose
from core.draws.models import Draw, DrawField
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.races import race_record
from lototrot.services.races.declarations import Left
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories as f
from tests.support import rounds
from tests.support.lototrot import starting

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Contest:
    f.central_office()
    return f.contest()


def attended(race: Race, *left: Left) -> tuple[Draw, StaffActor]:
    """Declare a race suspended; return its draw at the announced time, and the inspector there."""
    starting.declare(race, RaceDeclaration.Kind.SUSPENDED, left=left)
    draw, inspector = Draw.objects.get(), f.staff(Role.INSPECTOR)
    contest_seal(contest_id=Contest.objects.get().pk)
    f.announced_time(draw)
    services.draw_attend(by=inspector, draw=draw.uuid)
    return draw, inspector


def commit(draw: Draw) -> None:
    by = f.staff(Role.ORGANISER)
    conducting.draw_commit(by=by, draw=draw.uuid, source="dice", pieces=12)


def certify(draw: Draw, inspector: StaffActor) -> None:
    conducting.draw_enter(
        by=inspector, draw=draw.uuid, source="dice", text="3 1 6 1 4 2 5 3 6 4 2 2", witness="A"
    )
    conducting.draw_certify(by=inspector, draw=draw.uuid)


def correct(race: Race, instant: datetime) -> None:
    first, second = f.two_stewards()
    correction = start_correct(by=first, race_id=race.pk, actual_start_at=instant, source="Film")
    two_persons.confirm(proposal=correction.uuid, by=second)


@pytest.mark.article("14.III.4", "14.III.5.4.3")
@pytest.mark.parametrize("is_drawn", [False, True])
def test_late_bets_are_found_though_the_draw_has_begun(
    contest: Contest, race: Race, is_drawn: bool
) -> None:
    """[C6, C9]: the start was earlier. The same horses are in the draw, which stands."""
    point = f.point()
    f.acknowledge(contest, point)
    rounds.sell(contest, point, [(1,) * 7])
    f.time_pass(minutes=2)
    earlier = clock.now()
    f.time_pass(minutes=2)
    rounds.sell(contest, point, [(1,) * 7])
    f.started(race)
    f.contest_closed(contest)
    draw, inspector = attended(race)
    commit(draw)
    if is_drawn:
        certify(draw, inspector)
    assert not breach_pending(contest.pk)
    correct(race, earlier)
    assert breach_pending(contest.pk)
    if not is_drawn:
        certify(draw, inspector)
    assert race_record(race.pk).drawn is not None


@pytest.mark.article("14.III.5.4.1", "14.III.5.4.3")
def test_a_fixed_field_stands_whatever_side_of_the_start_a_withdrawal_was(race: Race) -> None:
    """[B16, C6]: a horse was withdrawn between two starts, and no correction was accepted."""
    before = clock.now()
    f.withdrawal(race, 2)
    f.started(race)
    f.contest_closed(Contest.objects.get())
    f.withdrawal(race, 4)
    after = clock.now()
    draw, inspector = attended(race, Left(4, "Refused"))
    commit(draw)
    facts, field = race_record(race.pk).facts(), DrawField.objects.get().facts
    assert (facts.withdrawn, facts.left) == ({2}, {4})
    for instant in (after, before):  # then 4 would be withdrawn in time; then 2 would not
        correct(race, instant)
        record = race_record(race.pk)
        assert record.start and record.start.actual_start_at == instant
        assert record.facts() == facts and not record.withdrawn_late
    certify(draw, inspector)
    drawn = race_record(race.pk).facts()
    assert (drawn.withdrawn, drawn.left) == (facts.withdrawn, facts.left)
    assert [*sorted(drawn.withdrawn)] == field["withdrawn"] and drawn.winners


@pytest.mark.article("14.III.5.4.1", "14.III.5.4.3")
def test_while_balls_wait_a_corrected_start_moves_no_withdrawal(race: Race) -> None:
    """[B16, C6]: the field follows from the start until the inspector confirms the balls."""
    before = clock.now()
    f.withdrawal(race, 2)
    start = f.started(race)
    f.contest_closed(Contest.objects.get())
    draw, inspector = attended(race)
    drawn = manual_propose(
        by=f.staff(Role.ORGANISER),
        draw=draw.uuid,
        order=conducting.field_now(draw).entries,
        drawn_at=clock.now(),
        witness="A",
        cause="No power",
    )
    with pytest.raises(services.DrawBegun):
        correct(race, before)
    moved = RaceStart.objects.values().get() | {"id": None, "actual_start_at": before}
    with pytest.raises(DatabaseError, match="draw has begun"), transaction.atomic():
        RaceStart.objects.create(**moved | {"corrects_id": start.pk})
    correct(race, start.actual_start_at - timedelta(microseconds=1))
    two_persons.confirm(proposal=drawn.uuid, by=inspector)
    conducting.draw_certify(by=inspector, draw=draw.uuid)
    assert race_record(race.pk).facts().withdrawn == {2}
