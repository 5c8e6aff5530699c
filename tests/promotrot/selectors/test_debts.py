"""List what games owe to prizes by age, at every stage [P2, P17]."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.database import clock
from core.draws.models import Draw
from core.draws.services import draw_attend, draw_reannounce, place_justify
from core.kernel.days import natural_day
from core.reports.tables import Period
from core.staff.powers import Role
from promotrot import reports
from promotrot.alarms import ALARMS
from promotrot.selectors.debts import OVERDUE_AFTER, Stage, debts
from promotrot.services.debts.drawing import debt_draw_again
from tests.support import emitting, factories, paying
from tests.support.promotrot import owing

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.2")]


def stages() -> list[tuple[str, int]]:
    return [(debt.stage.value, debt.cents) for debt in debts()]


def warned() -> int:
    """Return the number of debts that wait for a person."""
    return len(next(alarm for alarm in ALARMS if alarm.code == "promotrot_debt").rows())


def test_a_debt_is_listed_at_each_stage_with_its_age() -> None:
    game = owing.owing(140)
    assert (stages(), warned()) == ([("extra", 140)], 1)
    emission = emitting.planned(game, extra_tier=2)
    assert (stages(), warned()) == ([("extra", 140)], 0), "its next emission is planned"
    closed_at = debts()[0].since
    factories.time_to(clock.now() + timedelta(days=3))
    today = natural_day(clock.now())
    (row,) = reports.owed(Period(today, today))
    assert (row[0], row[2], row[3], row[4]) == ("small", closed_at, 3, 140)
    assert emission.game == game


def test_a_draw_that_nobody_holds_is_an_alarm_until_it_is_held_or_announced_anew() -> None:
    game = owing.ended(140)
    draw = Draw.objects.get(subject="small:1")
    factories.time_to(draw.announcements.get().planned_at + OVERDUE_AFTER / 2)
    assert warned() == 0
    factories.time_pass(minutes=31)
    assert (stages(), warned()) == ([("announced", 140)], 1)
    later = clock.now() + timedelta(days=1)
    organiser = factories.staff(Role.ORGANISER)
    draw_reannounce(by=organiser, draw=draw.uuid, place=paying.office().code, planned_at=later)
    assert warned() == 0
    inspector = factories.staff(Role.INSPECTOR)
    draw_attend(by=inspector, draw=draw.uuid)
    place_justify(by=inspector, draw=draw.uuid, reason="No witness came")
    owing.drawn(game)
    assert warned() == 0


def test_the_debt_of_an_ended_game_goes_from_draw_to_draw() -> None:
    game = owing.ended(140)
    for number in (1, 2, 3):
        assert (stages(), warned()) == ([("announced", 140)], 0)
        owing.drawn(game)
        assert (stages(), warned()) == ([("held", 140)], 0)
        owing.nobody_comes()
        if number < 3:
            assert (stages(), warned()) == ([("again", 140)], 1)
            debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)
    assert (stages(), warned()) == ([(Stage.AUTHORITY, 140)], 1)


def test_games_that_never_owed_anything_are_not_read() -> None:
    owing.owing(140)
    with CaptureQueriesContext(connection) as few:
        debts()
    for number in range(3):
        emitting.approved(emitting.small(f"other-{number}"))
    with CaptureQueriesContext(connection) as many:
        assert [debt.cents for debt in debts()] == [140]
    assert len(many) == len(few)
