"""Play games in which the player's acts decide, act by act (15.II.3) [P3, P11]."""

import copy
import secrets
from collections.abc import Callable

import pytest

from core.ledger.services import balance_cents
from promotrot import accounts
from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.plays import ActOutOfTurn, replay
from promotrot.models.emission import Emission
from promotrot.models.play import PlayAct, PlayEnd
from promotrot.selectors.facts import emission_facts
from promotrot.services import playing
from promotrot.services.playing import PlayView, play_act, play_state
from tests.support import emitting
from tests.support.factories import Point
from tests.support.promotrot.playing import play_begun

pytestmark = pytest.mark.django_db

GAMES = ("five-stalls", "trotters-ladder")


@pytest.fixture(scope="module")
def both_on_sale(shared: None) -> dict[str, Emission]:
    return {game: emitting.opened(emitting.document(game)) for game in GAMES}


@pytest.fixture(params=GAMES)
def emission(both_on_sale: dict[str, Emission], request: pytest.FixtureRequest) -> Emission:
    return copy.deepcopy(both_on_sale[request.param])


def act(place: Point, play: PlayView, name: str, number: int | None = None) -> PlayView:
    number = len(play.steps) + 1 if number is None else number
    return play_act(credentials=place.credentials, ident=play.uuid, number=number, act=name)


def to_the_end(
    place: Point, play: PlayView, choose: Callable[[tuple[str, ...]], str] = secrets.choice
) -> PlayView:
    while play.ending is None:
        play = act(place, play, choose(play.legal))
    return play


@pytest.mark.article("15.II.3", "15.III.6.3")
def test_every_act_is_on_record_and_leads_where_the_engine_says(
    place: Point, emission: Emission
) -> None:
    game = emission_facts(emission.pk).game
    assert isinstance(game, ProbabilisticGame)
    awarded = 0
    for _ in range(60):
        play = to_the_end(place, play_begun(place, emission))
        rows = PlayAct.objects.filter(ticket__uuid=play.uuid).order_by("number")
        assert [row.number for row in rows] == [*range(1, len(rows) + 1)]
        again = replay(game.kind.mechanic, [(row.act, row.draw) for row in rows])
        assert [step.shown for step in again.steps] == [row.shown for row in rows]
        end = PlayEnd.objects.get(ticket__uuid=play.uuid)
        assert end.tier == again.award == play.ending.tier
        assert end.awarded_cents == sum(voucher.amount_cents for voucher in play.vouchers)
        awarded += end.awarded_cents
    assert balance_cents(accounts.vouchers(emission.reference)) == awarded
    assert balance_cents(accounts.prizes(emission.game.code)) == -awarded


@pytest.mark.article("15.III.3")
def test_a_play_resumes_from_its_last_act(place: Point, emission: Emission) -> None:
    play = None
    while play is None or play.ending is not None:  # until one has not ended by its first act
        fresh = play_begun(place, emission)
        play = act(place, fresh, fresh.legal[0])
    seen = play_state(credentials=place.credentials, ident=play.uuid)
    assert (seen.steps, seen.legal, seen.ending) == (play.steps, play.legal, None)
    assert to_the_end(place, seen).ending


def test_the_same_act_again_draws_nothing_new(
    place: Point, emission: Emission, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = play_begun(place, emission)
    first = act(place, play, play.legal[0])
    monkeypatch.setattr(secrets, "randbelow", lambda bound: pytest.fail("drawn again"))
    again = act(place, play, play.legal[0], number=1)
    assert again.replayed and again.steps == first.steps
    assert PlayAct.objects.filter(ticket__uuid=play.uuid).count() == 1


def test_an_act_not_allowed_is_refused_with_what_is(place: Point, emission: Emission) -> None:
    play = play_begun(place, emission)
    for name, number in (("keep", None), ("stop", None), ("reveal", None), (play.legal[0], 2)):
        with pytest.raises(ActOutOfTurn):
            act(place, play, name, number)
    done = act(place, play, play.legal[0])
    with pytest.raises(playing.ActAlreadyDone):
        act(place, done, "another", number=1)


@pytest.mark.article("15.II.3")
def test_each_act_is_drawn_for_itself_below_its_bound(
    place: Point, emission: Emission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The generator is called once for an act, with the bound of that act."""
    asked: list[int] = []

    def below(bound: int) -> int:
        asked.append(bound)
        return bound - 1

    monkeypatch.setattr(secrets, "randbelow", below)
    play = to_the_end(place, play_begun(place, emission), choose=lambda legal: legal[0])
    rows = PlayAct.objects.filter(ticket__uuid=play.uuid).order_by("number")
    assert [row.draw for row in rows] == [bound - 1 for bound in asked]
