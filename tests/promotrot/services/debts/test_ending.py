"""End a game for good: pay what it owes, to the cent, to tickets drawn in public."""

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.draws.models import Draw
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.ledger.services import balance_cents
from core.proofs.models import LogEntry
from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot import accounts
from promotrot.engine.shortfall import shares
from promotrot.models.emission import Emission
from promotrot.models.game import Game, GameEnding
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.closing import reveals_due
from promotrot.selectors.debts import Stage, debts
from promotrot.selectors.owed import owed_cents
from promotrot.selectors.public import shown_emissions
from promotrot.services.debts.deciding import debt_decide_propose
from promotrot.services.debts.drawing import NothingOwed, debt_draw_again, debt_stand
from promotrot.services.debts.ending import (
    GameOnSale,
    OwedDiffers,
    WinnersRefused,
    game_end_propose,
)
from promotrot.services.emissions import (
    EmissionState,
    emission_get,
    emission_open_propose,
    emission_plan,
)
from promotrot.services.games import GameEnded
from promotrot.services.unfinished import play_end_unfinished
from promotrot.tasks import reveal
from tests.support import emitting, factories
from tests.support.promotrot.owing import owing

pytestmark = pytest.mark.django_db


def _ended(game: Game, winners: int) -> None:
    factories.central_office()
    emitting.both(game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=winners))


def _drawn() -> Draw:
    return factories.witnessed(Draw.objects.get(kind="promotrot.debt"))


@pytest.mark.article("15.III.6.2")
def test_what_is_owed_goes_to_drawn_tickets_to_the_cent() -> None:
    game = owing(280)
    assert owed_cents(game) == 280
    _ended(game, winners=3)
    _drawn()
    vouchers = Voucher.objects.filter(nature=Voucher.Nature.DRAWN).order_by("-amount_cents")
    assert [v.amount_cents for v in vouchers] == [94, 93, 93]
    assert {v.ticket.emission.game_id for v in vouchers} == {game.pk}
    assert len({v.ticket_id for v in vouchers}) == 3
    assert {(v.terminal_id, v.code_digest) for v in vouchers} == {(None, None)}  # held
    assert balance_cents(accounts.prizes("small")) == 0
    assert balance_cents(accounts.vouchers("small/1")) == 280
    transfer = Transfer.objects.get(kind="promotrot.draw")
    assert transfer.amount_cents == 280, "an act has fewer lines than tickets may be drawn"
    assert differences()[1] == []


@pytest.mark.article("15.III.6.2")
def test_the_entries_are_the_codes_of_all_its_tickets_and_are_published() -> None:
    _ended(owing(140), winners=1)
    draw = _drawn()
    codes = {str(ident) for ident in PlayTicket.objects.values_list("uuid", flat=True)}
    assert set(draw.field.entries) == codes
    assert draw.field.facts["owed_cents"] == 140


def test_a_game_that_owes_nothing_ends_without_a_draw_and_has_no_further_emission() -> None:
    game = emitting.approved(emitting.small())
    with pytest.raises(WinnersRefused):
        game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=1)
    waiting = emitting.planned(game)
    _ended(game, winners=0)
    assert not Draw.objects.exists()
    with pytest.raises(GameEnded):
        emission_plan(by=factories.staff(Role.ORGANISER), game=game)
    with pytest.raises(GameEnded):
        emitting.opened(game)
    with pytest.raises(EmissionState):
        emitting.committed(waiting)
    with pytest.raises(GameEnded):
        emitting.recorded(emitting.small(prize_percent="70") | {"block_tickets": 41})
    with pytest.raises(NothingOwed):
        debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)


@pytest.mark.article("15.II.2")
def test_the_end_of_a_game_says_in_public_that_what_waits_is_never_sold() -> None:
    """Its seed follows, so that nobody looks at a shuffle and throws it away unseen."""
    game = emitting.approved(emitting.small())
    emission = emitting.witnessed(emitting.committed(emitting.planned(game)))
    proposal = emission_open_propose(by=factories.staff(Role.ORGANISER), emission=emission)
    assert reveals_due() == []
    with pytest.raises(DatabaseError), transaction.atomic():
        Emission.objects.filter(pk=emission.pk).update(state=Emission.State.ABANDONED)
    _ended(game, winners=0)
    emission = emission_get("small/1")
    assert emission.state == Emission.State.ABANDONED
    published = LogEntry.objects.get(kind="promotrot.abandoned").document
    assert published["commitment"] == emission.commitment.digest
    with pytest.raises(EmissionState):
        emitting.both(proposal)
    assert reveals_due() == [emission.pk]
    assert reveal(emission.pk) and not reveal(emission.pk)
    assert LogEntry.objects.get(kind="promotrot.seed").document["sold"] == 0
    assert emission_get("small/1").state == Emission.State.ABANDONED
    assert (reveals_due(), list(shown_emissions())) == ([], [])


def test_what_was_not_committed_to_has_no_seed_to_publish() -> None:
    for code in ("small", "five-stalls"):
        base = emitting.small() if code == "small" else emitting.document(code)
        game = emitting.approved(base)
        emitting.planned(game)
        _ended(game, winners=0)
        assert LogEntry.objects.get(subject=f"{code}/1").document["commitment"] is None
    assert reveals_due() == []


def test_what_ending_refuses() -> None:
    emission = emitting.opened(emitting.small("on-sale"))
    with pytest.raises(GameOnSale):
        game_end_propose(by=factories.staff(Role.ORGANISER), game=emission.game)
    game = owing(140)
    for winners in (0, 3, 141):  # two tickets were sold
        with pytest.raises(WinnersRefused):
            game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=winners)
    with pytest.raises(DatabaseError), transaction.atomic():
        GameEnding.objects.create(
            game=game,
            proposal=factories.proposal("promotrot.ending"),
            owed_cents=1,
            winners=1,
            ended_at=emission.planned_at,
        )


def test_two_persons_end_a_game_with_the_debt_that_both_have_read() -> None:
    """A proposal is good for a week: another emission may be sold and closed meanwhile."""
    game, organiser = owing(140), factories.staff(Role.ORGANISER)
    proposal = game_end_propose(by=organiser, game=game, winners=1)
    emission = emitting.opened(game, extra_tier=2)
    emitting.sold(emission, 1)
    emitting.closed(emission)
    with pytest.raises(OwedDiffers) as error:
        emitting.both(proposal)
    assert error.value.data["owed_cents"] == owed_cents(game) == 210
    assert not GameEnding.objects.exists()


@pytest.mark.article("15.III.6.2")
def test_a_draw_has_tickets_enough_when_unfinished_plays_get_their_price_back() -> None:
    """[P2, P11]: with more winners than tickets left nobody could ever hold it."""
    point, emission = factories.point(), emitting.opened(emitting.document("trotters-ladder"))
    first, *others = emitting.sold(emission, 3, point)
    game = emitting.closed(emission).game
    organiser = factories.staff(Role.ORGANISER)
    for ended, refused in ((0, 1), (1, 2)):
        emitting.finished(point, [first][:ended])
        with pytest.raises(WinnersRefused) as error:
            game_end_propose(by=organiser, game=game, winners=refused)
        assert error.value.data["most"] == ended
    _ended(game, winners=1)
    for ident in others:
        assert play_end_unfinished(PlayTicket.objects.get(uuid=ident)) == "refund"
    assert _drawn().outcome.order == [str(first)]
    assert differences()[1] == []


@pytest.mark.article("15.III.6.2")
def test_a_debt_without_a_ticket_to_draw_stands_for_the_authority_at_once() -> None:
    """[P2, P11, P17]: the prices of all plays are due back, after the closing stated a debt."""
    emission = emitting.opened(emitting.document("trotters-ladder"))
    sold = emitting.sold(emission, 2)
    game = emitting.closed(emission).game
    owed, organiser = owed_cents(game), factories.staff(Role.ORGANISER)
    for ident in sold:
        with pytest.raises(WinnersRefused):  # the play may be ended yet, and be drawn
            game_end_propose(by=organiser, game=game, winners=0)
        named = {"game": game.code, "owed_cents": owed, "winners": 0}
        proposal = factories.proposal("promotrot.ending", content=named)
        with pytest.raises(DatabaseError, match="tickets"), transaction.atomic():
            _ending_forged(game, proposal, owed)
        assert play_end_unfinished(PlayTicket.objects.get(uuid=ident)) == "refund"
    with pytest.raises(WinnersRefused):
        game_end_propose(by=organiser, game=game, winners=1)
    _ended(game, winners=0)
    assert not Draw.objects.exists() and owed > 0
    assert balance_cents(accounts.prizes(game.code)) == 0
    assert balance_cents(accounts.for_authority(game.code)) == owed
    assert [(debt.stage, debt.cents) for debt in debts()] == [(Stage.AUTHORITY, owed)]
    assert debt_stand(game=game) is None
    with pytest.raises(NothingOwed):
        debt_draw_again(by=organiser, game=game)
    assert differences()[1] == []
    decided = debt_decide_propose(
        by=organiser, game=game, cents=owed, reference="Resolució 1", payee="Creu Roja"
    )
    emitting.both(decided)
    assert debts() == [] and differences()[1] == []


def _ending_forged(game: Game, proposal: Proposal, owed: int) -> None:
    GameEnding.objects.create(
        game=game, proposal=proposal, owed_cents=owed, winners=0, ended_at=clock.now()
    )


def test_the_draw_has_the_name_that_two_persons_approved() -> None:
    """A version that nobody approved may have another name, and lack languages."""
    game = owing(140)
    texts = emitting.small()["texts"]
    approved = {language: each["name"] for language, each in texts.items()}
    emitting.recorded(emitting.small(texts={"ca": texts["ca"] | {"name": "Never approved"}}))
    _ended(game, winners=1)
    title = Draw.objects.get(kind="promotrot.debt").title
    assert all(title[language].endswith(name) for language, name in approved.items())


@pytest.mark.parametrize(("owed", "winners"), [(1, 1), (100, 3), (7, 7), (10_000_001, 9)])
def test_shares_sum_to_what_is_owed(owed: int, winners: int) -> None:
    parts = shares(owed, winners)
    assert sum(parts) == owed and len(parts) == winners and min(parts) >= 1
    assert max(parts) - min(parts) < winners
