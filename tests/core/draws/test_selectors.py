"""Read draws as everyone may see them."""

import uuid

import pytest

from core.draws.selectors import draw_card, draw_cards, draws_list
from core.draws.services import DrawUnknown
from tests.support.urn import Hall

pytestmark = pytest.mark.django_db


def test_a_card_shows_the_field_once_it_is_fixed(room: Hall) -> None:
    card = draw_card(room.draw.uuid)
    assert (card.entries, card.field, card.late, card.log) == (None, None, None, {})
    room.committed()
    card = draw_card(room.draw.uuid)
    assert card.entries == list(room.urn.entries)
    assert set(card.log) == {"draws.commitment"}
    room.enter()
    assert draw_card(room.draw.uuid).late is False


def test_draws_are_filtered(room: Hall) -> None:
    assert [card.draw for card in draw_cards(draws_list(subject="urn:1"))] == [room.draw]
    assert [*draws_list(state="certified")] == []
    assert [*draws_list(kind="no.such.kind")] == []


def test_an_unknown_draw_has_no_card(room: Hall) -> None:
    with pytest.raises(DrawUnknown):
        draw_card(uuid.uuid4())
