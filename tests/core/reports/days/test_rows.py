"""Write rows as JSON without secrets, each after the rows it refers to, and read them back."""

import json

import pytest

from core.premises.models import Operator, Premises, Terminal
from core.reports.days import rows
from core.staff.models import Decision
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_row_reads_back_as_it_was_without_its_secrets() -> None:
    point = factories.point()
    terminal = Terminal.objects.get(pk=point.terminal.pk)
    document = json.loads(json.dumps(rows.document(terminal)))
    again = rows.row_of(document)
    assert isinstance(again, Terminal)
    assert (again.pk, again.code, again.premises_id) == (
        terminal.pk,
        terminal.code,
        terminal.premises_id,
    )
    operator = Operator.objects.filter(premises=point.premises).first()
    assert operator is not None
    assert rows.document(operator)["fields"]["pin"] == "!"
    assert "argon2" not in json.dumps(rows.document(operator))


def test_rows_come_once_and_after_those_they_refer_to() -> None:
    terminal = Terminal.objects.get(pk=factories.point().terminal.pk)
    carried = rows.Carried()
    keys = [rows.key_of(row) for row in carried.after_theirs([terminal, terminal])]
    premises = ("premises.premises", terminal.premises_id)
    assert len(keys) == len(set(keys))
    assert keys.index(premises) < keys.index(("premises.terminal", terminal.pk))
    assert list(carried.after_theirs([terminal])) == []

    reader = rows.Carried()
    reader.record(Premises, terminal.premises_id)
    assert premises not in [rows.key_of(row) for row in reader.after_theirs([terminal])]


def test_a_decision_comes_with_its_proposal() -> None:
    proposal = factories.proposal()
    decision = Decision.objects.get(proposal=proposal)
    written = [rows.key_of(row) for row in rows.Carried().after_theirs([proposal])]
    assert written.index(rows.key_of(proposal)) < written.index(rows.key_of(decision))
