"""Award an extra prize on top of the play it lies on [P2, P3]."""

import pytest

from core.ledger.books import differences
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.dealing import dealing
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting
from tests.support.factories import Point
from tests.support.promotrot.playing import climbed, fate, play_begun

pytestmark = pytest.mark.django_db


TICKETS = 40


@pytest.mark.article("15.III.6.2", "15.III.6.3")
def test_an_extra_prize_comes_on_top_of_what_the_play_gives(
    place: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    second, owed = _second(place, monkeypatch)
    extra = second.tiers.get(extra=True)
    assert extra.value_cents * (extra.count or 0) == owed
    fate(monkeypatch, up=True)
    paid = 0
    for _ in range(TICKETS):
        play = climbed(place, play_begun(place, second))
        ticket = PlayTicket.objects.get(uuid=play.uuid)
        lay = dealing(second.pk).tier(ticket.opening, ticket.position)
        assert play.ending is not None and play.ending.extra_tier == lay
        (voucher,) = play.vouchers
        listed = [(prize["tier"], prize["extra"]) for prize in voucher.prizes]
        assert listed == [(6, False), *([(lay, True)] if lay else [])]
        assert voucher.amount_cents == 50 + (extra.value_cents if lay else 0)
        paid += play.ending.extra_cents
    assert paid == owed
    second = emitting.closed(second)
    assert second.closing.document["extra_awarded_cents"] == owed
    assert second.closing.document["awarded_cents"] == TICKETS * 50
    assert differences()[1] == []


@pytest.mark.article("15.III.6.1", "15.III.6.2")
def test_an_extra_prize_of_a_play_whose_price_is_given_back_stays_owed(
    place: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[P2, P11]: the play is undone, and the game owes no less than before."""
    second, owed = _second(place, monkeypatch)
    for _ in range(TICKETS):
        ticket = PlayTicket.objects.get(uuid=play_begun(place, second).uuid)
        assert play_end_unfinished(ticket) == "refund"
    assert {v.amount_cents for v in Voucher.objects.filter(ticket__emission=second)} == {50}
    statement = emitting.closed(second).closing.document
    assert (statement["takings_cents"], statement["extra_awarded_cents"]) == (0, 0)
    assert statement["owed_cents"] == owed
    assert differences()[1] == []


def _second(place: Point, monkeypatch: pytest.MonkeyPatch) -> tuple[Emission, int]:
    """Return the second emission of a game whose first one awarded nothing, and what that owed."""
    definition = emitting.document("trotters-ladder", code="short-ladder", tickets=TICKETS)
    first = emitting.opened(definition)
    fate(monkeypatch, up=False)
    for _ in range(TICKETS):
        assert climbed(place, play_begun(place, first)).ending
    first = emitting.closed(first)
    owed = first.closing.owed_cents
    assert owed == TICKETS * first.price_cents * 70 // 100
    return emitting.opened(first.game, extra_tier=6), owed
