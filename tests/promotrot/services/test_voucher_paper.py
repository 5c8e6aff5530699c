"""Print on a voucher every element of 15.III.6.3, and nothing without its code."""

import copy
import uuid
from dataclasses import replace

import pytest

from core.proofs.head import head_text
from core.receipts.output import Output
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import REVEAL, EmissionFacts, emission_facts
from promotrot.services import voucher_paper
from promotrot.services.playing import play_act
from promotrot.services.vouchers import Issued
from tests.support import emitting
from tests.support.factories import Point

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def won(seller: Point, on_sale: Emission) -> tuple[Issued, EmissionFacts, uuid.UUID]:
    for ident in emitting.sold(on_sale, on_sale.tickets, seller):
        play = play_act(credentials=seller.credentials, ident=ident, number=1, act=REVEAL)
        if play.vouchers:
            return play.vouchers[0], emission_facts(on_sale.pk), ident
    raise AssertionError("no ticket has a prize")


@pytest.fixture
def issued(
    won: tuple[Issued, EmissionFacts, uuid.UUID],
) -> tuple[Issued, EmissionFacts, uuid.UUID]:
    return copy.deepcopy(won)


def printed(
    issued: tuple[Issued, EmissionFacts, uuid.UUID], language: str = "en", copy: int = 0
) -> str:
    content = voucher_paper.voucher_render(
        *issued, output=Output("txt"), language=language, copy=copy
    )
    return content.decode()


@pytest.mark.article("15.III.6.3", "15.III.6.6")
def test_a_voucher_shows_code_amount_place_days_and_where_it_is_paid(
    issued: tuple[Issued, EmissionFacts, uuid.UUID],
) -> None:
    voucher, facts, play = issued
    assert voucher.code is not None
    text = printed(issued)
    place = PlayTicket.objects.get(uuid=play).premises
    for word in (voucher.code.grouped, str(voucher.uuid), str(play), place.code, facts.reference):
        assert word in text, word
    for word in ("Last day to claim", "establishments", "without it nothing is paid"):
        assert word in text, word
    assert "DUPLICATE" not in text
    copy = printed(issued, copy=2)
    assert "DUPLICATE" in copy and "Copy" in copy
    assert f"Public log {head_text()}" in text


def test_a_price_due_back_has_no_last_day(
    issued: tuple[Issued, EmissionFacts, uuid.UUID],
) -> None:
    voucher, *rest = issued
    refund = replace(voucher, nature=Voucher.Nature.REFUND)
    text = printed((refund, *rest))
    assert "Price due back" in text
    assert "Last day to claim" not in text


def test_nothing_is_printed_without_a_code(
    issued: tuple[Issued, EmissionFacts, uuid.UUID],
) -> None:
    voucher, facts, play = issued
    with pytest.raises(voucher_paper.VoucherIncomplete):
        printed((replace(voucher, code=None), facts, play))
    card = voucher_paper.voucher_card(replace(voucher, code=None), facts, play, "en")
    assert card["code"] is None
