"""Assign every kind of transfer to a column of a statement."""

from core.statements.columns import Column, column_of, games


def test_sales_and_annulments_belong_to_their_game() -> None:
    by_game = {movements.game: movements for movements in games()}
    assert list(by_game) == ["lototrot", "promotrot"]
    for game, movements in by_game.items():
        assert movements.sales
        assert {column_of(kind) for kind in movements.sales} == {(game, Column.SALES)}
        columns = {column_of(kind) for kind in movements.annulments}
        assert columns <= {(game, Column.ANNULMENTS)}


def test_a_kind_that_no_game_lists_is_another_movement() -> None:
    assert column_of("payoffice.payment") == ("", Column.PRIZES)
    assert column_of("statements.remittance") == ("", Column.SETTLED)
    assert column_of("unheard.of") == ("", Column.OTHER)
