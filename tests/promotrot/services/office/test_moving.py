"""Move an unfinished play to another terminal of its premises (15.III.6.1) [P11]."""

import pytest

from core.database import clock
from core.premises.models import Terminal
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.selectors.facts import REVEAL
from promotrot.selectors.plays import unfinished_at
from promotrot.services import playing
from promotrot.services.office import moving
from promotrot.services.playing import play_act
from tests.support import factories
from tests.support.emitting import buy
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


@pytest.mark.article("15.III.6.1")
def test_staff_move_an_unfinished_play_within_its_premises(
    place: Point, emission: Emission
) -> None:
    ticket, organiser = buy(place, emission), factories.staff(Role.ORGANISER)
    neighbour, stranger = factories.point(place.premises), factories.point()

    def move(to: Point, by: StaffActor = organiser) -> object:
        return moving.play_move(
            by=by, ident=ticket.uuid, terminal_code=to.terminal.code, reason="dark screen"
        )

    for target in (stranger, place):
        with pytest.raises(moving.MoveRefused):
            move(target)
    with pytest.raises(PowerMissing):
        move(neighbour, factories.staff(Role.CASHIER))
    assert move(neighbour) == move(neighbour)
    assert [row.pk for row in unfinished_at(neighbour.terminal.pk)] == [ticket.pk]
    assert not unfinished_at(place.terminal.pk).exists()
    with pytest.raises(playing.PlayElsewhere):
        play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    assert play_act(credentials=neighbour.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    with pytest.raises(playing.PlayEnded):
        move(place)


@pytest.mark.article("15.III.6.1")
@pytest.mark.parametrize("state", ["never enrolled", "copied"])
def test_a_play_does_not_move_to_a_terminal_that_cannot_be_used(
    place: Point, emission: Emission, state: str
) -> None:
    """Nobody could play it there, and its own terminal would refuse it."""
    ticket, idle = buy(place, emission), factories.point(place.premises)
    cannot = {"never enrolled": {"token_digest": None}, "copied": {"copied_at": clock.now()}}
    Terminal.objects.filter(pk=idle.terminal.pk).update(**cannot[state])
    with pytest.raises(moving.MoveRefused):
        moving.play_move(
            by=factories.staff(Role.ORGANISER),
            ident=ticket.uuid,
            terminal_code=idle.terminal.code,
            reason="dark screen",
        )
