"""Play act by act: the same act again, acts out of turn, and acts elsewhere."""

import pytest

from promotrot.engine.mechanics import ActOutOfTurn
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd
from promotrot.services import playing
from promotrot.services.facts import REVEAL
from promotrot.services.playing import PlayView, play_act, play_state
from tests.support import factories
from tests.support.factories import Point
from tests.support.promotrot.playing import bought, revealed

pytestmark = pytest.mark.django_db


def winner(place: Point, emission: Emission) -> PlayView:
    while True:
        play = revealed(place, bought(place, emission))
        if play.vouchers:
            return play


def test_the_same_act_again_is_the_same_answer(place: Point, emission: Emission) -> None:
    play = winner(place, emission)
    again = revealed(place, play.uuid)
    assert again.replayed and again.ending == play.ending and again.vouchers == play.vouchers
    assert play_state(credentials=place.credentials, ident=play.uuid).ending == play.ending
    assert PlayAct.objects.filter(ticket__uuid=play.uuid).count() == 1


@pytest.mark.parametrize(
    ("number", "act", "error"),
    [
        (2, REVEAL, ActOutOfTurn),
        (1, "open-1", ActOutOfTurn),
    ],
)
def test_an_act_out_of_turn_writes_nothing(
    place: Point, emission: Emission, number: int, act: str, error: type[Exception]
) -> None:
    ident = bought(place, emission)
    with pytest.raises(error):
        play_act(credentials=place.credentials, ident=ident, number=number, act=act)
    assert not PlayAct.objects.exists() and not PlayEnd.objects.exists()


def test_after_the_end_each_mistake_has_its_own_code(place: Point, emission: Emission) -> None:
    ident = bought(place, emission)
    revealed(place, ident)
    for number, act, error in ((2, REVEAL, playing.PlayEnded), (1, "x", playing.ActAlreadyDone)):
        with pytest.raises(error):
            play_act(credentials=place.credentials, ident=ident, number=number, act=act)


@pytest.mark.article("15.III.6.1")
def test_the_right_to_play_is_at_the_terminal_that_sold_it(
    place: Point, emission: Emission
) -> None:
    ident = bought(place, emission)
    neighbour, stranger = factories.point(place.premises), factories.point()
    with pytest.raises(playing.PlayElsewhere):
        revealed(neighbour, ident)
    with pytest.raises(playing.PlayUnknown):
        revealed(stranger, ident)
    assert revealed(place, ident).ending
