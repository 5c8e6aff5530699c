"""Bets that were sold after the start are found also once the draw of its race has begun."""

import pytest

from core.database import clock
from core.draws import conducting, services
from core.draws.models import Draw
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.races import race_record
from lototrot.services.races.starts import start_correct
from lototrot.services.seal.sealing import contest_seal
from tests.support import factories as f
from tests.support import rounds
from tests.support.lototrot import starting

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Contest:
    f.central_office()
    return f.contest()


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
    starting.declare(race, RaceDeclaration.Kind.SUSPENDED)
    draw = Draw.objects.get()
    contest_seal(contest_id=contest.pk)
    f.announced_time(draw)
    inspector = f.staff(Role.INSPECTOR)
    services.draw_attend(by=inspector, draw=draw.uuid)
    by = f.staff(Role.ORGANISER)
    conducting.draw_commit(by=by, draw=draw.uuid, source="dice", pieces=12)

    def certify() -> None:
        conducting.draw_enter(
            by=inspector, draw=draw.uuid, source="dice", text="3 1 6 1 4 2 5 3 6 4 2 2", witness="A"
        )
        conducting.draw_certify(by=inspector, draw=draw.uuid)

    if is_drawn:
        certify()
    assert not breach_pending(contest.pk)
    first, second = f.two_stewards()
    correction = start_correct(by=first, race_id=race.pk, actual_start_at=earlier, source="Film")
    two_persons.confirm(proposal=correction.uuid, by=second)
    assert breach_pending(contest.pk)
    if not is_drawn:
        certify()
    assert race_record(race.pk).drawn is not None
