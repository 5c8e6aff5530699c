"""The journal names what was paid, exchanged, ruled on or rejected as no two persons named it.

The owner took the triggers away before the rows were changed.
"""

from typing import Any

import pytest

from core.journal.rules import broken
from core.payoffice import journal_rules, rules_named
from core.payoffice.models import Payment, StockItem
from core.payoffice.services import goods, paying
from core.premises.models import Premises
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot import journal_rules as of_promotrot
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched
from tests.support.payoffice.counting import counted


def names_broken() -> list[str]:
    of_office = [rule for rule in journal_rules.RULES if rule.name.endswith(".as_named")]
    rules = (*rules_named.NAMED, *of_office, of_promotrot.THING)
    return [rule.name for rule in rules if list(broken(rule))]


@pytest.fixture(autouse=True)
def honest(own_database: Database) -> None:
    factories.time_to(rounds.NOON)


def broken_by(database: Database, change: str) -> list[str]:
    """Return the rules that a change of honest rows breaks, and undo it."""
    assert names_broken() == []
    with as_owner(database), touched(change.split()[0]):
        assert execute(f"UPDATE {change}") > 0
        return names_broken()


@pytest.mark.article("14.III.10.4")
@pytest.mark.parametrize("change", ["amount_cents = 40001", "uuid = gen_random_uuid()"])
def test_a_payment_that_two_persons_did_not_name_is_found(
    own_database: Database, change: str
) -> None:
    (won,) = given.worth(40_000)
    given.paid_by_two(given.cashier(), won.request())
    named = ["payoffice_payment.as_named"]
    assert broken_by(own_database, f"payoffice_payment SET {change}") == named
    assert broken_by(own_database, "payoffice_claim SET document_id = 0") == named


@pytest.mark.article("14.III.10.6")
def test_a_cheque_to_another_payee_than_two_persons_named_is_found(own_database: Database) -> None:
    won, other = given.worth(100_001, 100_001)
    who = given.cashier()
    given.paid_by_two(who, won.request(payee=given.MARIA))
    given.paid_by_two(who, other.request(payee=given.MARIA))
    first, second = Payment.objects.order_by("pk")
    with as_owner(own_database):
        execute("DROP INDEX payment_of_payee")
    swap = f"payoffice_payment SET payee_id = {second.payee_id} WHERE id = {first.pk}"
    assert broken_by(own_database, swap) == ["payoffice_payment.as_named"]


@pytest.mark.article("14.III.10.5")
@pytest.mark.parametrize("change", ["verdict = 'refused'", "reason = 'Other.'"])
def test_a_ruling_that_two_persons_did_not_make_is_found(
    own_database: Database, change: str
) -> None:
    (won,) = given.worth(500)
    deposit = given.deposited(won.code, factories.point().actor)
    factories.time_pass(days=31)
    given.ruled(deposit, "granted")
    broken_names = broken_by(own_database, f"payoffice_ruling SET {change}")
    assert broken_names == ["payoffice_ruling.as_named"]


@pytest.mark.article("14.III.10.4")
def test_a_second_operator_who_was_not_there_is_found(own_database: Database) -> None:
    (won,) = given.worth(40_000)
    place = factories.premises(Premises.Kind.ENTITY_OFFICE)
    first, second, other = factories.point(place), factories.point(place), factories.point()
    paying.payment_make(at=first.actor, request=won.request(), second=second.actor)
    for change in (
        f"payoffice_payment SET second_session_id = {other.session.pk}",
        f"payoffice_payment SET second_operator_id = {other.operator.pk}",
        "premises_operatorsession SET ended_at = started_at - interval '2 minutes'",
    ):
        assert broken_by(own_database, change) == ["payoffice_payment.second_there"], change


def test_a_count_that_its_cashier_rejected_is_found(own_database: Database) -> None:
    """But for what was void or had lapsed, which everybody rejects."""
    who, counter = given.cashier(float_cents=1_000), factories.staff(Role.SUPERVISOR)
    session = given.session_of(who)
    two_persons.reject(proposal=counted(counter, session, 900).uuid, by=counter)
    change = (
        f"staff_decision SET decided_by_id = {who.user_id}, decided_in_id = {who.session_id}"
        " WHERE verdict = 'rejected'"
    )
    assert broken_by(own_database, change) == ["payoffice_cashsession.count_stands"]


def test_a_count_that_was_nothing_any_more_was_rejected_by_its_cashier(
    own_database: Database,
) -> None:
    (won,) = given.worth(500)
    who, counter = given.cashier(float_cents=1_000), factories.staff(Role.SUPERVISOR)
    session = given.session_of(who)
    void = counted(counter, session, 900)
    given.paid_alone(who, won.request())
    two_persons.reject(proposal=void.uuid, by=who)
    old = counted(counter, session, 500)
    factories.time_pass(days=8)
    two_persons.reject(proposal=old.uuid, by=who)
    assert names_broken() == []


@pytest.mark.article("15.III.6.5")
def test_an_exchange_for_another_thing_or_of_another_voucher_is_found(
    own_database: Database, settings: Any
) -> None:
    settings.SECOND_PERSON_FROM_CENTS = 400
    voucher, other = given.bicycles()
    who = given.cashier()
    given.stocked(given.session_of(who).premises)
    given.stocked(given.session_of(who).premises, code="yacht")
    request = goods.ExchangeRequest(new_uuid(), intact=True, code=voucher.code)
    proposal = goods.exchange_make(by=who, request=request)
    assert isinstance(proposal, Proposal)
    given.confirmed(proposal)
    swapped = broken_by(own_database, f"payoffice_claim SET document_id = {other.ticket.pk}")
    assert swapped == ["payoffice_exchange.as_named"]
    yacht = StockItem.objects.get(code="yacht")
    swapped = broken_by(own_database, f"payoffice_exchange SET item_id = {yacht.pk}")
    assert swapped == ["payoffice_exchange.as_named", "payoffice_exchange.of_its_thing"]
