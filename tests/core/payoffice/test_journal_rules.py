"""The journal rules of the prize office: they hold for its acts, and name its tables."""

import pytest
from django.apps import apps

from core.database import clock
from core.journal.rules import broken
from core.kernel.days import natural_day
from core.payoffice import journal_rules
from core.payoffice.models import ChequeRecovery, ChequeWriteOff, Claim, VoidedChequePayment
from core.payoffice.services import cheques, paying
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched
from tests.support.payoffice.losing import lost, recovered, taken_back, written_off

NAMES = [rule.name for rule in journal_rules.RULES]
LARGE = "payoffice_payment.large_by_two"
TABLES = {model._meta.db_table for model in apps.get_app_config("payoffice").get_models()}


def test_every_table_of_the_office_has_a_rule() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert {rule.table for rule in journal_rules.RULES} == TABLES, "docs/recipes.md, A journal rule"


@pytest.mark.article("14.III.10.2")
def test_each_state_that_an_act_brings_has_a_rule() -> None:
    """A block and a lapse hold and lapse claims without a row of the office."""
    states = {
        name.removeprefix("payoffice_claim.state_")
        for name in NAMES
        if name.startswith("payoffice_claim.state_")
    }
    assert states == set(Claim.State.values) - {Claim.State.HELD, Claim.State.LAPSED}


@pytest.mark.django_db
@pytest.mark.parametrize("rule", journal_rules.RULES, ids=NAMES)
def test_a_rule_is_a_query_that_finds_nothing_among_no_rows(rule: journal_rules.Rule) -> None:
    assert list(broken(rule)) == []


def test_a_close_that_nobody_else_received_is_found(own_database: Database) -> None:
    """The triggers were taken away before the row was written."""
    cashier = given.cashier(float_cents=1_000)
    session = given.cash_closed(cashier, given.session_of(cashier), 1_000)
    assert session.proposal is not None
    assert list(broken(journal_rules.CLOSED)) == []
    other = factories.proposal("payoffice.cash_closing").pk
    receiver = session.proposal.decision.decided_by_id
    for change, value in (("proposal_id", other), ("cashier_id", receiver)):
        with as_owner(own_database), touched("payoffice_cashsession"):
            execute(f"UPDATE payoffice_cashsession SET {change} = %s", [value])
            breaches = list(broken(journal_rules.CLOSED))
        assert [table for table, *_ in breaches] == ["payoffice_cashsession"], change


@pytest.mark.parametrize(
    "change", ["cents = cents - 1", "reason = 'Spent.'", "proposal_id = NULL", "session_id = %s"]
)
def test_cash_that_its_cashier_took_alone_is_found(own_database: Database, change: str) -> None:
    """The constraint was taken away before the row was written."""
    cashier, other = given.cashier(float_cents=1_000), given.cashier(float_cents=1_000)
    given.cash_taken(cashier, 400)
    assert list(broken(journal_rules.TAKEN)) == []
    values = [given.session_of(other).pk] if "%s" in change else []
    with as_owner(own_database), touched("payoffice_cashmovement"):
        execute("ALTER TABLE payoffice_cashmovement DROP CONSTRAINT cash_taken_by_two")
        execute(f"UPDATE payoffice_cashmovement SET {change}", values)
        breaches = list(broken(journal_rules.TAKEN))
    assert [table for table, *_ in breaches] == ["payoffice_cashmovement"]


@pytest.mark.parametrize(
    "change",
    ["units = 4", "reason = 'Gone.'", "proposal_id = NULL", "premises_id = %s", "staff_id = %s"],
)
def test_things_that_one_person_took_in_are_found(own_database: Database, change: str) -> None:
    """The constraint was taken away before the row was written."""
    factories.time_to(rounds.NOON)
    place, other = given.office(), given.office()
    given.stocked(place, 3)
    assert list(broken(journal_rules.MOVED)) == []
    wrong = {"premises_id = %s": other.pk, "staff_id = %s": factories.staff(Role.CASHIER).user_id}
    with as_owner(own_database), touched("payoffice_stockmovement"):
        execute("ALTER TABLE payoffice_stockmovement DROP CONSTRAINT stock_moved_by_two")
        values = [wrong[change]] if change in wrong else []
        execute(f"UPDATE payoffice_stockmovement SET {change}", values)
        breaches = list(broken(journal_rules.MOVED))
    assert [table for table, *_ in breaches] == ["payoffice_stockmovement"]


def test_things_that_cost_the_treasury_nothing_are_found(own_database: Database) -> None:
    factories.time_to(rounds.NOON)
    given.stocked(given.office(), 3)
    (rule,) = (
        each for each in journal_rules.RULES if each.name == "payoffice_stockmovement.posted"
    )
    assert list(broken(rule)) == []
    with as_owner(own_database), touched("ledger_transfer"):
        execute("UPDATE ledger_transfer SET amount_cents = 1 WHERE kind = 'payoffice.goods'")
        breaches = list(broken(rule))
    assert [table for table, *_ in breaches] == ["payoffice_stockmovement"]


def test_a_large_payment_by_one_person_is_found(own_database: Database) -> None:
    """The constraint was taken away before the row was written."""
    (won,) = given.worth(500)
    place = factories.point()
    paying.payment_make(at=place.actor, request=won.request())
    (rule,) = (each for each in journal_rules.RULES if each.name == LARGE)
    assert list(broken(rule)) == []
    with as_owner(own_database), touched("payoffice_payment"):
        execute("ALTER TABLE payoffice_payment DROP CONSTRAINT payment_large_by_two")
        execute("UPDATE payoffice_payment SET amount_cents = 30000")
        breaches = list(broken(rule))
    assert [table for table, *_ in breaches] == ["payoffice_payment"]


def test_a_count_that_is_not_what_was_counted_or_confirmed_is_found(own_database: Database) -> None:
    whole, differs = given.cashier(float_cents=1_000), given.cashier(float_cents=1_000)
    given.cash_closed(whole, given.session_of(whole), 1_000)
    given.cash_closed(differs, given.session_of(differs), 990)
    assert list(broken(journal_rules.COUNTED)) == []
    with as_owner(own_database), touched("payoffice_cashsession"):
        execute(
            "UPDATE payoffice_cashsession SET count = '{\"500\": 1}' WHERE difference_words = ''"
        )
        execute(
            "UPDATE payoffice_cashsession SET difference_words = 'Stolen'"
            " WHERE difference_words <> ''"
        )
        breaches = list(broken(journal_rules.COUNTED))
    assert [table for table, *_ in breaches] == ["payoffice_cashsession"] * 2


def test_more_given_back_than_was_lost_or_confirmed_is_named(own_database: Database) -> None:
    """The triggers were taken away before the row was written."""
    factories.time_to(rounds.NOON)
    by = lost()
    recovered(by, 60_000)
    written_off(by, 1)
    table, off = "payoffice_chequerecovery", "payoffice_chequewriteoff"
    assert _named(f"{table}.of_loss") == _named(f"{off}.of_loss") == []
    assert _named(f"{table}.as_named") == _named(f"{off}.as_named") == []
    for changed, change, named in (
        (table, "amount_cents = 60001", table),
        (table, "returned_by = 'other'", table),
        (off, "amount_cents = 2", off),
        (off, "reason = 'Other.'", off),
        ("payoffice_voidedchequepayment", "amount_cents = 60000", table),
        ("payoffice_voidedchequepayment", "amount_cents = 60000", off),
        ("payoffice_voidedchequepayment", "outcome = 'settled'", table),
    ):
        with as_owner(own_database), touched(changed):
            execute(f"UPDATE {changed} SET {change}")
            tables = _named(f"{named}.of_loss") + _named(f"{named}.as_named")
            assert set(tables) == {named}, change


def test_an_entry_taken_back_by_one_person_or_without_its_money_is_named(
    own_database: Database,
) -> None:
    factories.time_to(rounds.NOON)
    by = lost()
    recovered(by, 60_000)
    written_off(by, 1)
    for model in (ChequeRecovery, ChequeWriteOff, VoidedChequePayment):
        row, table = model._default_manager.get(), model._meta.db_table
        rule = f"{table}.taken_back"
        taken_back(by, row.uuid)
        assert _named(rule) == []
        for changed, change in (
            (table, "reversed_reason = 'Other.'"),
            (table, "reversed_at = reversed_at - interval '5 hours'"),
            (table, f"reversal_id = {row.proposal_id}"),
            ("ledger_transfer", "amount_cents = 2 WHERE kind LIKE '%_reversed'"),
        ):
            with as_owner(own_database), touched(changed):
                execute(f"UPDATE {changed} SET {change}")
                assert _named(rule) == [table], change


@pytest.mark.article("14.III.10.6")
def test_two_cheques_of_one_file_of_the_bank_need_a_transfer_each(own_database: Database) -> None:
    """[C3]: of the same amount, one transfer would do for both, but for their sum."""
    factories.time_to(rounds.NOON)
    by, cashier = factories.staff(Role.SUPERVISOR), given.cashier()
    for won in given.worth(100_001, 100_001):
        given.paid_by_two(cashier, won.request(payee=given.MARIA))
    today = natural_day(clock.now())
    facts = {"amount_cents": 100_001, "presented_on": today}
    cheques.cheques_reconcile(by=by, items=[{"number": each} | facts for each in (1, 2)])
    rule = journal_rules.CASHED.name
    assert _named(rule) == []
    with as_owner(own_database), touched("ledger_transfer"):
        execute(
            "DELETE FROM ledger_transfer WHERE id = (SELECT max(id) FROM ledger_transfer"
            " WHERE kind = 'payoffice.cheque')"
        )
        assert _named(rule) == ["payoffice_cheque"]


def _named(name: str) -> list[str]:
    (rule,) = (each for each in journal_rules.RULES if each.name == name)
    return [table for table, *_ in broken(rule)]
