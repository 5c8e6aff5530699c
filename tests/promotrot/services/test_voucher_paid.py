"""Pay vouchers once, at once, by the tiers of payment (15.III.6.4, 15.III.6.5)."""

import pytest

from core.kernel.codes import CodeForged, CodeMalformed, CodeMistyped
from core.kernel.errors import DomainError
from core.ledger.books import differences
from core.ledger.services import balance_cents, premises_account
from core.payoffice import refusals
from core.payoffice.services.checking import document_check
from core.payoffice.services.paying import PayRequest, payment_make
from core.premises.requests import new_uuid
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.selectors.facts import REVEAL
from promotrot.services.playing import PlayView, play_act, play_state
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.vouchers import Issued, VoucherCodeGone, voucher_reprint
from tests.support import emitting, factories, paying
from tests.support.factories import Point

pytestmark = pytest.mark.django_db


def won(place: Point, emission: Emission, cents: int = 0) -> tuple[PlayView, Issued]:
    """Return a play with a prize, of that many cents if given."""
    while True:
        request = PlayRequest(new_uuid(), emission.pk, emission.price_cents)
        play_sell(credentials=place.credentials, request=request)
        play = play_act(credentials=place.credentials, ident=request.uuid, number=1, act=REVEAL)
        if play.vouchers and cents in (0, play.vouchers[0].amount_cents):
            return play, play.vouchers[0]


def asked(issued: Issued) -> PayRequest:
    assert issued.code is not None
    return PayRequest(new_uuid(), issued.amount_cents, intact=True, code=issued.code.grouped)


@pytest.mark.article("15.III.6.4")
def test_the_establishment_pays_at_once_and_once(place: Point) -> None:
    emission = emitting.opened(emitting.small())
    play, issued = won(place, emission)
    before = balance_cents(premises_account(place.premises.pk))
    owed = balance_cents(accounts.vouchers(emission.reference))
    paid = payment_make(at=place.actor, request=asked(issued))
    assert (paid.game, paid.document, paid.amount_cents) == (
        "promotrot",
        issued.uuid,
        issued.amount_cents,
    )
    premises = balance_cents(premises_account(place.premises.pk))
    assert premises == before - issued.amount_cents
    assert balance_cents(accounts.vouchers(emission.reference)) == owed - issued.amount_cents
    with pytest.raises(refusals.AlreadyPaid):
        payment_make(at=factories.point().actor, request=asked(issued))
    assert play_state(credentials=place.credentials, ident=play.uuid).vouchers[0].code is None
    with pytest.raises(VoucherCodeGone):
        voucher_reprint(by=place.actor, ident=issued.uuid)
    assert differences()[1] == []


@pytest.mark.article("15.III.6.4")
@pytest.mark.parametrize(
    ("cents", "percent", "here"), [(29_999, "70.09", True), (30_000, "70", False)]
)
def test_by_the_tiers_of_tickets(place: Point, cents: int, percent: str, here: bool) -> None:
    """[P7]: below 300.00 the establishment that issued it pays; from 300.00 on, the Central
    Office.
    """
    tiers = [{"cash_cents": cents, "count": 1}, {"cash_cents": 100, "count": 700 - cents // 100}]
    emission = emitting.opened(
        emitting.small(
            tickets=1_000, block_tickets=1_000, price_cents=100, prize_percent=percent, tiers=tiers
        )
    )
    _, issued = won(place, emission, cents)
    if here:
        assert payment_make(at=place.actor, request=asked(issued)).amount_cents == cents
        return
    with pytest.raises(refusals.PlaceNotAllowed):
        payment_make(at=place.actor, request=asked(issued))
    assert paying.paid_by_two(paying.cashier(), asked(issued)).amount_cents == cents


@pytest.mark.article("15.III.6.4")
@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("1234", CodeMalformed),
        ("typo", CodeMistyped),
        ("made up", CodeForged),
    ],
)
def test_a_code_that_is_none(place: Point, typed: str, error: type[DomainError]) -> None:
    _, issued = won(place, emitting.opened(emitting.small()))
    assert issued.code is not None
    text = issued.code.text
    if typed == "typo":
        typed = ("0" if text[5] != "0" else "1").join((text[:5], text[6:]))
    if typed == "made up":  # another body whose check character agrees
        typed = made_up(text)
    with pytest.raises(error):
        document_check(at=place.actor, code=typed)


def made_up(text: str) -> str:
    """Return a well-formed code that this system has not made."""
    from core.kernel.codes import ALPHABET, _check

    body = text[:5] + ALPHABET[(ALPHABET.index(text[5]) + 1) % 32] + text[6:-1]
    return body + _check(body)
