"""Assign every kind of transfer to a column of a statement."""

import pytest

from core.ledger.models import Transfer
from core.payoffice.services.paying import payment_make
from core.statements.columns import Column, column_of, games
from tests.support import factories, paying


def test_sales_and_annulments_belong_to_their_game() -> None:
    by_game = {movements.game: movements for movements in games()}
    assert list(by_game) == ["lototrot", "promotrot"]
    for game, movements in by_game.items():
        assert movements.sales
        assert {column_of(kind) for kind in movements.sales} == {(game, Column.SALES)}
        columns = {column_of(kind) for kind in movements.annulments}
        assert columns <= {(game, Column.ANNULMENTS)}


def test_a_kind_that_no_game_lists_is_another_movement() -> None:
    assert column_of("payoffice.cheque") == ("", Column.OTHER)
    assert column_of("statements.remittance") == ("", Column.SETTLED)
    assert column_of("unheard.of") == ("", Column.OTHER)


@pytest.mark.django_db
@pytest.mark.article("14.III.10.6")
def test_a_prize_and_a_refund_that_premises_pay_are_what_they_paid_to_players() -> None:
    place = factories.point()
    (prize,), (refund,) = paying.worth(1250), paying.refunds()
    for document in (prize, refund):
        payment_make(at=place.actor, request=document.request())
    kinds = Transfer.objects.filter(credit__code=f"premises:{place.premises.pk}")
    columns = {column_of(kind) for kind in kinds.values_list("kind", flat=True)}
    assert kinds.count() == 2 and columns == {("", Column.PRIZES)}
