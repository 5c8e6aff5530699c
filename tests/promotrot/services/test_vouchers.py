"""Print vouchers and erase the secrets of their codes [P16]."""

import dataclasses

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.premises.models import OperatorSession
from core.premises.requests import new_uuid
from promotrot.engine.rules import paper_until
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import VoucherCodeGiven, VoucherReprint, VoucherSecret
from promotrot.selectors.facts import REVEAL
from promotrot.services import vouchers
from promotrot.services.playing import PlayView, play_act, play_state
from tests.support import factories
from tests.support.emitting import winning
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


def act(place: Point, ticket: PlayTicket) -> PlayView:
    return play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)


def at_same_terminal(place: Point) -> Point:
    """Return the terminal with another operator signed on."""
    token = factories.operator_at(place)
    session = OperatorSession.objects.select_related("operator").latest("pk")
    return dataclasses.replace(
        place, operator=session.operator, session=session, session_token=token
    )


def test_another_operator_at_the_terminal_gets_no_code_of_a_player(
    place: Point, emission: Emission
) -> None:
    """A person who has it is paid before the player comes."""
    ticket = winning(place, emission)
    (voucher,) = act(place, ticket).vouchers
    other = at_same_terminal(place)
    bare = dataclasses.replace(other.bare, operator_id=other.operator.pk)
    assert vouchers.voucher_original(by=bare, ident=voucher.uuid)[1].code  # its first paper
    factories.time_pass(minutes=2)
    for again in (act(other, ticket), play_state(credentials=other.credentials, ident=ticket.uuid)):
        assert [each.code for each in again.vouchers] == [None]
    for by in (place.bare, bare):
        with pytest.raises(vouchers.VoucherOperatorDiffers):
            vouchers.voucher_original(by=by, ident=voucher.uuid)
    with pytest.raises(vouchers.VoucherOperatorDiffers):
        vouchers.voucher_reprint(by=other.actor, ident=voucher.uuid)
    assert not VoucherCodeGiven.objects.exists() and not VoucherReprint.objects.exists()


def test_who_sold_the_play_has_the_code_again_until_it_is_printed_and_each_time_is_on_record(
    place: Point, emission: Emission
) -> None:
    ticket = winning(place, emission)
    (voucher,) = act(place, ticket).vouchers
    seller = dataclasses.replace(place.bare, operator_id=place.operator.pk)
    factories.time_pass(minutes=2)
    had = [
        act(place, ticket).vouchers[0].code,
        play_state(credentials=place.credentials, ident=ticket.uuid).vouchers[0].code,
        vouchers.voucher_original(by=seller, ident=voucher.uuid)[1].code,
    ]
    key = new_uuid()
    _, copy, reprint = vouchers.voucher_reprint(by=place.actor, ident=voucher.uuid, copy=key)
    assert {*had, copy.code} == {voucher.code} and reprint.number == 1
    assert vouchers.voucher_reprint(by=place.actor, ident=voucher.uuid, copy=key)[2] == reprint
    rows = VoucherCodeGiven.objects.order_by("pk").values_list("road", "operator")
    assert list(rows) == [(road, place.operator.pk) for road in ("replay", "inquiry", "paper")]


def next_noon() -> None:
    factories.time_to(paper_until(natural_day(clock.now())))


def test_from_noon_of_the_next_day_nobody_gets_a_code_again(
    place: Point, emission: Emission
) -> None:
    ticket = winning(place, emission)
    play = play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    ident = play.vouchers[0].uuid
    assert vouchers.voucher_original(by=place.bare, ident=ident)[1].code == play.vouchers[0].code
    with pytest.raises(vouchers.VoucherUnknown):
        vouchers.voucher_original(by=factories.point(place.premises).bare, ident=ident)
    vouchers.voucher_print_confirm(by=place.bare, ident=ident)
    assert play_state(credentials=place.credentials, ident=ticket.uuid).vouchers[0].code is None
    with pytest.raises(vouchers.VoucherPrinted):
        vouchers.voucher_original(by=place.bare, ident=ident)
    with pytest.raises(vouchers.VoucherPrinted):
        vouchers.voucher_reprint(by=place.actor, ident=ident)
    other = winning(place, emission)
    (late,) = act(place, other).vouchers
    next_noon()
    with pytest.raises(vouchers.VoucherCodeGone):
        vouchers.voucher_reprint(by=place.actor, ident=late.uuid)
    assert vouchers.secrets_erase() == 1
    assert not VoucherSecret.objects.filter(secret__isnull=False).exists()
