"""Play act by act: the same act again, acts out of turn, and acts elsewhere."""

import dataclasses
from typing import Any
from unittest import mock

import pytest

from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.premises.access import TerminalRevoked
from core.premises.models import Terminal
from core.staff.powers import Role
from promotrot.engine.plays import ActOutOfTurn
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import REVEAL
from promotrot.services import playing
from promotrot.services.office.moving import play_move
from promotrot.services.playing import PlayView, play_act, play_state
from tests.support import emitting, factories
from tests.support.factories import Point
from tests.support.promotrot.playing import bought, climbed, fate, play_begun, revealed, winner

pytestmark = pytest.mark.django_db


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


# --- What a process remembers of a play -----------------------------------------------------------


@pytest.fixture
def ladder() -> Emission:
    return emitting.opened(emitting.document("trotters-ladder"))


def remembered(place: Point, play: PlayView) -> playing._Seen:
    seen = playing._under_way.get(place.credentials.token_digest, play.uuid)
    assert seen is not None
    return seen


@pytest.mark.article("15.III.6.1")
def test_a_play_that_was_moved_after_its_sale_is_played_only_where_it_is_now(
    place: Point, emission: Emission
) -> None:
    play, neighbour = play_begun(place, emission), factories.point(place.premises)
    play_move(
        by=factories.staff(Role.ORGANISER),
        ident=play.uuid,
        terminal_code=neighbour.terminal.code,
        reason="The terminal broke.",
    )
    with pytest.raises(playing.PlayElsewhere):
        revealed(place, play.uuid)
    assert not PlayAct.objects.exists()
    assert revealed(neighbour, play.uuid).ending
    assert PlayAct.objects.get().terminal == neighbour.terminal


def test_a_terminal_that_was_revoked_after_the_sale_does_not_act(
    place: Point, emission: Emission
) -> None:
    play = play_begun(place, emission)
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=clock.now())
    with pytest.raises(TerminalRevoked):
        revealed(place, play.uuid)
    assert not PlayAct.objects.exists()


def test_what_another_process_did_meanwhile_stands(
    place: Point, ladder: Emission, monkeypatch: pytest.MonkeyPatch
) -> None:
    fate(monkeypatch, up=True)
    play = play_begun(place, ladder)
    old = remembered(place, play)
    done = play_act(credentials=place.credentials, ident=play.uuid, number=1, act="trot")
    playing._under_way.put(place.credentials.token_digest, play.uuid, fact=old)
    fate(monkeypatch, up=False)
    again = play_act(credentials=place.credentials, ident=play.uuid, number=1, act="trot")
    assert again.replayed and again.steps == done.steps and again.ending is None
    assert PlayAct.objects.count() == 1


def test_what_a_process_remembers_is_what_it_would_see(
    place: Point, ladder: Emission, monkeypatch: pytest.MonkeyPatch
) -> None:
    fate(monkeypatch, up=True)
    play = climbed(place, play_begun(place, ladder), stop=False)
    seen = playing._look(place.credentials, play.uuid)
    assert dataclasses.replace(remembered(place, play), at=seen.at) == seen


@pytest.mark.article("15.III.2")
@pytest.mark.parametrize("other", ["play", "ticket", "place", "acts"])
def test_a_play_that_is_another_than_remembered_is_looked_at(
    place: Point, ladder: Emission, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """A server that took over without the last acts may give their numbers to others."""
    fate(monkeypatch, up=True)
    play, stranger = (climbed(place, play_begun(place, ladder), stop=False) for _ in range(2))
    seen, of_other = remembered(place, play), remembered(place, stranger)
    wrong: dict[str, dict[str, Any]] = {
        "play": {
            "ticket_id": of_other.ticket_id,
            "opening": of_other.opening,
            "position": of_other.position,
            "acts": of_other.acts,
        },
        "ticket": {"ticket_id": of_other.ticket_id},
        "place": {"opening": of_other.opening, "position": of_other.position},
        "acts": {"acts": (("trot", seen.acts[0][1] + 1, seen.acts[0][2]),)},
    }
    lie = dataclasses.replace(seen, **wrong[other])
    assert lie != seen
    playing._under_way.put(place.credentials.token_digest, play.uuid, fact=lie)
    look = mock.Mock(side_effect=playing._look)
    monkeypatch.setattr(playing, "_look", look)
    done = play_act(credentials=place.credentials, ident=play.uuid, number=2, act="stop")
    assert done.ending and look.call_count == 1
    assert PlayEnd.objects.get().ticket.uuid == play.uuid
    assert remembered(place, play).ticket_id == seen.ticket_id


@pytest.mark.article("15.III.6.6")
def test_a_play_that_is_acted_on_the_next_day_has_a_voucher_of_that_day(
    place: Point, ladder: Emission, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    fate(monkeypatch, up=True)
    play = play_begun(place, ladder)
    _, midnight = day_bounds(natural_day(play.sold_at))
    factories.time_to(midnight)
    (voucher,) = climbed(place, play).vouchers
    assert voucher.issue_day == natural_day(midnight) and voucher.code is not None
    assert bytes(Voucher.objects.get().code_digest or b"") == settings.CODE_KEYS.digest(
        voucher.code
    )
