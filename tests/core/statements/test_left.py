"""Read from its sums what left; before a retirement that is nothing."""

import uuid

import pytest
from django.db import connection, connections

from core.statements import left
from core.statements.models import Remittance, Statement
from core.statements.weeks import archived
from tests.support.databases import Database

MOVEMENT = "SELECT statements_movement(%s), statements_movement(%s), statements_movement(%s)"


@pytest.mark.django_db
def test_without_a_retirement_nothing_left() -> None:
    assert (left.closings_left(), list(left.commission_left()), left.paid_left()) == ({}, [], [])
    assert left.last_left(1) is None and left.movement_premises("TRF 1") == set()
    assert not left.staying(Statement.objects.all()).exists()
    assert not left.staying(Remittance.objects.all()).exists()
    for ident in (uuid.uuid4(), uuid.UUID(int=2**128 - 1), uuid.UUID(int=0)):
        assert archived(ident) is archived(ident, payment=True) is None


@pytest.mark.django_db
def test_a_movement_has_one_digest_in_capital_and_small_letters() -> None:
    with connection.cursor() as cursor:
        cursor.execute(MOVEMENT, ["trf é 1", "TRF É 1", "TRF É 2"])
        small, capital, other = cursor.fetchone()
    assert small == capital != other
    assert -(2**63) <= small < 2**63


def test_sums_of_several_months_are_added_and_the_last_balance_is_of_the_newest(
    own_database: Database,
) -> None:
    with connections["owner"].cursor() as owner:
        for retired, statements, last, cents in ((1, 4, 4, 500), (2, 3, 8, -70)):
            owner.execute(
                "INSERT INTO statements_retiredstatements (retired, part, premises, statements,"
                " last_numbers, last_sundays, closings_cents, acts, first_act, last_act)"
                " VALUES (%s, 0, '{7}', ARRAY[%s], ARRAY[%s], '{2030-03-31}', ARRAY[%s], '{2,3}',"
                " 2, 3)",
                [retired, statements, last, cents],
            )
            owner.execute(
                "INSERT INTO statements_retiredcommission (retired, part, game, premises,"
                " commissions_cents) VALUES (%s, 0, 'lototrot', '{7,8}', '{11,5}')",
                [retired],
            )
            owner.execute(
                "INSERT INTO statements_retiredremittances (retired, premises, movements,"
                " amounts_cents, acts, first_act, last_act) VALUES (%s, '{7,8,7}',"
                " ARRAY[statements_movement('A'), statements_movement('A'), %s], '{30,-9,4}',"
                " '{5,6,7}', 5, 7)",
                [retired, retired],
            )
    assert left.closings_left() == {7: (8, -70)}
    assert list(left.commission_left()) == [(7, {"lototrot": 22}), (8, {"lototrot": 10})]
    assert left.paid_left() == [(7, 68), (8, -18)]
    assert left.movement_premises("a") == {7, 8} and left.movement_premises("b") == set()
    with connection.cursor() as cursor:
        cursor.execute("SELECT statements_remittance_acts(p_first => 6, p_last => 9)")
        assert {act for (act,) in cursor.fetchall()} == {6, 7}
        for first, last, acts in ((4, 9, set()), (3, 9, {3}), (1, 2, {2}), (0, 1, set())):
            cursor.execute("SELECT statements_statement_acts(%s, %s)", [first, last])
            assert {act for (act,) in cursor.fetchall()} == acts
