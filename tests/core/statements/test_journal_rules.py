"""Name what only the owner of the database can write: debts beyond the limit, tills that lie."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.journal.rules import broken
from core.kernel.days import add_days
from core.ledger.books import differences
from core.staff import two_persons
from core.staff.powers import Role
from core.statements import guarantee, services
from core.statements.journal_rules import LIMIT, MOVEMENT, ONCE, RULES, TILLS
from core.statements.models import Till
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched
from tests.support.payoffice import losing
from tests.support.stating import MONDAY, SUNDAY, at, limited, rate, remitted


@pytest.mark.django_db
def test_a_sale_beyond_the_limit_is_named(organiser: Any, contest: Any) -> None:
    place = factories.point()
    assert factories.sell(contest, place).outcome == "sold"
    assert not list(broken(LIMIT))
    factories.guarantee(place.premises, 1, since=clock.now() - timedelta(days=1))
    ((table, _, _),) = broken(LIMIT)
    assert table == "ledger_transfer"


@pytest.mark.django_db
def test_a_till_that_lies_is_named_and_found_in_the_books(organiser: Any, contest: Any) -> None:
    place = factories.point()
    factories.sell(contest, place)
    assert not list(broken(TILLS))
    Till.objects.filter(terminal=place.terminal).update(owed_cents=0)
    ((table, _, _),) = broken(TILLS)
    assert table == "statements_till"
    code = f"premises:{place.premises.pk}"
    assert [lie.rebuilt_cents for lie in differences()[1] if lie.account == code] == [0]


def test_a_rate_or_a_payment_that_two_persons_did_not_name_is_named(
    own_database: Database,
) -> None:
    """The triggers were taken away before the row was changed."""
    by, place = factories.staff(Role.ORGANISER), factories.point()
    at(MONDAY)
    rate(by, "10")
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, price_cents=300_000)
    rounds.sell(contest, place, [(1, 1)] * 2)
    at(add_days(SUNDAY, 1))
    (issued,) = services.statements_issue(until=SUNDAY)
    remitted(by, issued, issued.closing_cents, SUNDAY)
    for table, changes in (
        ("statements_commissionrate", ("percent = '11'", "in_force_from = in_force_from - 7")),
        ("statements_remittance", ("amount_cents = 1", "reference = 'TRF 9'")),
    ):
        (rule,) = (each for each in RULES if each.name == f"{table}.as_named")
        assert not list(broken(rule))
        for change in changes:
            with as_owner(own_database), touched(table):
                execute(f"UPDATE {table} SET {change}")
                assert [name for name, *_ in broken(rule)] == [table], change


def test_a_limit_that_two_persons_did_not_name_is_named(own_database: Database) -> None:
    """One proposal is for one of the premises, the other for a list of them."""
    by = factories.staff(Role.ORGANISER)
    places = [factories.premises(limit_cents=None) for _ in range(3)]
    limited(by, places[0].code, 10_000)
    many = guarantee.limits_propose(
        by=by, premises=[each.code for each in places[1:]], limit_cents=500, reference="Aval"
    )
    two_persons.confirm(proposal=many.proposal.uuid, by=factories.staff(Role.ORGANISER))
    table = "statements_guaranteelimit"
    (rule,) = (rule for rule in RULES if rule.name == f"{table}.as_named")
    assert not list(broken(rule))
    for change in (
        "limit_cents = limit_cents + 1",
        "minute_cap_cents = minute_cap_cents + 1",
        "reference = 'Mine'",
        f"premises_id = {factories.premises(limit_cents=None).pk}",
        "in_force_from = in_force_from - interval '1 day'",
    ):
        with as_owner(own_database), touched(table):
            execute(f"ALTER TABLE {table} DROP CONSTRAINT guarantee_limit_once")
            execute(f"UPDATE {table} SET {change}")
            assert len(list(broken(rule))) == len(places), change


def test_a_payment_of_another_statement_or_movement_is_named(own_database: Database) -> None:
    """[ADR 79]: the triggers were taken away, and one person gave premises another's money."""
    losing.recovered(losing.lost(), 40, "TR 1")
    by, places = factories.staff(Role.ORGANISER), [factories.point() for _ in range(2)]
    at(MONDAY)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, price_cents=300_000)
    for place in places:
        rounds.sell(contest, place, [(1, 1)] * 2)
    at(add_days(SUNDAY, 1))
    ours = {each.premises.pk for each in places}
    issued = services.statements_issue(until=SUNDAY)
    first, second = (each for each in issued if each.premises_id in ours)
    remitted(by, first, first.closing_cents, SUNDAY)
    remitted(by, second, 500, SUNDAY)
    remitted(by, second, 300, SUNDAY, "TRF 2")
    (named,) = (rule for rule in RULES if rule.name == "statements_remittance.as_named")
    assert not [*broken(MOVEMENT), *broken(ONCE), *broken(named)]
    with as_owner(own_database), touched("statements_remittance"):
        execute("UPDATE statements_remittance SET reference = 'tr 1' WHERE reference = 'TRF 2'")
        assert [table for table, *_ in broken(ONCE)] == ["payoffice_chequerecovery"]
    alone = "reference = 'TRF 2'"
    for change in (
        f"statement_id = {second.pk} WHERE statement_id = {first.pk}",
        f"premises_id = premises_id + 1000 WHERE statement_id = {first.pk}",
        "proposal_id = NULL WHERE amount_cents = 500",
        f"reference = 'trf', premises_id = {first.premises_id} + 1000 WHERE {alone}",
    ):
        with as_owner(own_database), touched("statements_remittance"):
            execute(f"UPDATE statements_remittance SET number = number + 10, {change}")
            tables = {table for rule in (MOVEMENT, named) for table, *_ in broken(rule)}
            assert tables == {"statements_remittance"}, change
