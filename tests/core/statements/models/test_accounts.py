"""Refuse in the database a statement that does not follow the one before it."""

from datetime import date
from typing import Any

import pytest
from django.core import serializers
from django.db import DatabaseError, IntegrityError, connection, transaction

from core.ledger.rows_field import RowsField
from core.statements import services
from core.statements.models import Remittance, Statement, Till
from core.statements.weeks import ident
from tests.support import factories, rounds
from tests.support.stating import MONDAY, SUNDAY, at, rate, remitted

pytestmark = pytest.mark.django_db

LINE = {
    "game": "lototrot",
    "column": "sales",
    "kind": "lototrot.sale",
    "count": 2,
    "amount_cents": 210,
}
EARNED = {"game": "lototrot", "percent": "10", "base_cents": 210, "commission_cents": 21}


def test_a_statement_cannot_be_out_of_line(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (statements,) = services.statements_issue(until=SUNDAY)
    good = {
        "uuid": ident(place.premises.pk, date(2030, 3, 11)),
        "premises": place.premises,
        "number": 2,
        "week_from": date(2030, 3, 11),
        "week_to": date(2030, 3, 17),
        "opening_cents": 105,
        "sales_cents": 0,
        "annulments_cents": 0,
        "prizes_cents": 0,
        "commission_cents": 0,
        "settled_cents": 0,
        "other_cents": 0,
        "closing_cents": 105,
        "lines": [],
        "commission": [],
        "issued_at": statements.issued_at,
    }
    for wrong in (
        {"number": 3},
        {"uuid": ident(place.premises.pk, date(2030, 3, 4))},
        {"uuid": ident(place.premises.pk, date(2030, 3, 11), payment=1)},
        {"week_from": date(2030, 3, 18), "week_to": date(2030, 3, 24)},
        {"opening_cents": 0, "closing_cents": 0},
        {"closing_cents": 106},
        {"week_to": date(2030, 3, 18)},
        {"week_from": date(2030, 3, 12), "week_to": date(2030, 3, 18)},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            Statement.objects.create(**{**good, **wrong})
    with pytest.raises(DatabaseError), transaction.atomic():
        Statement.objects.filter(pk=statements.pk).update(sales_cents=0)
    Statement.objects.create(**good)


def test_statement_and_payment_name_premises_that_are_there(organiser: Any, contest: Any) -> None:
    """No foreign key says so, for it would lock the premises with each statement."""
    place, other = factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (issued,) = services.statements_issue(until=SUNDAY)
    first = Statement.objects.get(pk=issued.pk)
    first.pk, first.uuid = None, ident(1_000_000, first.week_from)
    first.premises_id = 1_000_000
    payment = {
        "number": 1,
        "amount_cents": 105,
        "paid_on": date(2030, 3, 11),
        "recorded_at": issued.issued_at,
        "recorded_by_id": organiser.user_id,
        "recorded_in_id": organiser.session_id,
    }
    with pytest.raises(IntegrityError, match="there are no premises 1000000"), transaction.atomic():
        first.save(force_insert=True)
    for statement, premises in ((issued.pk, other.premises.pk), (0, place.premises.pk)):
        with pytest.raises(IntegrityError, match="have no statement"), transaction.atomic():
            Remittance.objects.create(
                uuid=ident(premises, issued.week_from, 1),
                statement_id=statement,
                premises_id=premises,
                reference="TRF",
                **payment,
            )


def test_a_payment_has_the_uuid_of_its_number_and_each_number_is_there_once(
    organiser: Any, contest: Any
) -> None:
    """No index of UUIDs keeps two apart, so nobody may choose one."""
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 3)
    at(date(2030, 3, 11))
    (issued,) = services.statements_issue(until=SUNDAY)
    for reference in ("TRF 1", "TRF 2"):
        remitted(organiser, issued, 105, date(2030, 3, 11), reference)
    own = [(number, ident(place.premises.pk, MONDAY, number)) for number in (1, 2)]
    assert list(Remittance.objects.order_by("pk").values_list("number", "uuid")) == own
    values = Remittance.objects.values().get(number=1) | {"id": None, "reference": "TRF 3"}
    third = ident(place.premises.pk, MONDAY, 3)
    for wrong in ({"number": 3}, {"uuid": third}, {"number": 0, "uuid": issued.uuid}, {}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Remittance.objects.create(**values | wrong)
    Remittance.objects.create(**values | {"number": 3, "uuid": third})


def test_one_person_gives_no_part_of_a_bank_movement_to_other_premises(
    organiser: Any, contest: Any
) -> None:
    """The same money would count twice, whatever a program asks."""
    places = [factories.point() for _ in range(2)]
    for place in places:
        rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    first, second = services.statements_issue(until=SUNDAY)
    remitted(organiser, first, 105, date(2030, 3, 11), "TRF 1")
    values = Remittance.objects.values().get() | {
        "id": None,
        "uuid": ident(second.premises_id, MONDAY, 1),
        "statement_id": second.pk,
        "premises_id": second.premises_id,
    }
    for reference in ("TRF 1", "trf 1"):
        with pytest.raises(IntegrityError, match="a part of the bank"), transaction.atomic():
            Remittance.objects.create(**values | {"reference": reference})
    Remittance.objects.create(**values | {"reference": "TRF 2"})


def test_a_payment_of_two_persons_is_what_they_named(organiser: Any, contest: Any) -> None:
    """Another amount for their proposal would give the premises credit that they did not."""
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 3)
    at(date(2030, 3, 11))
    (issued,) = services.statements_issue(until=SUNDAY)
    named = {"amount_cents": 105, "paid_on": "2030-03-11", "reference": "TRF 1"}
    named["statement"] = str(issued.uuid)

    def pays(**other: Any) -> None:
        Remittance.objects.create(
            uuid=ident(place.premises.pk, MONDAY, 1),
            statement=issued,
            premises=place.premises,
            number=1,
            amount_cents=105,
            paid_on=date(2030, 3, 11),
            reference="TRF 1",
            recorded_at=issued.issued_at,
            recorded_by_id=organiser.user_id,
            recorded_in_id=organiser.session_id,
            proposal=factories.proposal("statements.remittance", content=named | other),
        )

    another = str(ident(place.premises.pk + 1, MONDAY))
    for other in (
        {"amount_cents": 104},
        {"paid_on": "2030-03-10"},
        {"reference": "TRF 2"},
        {"statement": another},
    ):
        with (
            pytest.raises(IntegrityError, match="two persons confirmed another"),
            transaction.atomic(),
        ):
            pays(**other)
    pays()


def test_rows_are_lists_in_the_database_and_objects_in_the_program(
    organiser: Any, contest: Any
) -> None:
    rate(organiser, "10", MONDAY)
    rounds.sell(contest, factories.point(), [(1, 1)] * 2)
    at(SUNDAY.replace(day=11))
    services.statements_issue(until=SUNDAY)
    statement = Statement.objects.get()
    assert (statement.lines, statement.commission) == ([LINE], [EARNED])
    with connection.cursor() as cursor:
        cursor.execute("SELECT lines::text, commission::text FROM statements_statement")
        assert cursor.fetchone() == (
            '[["lototrot","sales","lototrot.sale",2,210]]',
            '[["lototrot","10",210,21]]',
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


_ROWS_READ = """
SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables
 WHERE relname = 'premises_terminal'
"""


def test_opening_the_tills_of_premises_reads_no_others() -> None:
    """Their number does not make it slower to register one more."""
    for _ in range(8):
        factories.point()
    with connection.cursor() as cursor:
        # In so few rows the planner would read all, index or not.
        cursor.execute(
            "SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_custom_plan"
        )
        cursor.execute(_ROWS_READ)
        (before,) = cursor.fetchone()
        place = factories.premises()
        cursor.execute(_ROWS_READ)
        (after,) = cursor.fetchone()
    assert list(Till.objects.filter(premises=place).values_list("terminal", flat=True)) == [None]
    assert after == before
