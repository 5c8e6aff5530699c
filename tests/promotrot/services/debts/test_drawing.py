"""Draw the debt of an ended game again, twice at most [P17]."""

import pytest

from core.ledger.books import differences
from core.ledger.services import balance_cents
from core.payoffice.models import Deposit
from core.payoffice.services.matching import deposit_match
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from promotrot import accounts
from promotrot.models.debt import DebtStanding
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.debts import debt_left
from promotrot.services.debts.drawing import (
    DebtDrawPending,
    DebtDrawsOver,
    NothingOwed,
    debt_draw_again,
    debt_stand,
)
from promotrot.services.debts.ending import game_end_propose
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.promotrot import owing

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.2")]


def test_what_lapses_goes_back_to_the_games_prizes_and_then_to_the_authority() -> None:
    game = owing.ended(280, winners=2)
    organiser = factories.staff(Role.ORGANISER)
    with pytest.raises(PowerMissing):
        debt_draw_again(by=factories.staff(Role.INSPECTOR), game=game)
    with pytest.raises(DebtDrawPending):
        debt_draw_again(by=organiser, game=game)
    for number in (1, 2, 3):
        owing.drawn(game)
        with pytest.raises(DebtDrawsOver if number == 3 else NothingOwed):
            debt_draw_again(by=organiser, game=game)
        assert debt_stand(game=game) is None
        owing.nobody_comes()
        if number < 3:
            assert owing.owed_cents(game) == 280
            organiser = factories.staff(Role.ORGANISER)
            draw = debt_draw_again(by=organiser, game=game)
            assert draw.subject == f"small:{number + 1}"
    assert owing.owed_cents(game) == 0 and debt_stand(game=game) is None
    assert DebtStanding.objects.get().cents == balance_cents(accounts.for_authority("small")) == 280
    assert balance_cents(accounts.unclaimed()) == 0
    assert differences()[1] == []


def test_a_play_that_wins_the_draw_before_its_end_still_ends_with_its_prize() -> None:
    """[P11, P17]: the drawn voucher and the one of the play's own end are both the bearer's."""
    with emitting.seeded(emitting.seed_where("small/1", lambda tiers: tiers[0] > 0)):
        emission = emitting.opened(emitting.small())
    first, *_ = emitting.sold(emission, 5)
    game = emitting.closed(emission).game
    factories.central_office()
    ending = game_end_propose(by=factories.staff(Role.ORGANISER), game=game, winners=5)
    emitting.both(ending)
    owing.drawn(game)
    play = PlayTicket.objects.get(uuid=first)
    assert play_end_unfinished(play) == "unfinished"
    assert {voucher.nature for voucher in play.vouchers.all()} == {"cash", "drawn"}
    assert differences()[1] == []


@pytest.mark.parametrize("drawn_again", [False, True], ids=["before", "after"])
def test_a_drawn_voucher_identified_late_is_paid_before_and_after_it_was_drawn_again(
    drawn_again: bool,
) -> None:
    """[C8]: from the game's prizes while they wait; then the organiser bears it, for the control is
    the organiser's.
    """
    game = owing.ended(140)
    (voucher,) = owing.drawn(game)
    deposit = paying.deposited("", paying.cashier(), reason="unreadable")
    owing.nobody_comes()
    assert owing.owed_cents(game) == 140
    if drawn_again:
        debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)
        owing.drawn(game)
    _matched(deposit, voucher)
    assert balance_cents(accounts.held("small/1")) == 140
    assert owing.owed_cents(game) == 0
    assert balance_cents(accounts.late_awards()) == (-140 if drawn_again else 0)
    assert differences()[1] == []
    with pytest.raises(NothingOwed):
        debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)


def test_cents_of_no_whole_prize_are_drawn_again_too() -> None:
    """[C8, P17]: a prize came back after it was drawn again, and a larger one lapsed instead."""
    game = owing.ended(280, winners=3)
    *_, small = sorted(owing.drawn(game), key=lambda voucher: -voucher.amount_cents)
    of_small = paying.deposited("", paying.cashier(), reason="unreadable")
    owing.nobody_comes()
    debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)
    owing.drawn(game)
    again = Voucher.objects.filter(debt_draw__number=2).order_by("-amount_cents")
    assert [voucher.amount_cents for voucher in again] == [94, 93, 93]
    for voucher in again[1:]:
        _matched(paying.deposited("", paying.cashier(), reason="unreadable"), voucher)
    owing.nobody_comes()
    _matched(of_small, small)
    assert debt_left(game) == (1, 0)
    debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)
    owing.drawn(game)
    assert Voucher.objects.get(debt_draw__number=3).amount_cents == 1
    assert owing.owed_cents(game) == 0
    assert differences()[1] == []


def _matched(deposit: Deposit, voucher: Voucher) -> None:
    deposit_match(
        by=factories.staff(Role.SUPERVISOR),
        deposit=deposit.uuid,
        game="promotrot",
        document=voucher.uuid,
        evidence="the receipt of the play",
    )
