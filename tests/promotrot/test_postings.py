"""Check that the SQL of sales and vouchers inserts the transfers that the postings name."""

import uuid
from collections.abc import Iterator

import pytest

from core.ledger.models import Transfer
from core.ledger.services import Line
from promotrot import accounts, postings
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import REVEAL
from promotrot.services.dealing import dealing
from promotrot.services.playing import play_act
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting
from tests.support.factories import Point
from tests.support.promotrot.playing import bought

pytestmark = pytest.mark.django_db


def posted(reference: uuid.UUID) -> tuple[str, str, str, int]:
    transfer = Transfer.objects.select_related("debit", "credit").get(reference=reference)
    return (transfer.kind, transfer.debit.code, transfer.credit.code, transfer.amount_cents)


def posting(line: Line) -> tuple[str, str, str, int]:
    return (line.kind, line.debit.code, line.credit.code, line.amount_cents)


def test_sales_and_awards_move_what_the_postings_say(place: Point) -> None:
    emission = emitting.opened(emitting.small())
    for _ in range(emission.tickets):
        ident = bought(place, emission)
        takings = accounts.takings(emission.reference)
        line = postings.sale(
            premises_id=place.premises.pk, takings=takings, cents=emission.price_cents
        )
        assert posted(ident) == posting(line)
        play_act(credentials=place.credentials, ident=ident, number=1, act=REVEAL)
    vouchers = Voucher.objects.all()
    assert vouchers
    for voucher in vouchers:
        line = postings.award(
            game_code=emission.game.code,
            reference=emission.reference,
            cents=voucher.amount_cents,
            late=False,
        )
        assert posted(voucher.uuid) == posting(line)


@pytest.mark.parametrize("late", [False, True])
def test_vouchers_of_plays_left_unfinished_move_what_the_postings_say(
    place: Point, late: bool
) -> None:
    emission = emitting.opened(emitting.small())
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    won = next(iter(_winning(place, emission)))
    untouched = bought(place, ladder)
    if late:
        emission, ladder = emitting.closed(emission), emitting.closed(ladder)
    for ident in (won, untouched):
        play_end_unfinished(PlayTicket.objects.get(uuid=ident))
    award, refund = (Voucher.objects.get(ticket__uuid=ident) for ident in (won, untouched))
    line = postings.award(
        game_code=emission.game.code,
        reference=emission.reference,
        cents=award.amount_cents,
        late=late,
    )
    assert posted(award.uuid) == posting(line)
    line = postings.refund_due(reference=ladder.reference, cents=refund.amount_cents, late=late)
    assert posted(refund.uuid) == posting(line)


def _winning(place: Point, emission: Emission) -> Iterator[uuid.UUID]:
    """Buy plays until the emission is sold out; yield those that win."""
    for _ in range(emission.tickets):
        ticket = PlayTicket.objects.get(uuid=bought(place, emission))
        if dealing(emission.pk).tier(ticket.opening, ticket.position):
            yield ticket.uuid
