"""Keep the rows of a statement without the names of their columns."""

from typing import Any

import pytest
from django.core import serializers
from django.db import connection

from core.statements.models import Statement
from core.statements.rows_field import RowsField
from core.statements.services import statements_issue
from tests.support import factories, rounds
from tests.support.stating import MONDAY, SUNDAY, at, rate

LINE = {
    "game": "lototrot",
    "column": "sales",
    "kind": "lototrot.sale",
    "count": 2,
    "amount_cents": 210,
}
EARNED = {"game": "lototrot", "percent": "10", "base_cents": 210, "commission_cents": 21}


@pytest.mark.django_db
def test_rows_are_lists_in_the_database_and_objects_in_the_program(
    organiser: Any, contest: Any
) -> None:
    rate(organiser, "10", MONDAY)
    rounds.sell(contest, factories.point(), [(1, 1)] * 2)
    at(SUNDAY.replace(day=11))
    statements_issue(until=SUNDAY)
    statement = Statement.objects.get()
    assert (statement.lines, statement.commission) == ([LINE], [EARNED])
    with connection.cursor() as cursor:
        cursor.execute("SELECT lines::text, commission::text FROM statements_statement")
        assert cursor.fetchone() == (
            '[["lototrot", "sales", "lototrot.sale", 2, 210]]',
            '[["lototrot", "10", 210, 21]]',
        )
    (copy,) = serializers.deserialize("json", serializers.serialize("json", [statement]))
    assert (copy.object.lines, copy.object.commission) == ([LINE], [EARNED])
    assert Statement.objects.values_list("lines", flat=True).get() == [LINE]


def test_a_row_has_its_columns_and_no_other() -> None:
    field = RowsField(columns=("game", "count"))
    for wrong, error in (
        ({"game": "a"}, KeyError),
        ({"game": "a", "count": 1, "b": 2}, ValueError),
    ):
        with pytest.raises(error):
            field.get_db_prep_value([wrong], connection)
    assert RowsField(*field.deconstruct()[2], **field.deconstruct()[3]).columns == field.columns
