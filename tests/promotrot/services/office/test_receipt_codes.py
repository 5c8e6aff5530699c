"""Print a receipt with a code that the published reference of its play does not tell [P11, P17]."""

import pytest

from core.kernel.days import natural_day
from core.receipts.output import Output
from promotrot.engine.rules import paper_until
from promotrot.services.office.receipt_codes import ReceiptOfAnother, need_receipt, receipt_code
from promotrot.services.playing import PlayView, play_state
from promotrot.services.receipt import receipt_render
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def printed(play: PlayView) -> str:
    return receipt_render(play, output=Output.TXT, language="en").decode()


def test_nobody_gets_a_receipt_with_its_code_after_noon_of_the_next_day() -> None:
    point, emission = factories.point(), emitting.opened(emitting.small())
    one, other = emitting.sold(emission, 2, point)
    play = play_state(credentials=point.credentials, ident=one)
    code = receipt_code(play)
    assert code in printed(play) and str(one) in printed(play)
    factories.time_to(paper_until(natural_day(play.sold_at)))
    play = play_state(credentials=point.credentials, ident=one)
    assert receipt_code(play) == "" and code not in printed(play)
    need_receipt(one, f" {code.lower()} ")
    with pytest.raises(ReceiptOfAnother):
        need_receipt(other, code)
