"""Looks of operators that wait at the same time are recorded by one statement, each as its own act.

Most checks of a ticket that won come in the hour after the payment order.
"""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError

from core.journal.models import Act
from core.journal.rules import broken, rules
from core.looks import recording
from core.looks.models import Look
from core.payoffice.services.checking import Checked, document_check
from tests.support import factories, paying
from tests.support.concurrency.gathering import counted_statements, held_up
from tests.support.databases import Database

CENTS = 500


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of looks in each statement; looks wait for each other as long as it takes."""
    return counted_statements(monkeypatch)


def gathered(database: Database, *checks: Callable[[], Any]) -> list[Any]:
    return held_up(database, "looks_look", recording._by_operator._waiting, checks)


def test_each_look_is_an_act_of_its_own_and_one_of_two_alike_is_recorded(
    own_database: Database, statements: list[int]
) -> None:
    first, second = paying.worth(CENTS, CENTS)
    bar, shop = factories.point(), factories.point()
    answers = gathered(
        own_database,
        lambda: document_check(at=bar.actor, code=first.code),
        lambda: document_check(at=shop.actor, code=first.code),
        lambda: document_check(at=shop.actor, code=first.code),
        lambda: document_check(at=bar.actor, code=second.code),
    )
    assert statements == [3]
    assert [type(each) for each in answers] == [Checked] * 4, answers
    looks = list(Look.objects.all())
    seen = {(look.operator_id, look.subject) for look in looks}
    assert len(looks) == len(seen) == 3
    acts = {act.pk: act for act in Act.objects.filter(source__name="claims_check_post")}
    assert {(act.terminal_id, act.operator_id) for act in acts.values()} == {
        (point.terminal.pk, point.operator.pk) for point in (bar, shop)
    }
    assert len(acts) == 3
    of_looks = [rule for rule in rules() if rule.table == "looks_look"]
    assert of_looks and not [row for rule in of_looks for row in broken(rule)]


def test_a_look_that_cannot_be_recorded_is_not_answered_and_harms_no_other(
    own_database: Database, statements: list[int]
) -> None:
    tickets = paying.worth(CENTS, CENTS, CENTS)
    point = factories.point()
    refused = f"lototrot:{tickets[1].ticket.pk}"
    with psycopg.connect(own_database.owner_url) as owner:
        owner.execute(
            f"ALTER TABLE looks_look ADD CONSTRAINT not_that_one CHECK (subject <> '{refused}')"
        )
    answers = gathered(
        own_database,
        *[lambda t=t: document_check(at=point.actor, code=t.code) for t in tickets],
    )
    assert statements == [2]
    assert isinstance(answers[1], DatabaseError) and "not_that_one" in str(answers[1])
    assert isinstance(answers[0], Checked) and isinstance(answers[2], Checked)
    assert sorted(look.subject for look in Look.objects.all()) == sorted(
        f"lototrot:{tickets[n].ticket.pk}" for n in (0, 2)
    )
