"""Check that acts which keep the rules of the lower apps break none, and that others are named."""

from datetime import timedelta

import pytest
from django.db import transaction

from core.database import clock
from core.journal import acting
from core.journal.journal_rules import (
    AUTHORISATION,
    CLOCK,
    ENDED_IN_THE_PAST,
    LAPSED,
    LIFTED,
    POWER,
    ROLES,
    RULES,
    TERMINAL,
    WAITED,
)
from core.journal.rules import broken
from core.premises.models import Authorisation, Suspension, Terminal
from core.premises.resolutions import resolution_propose
from core.premises.services import terminal_enrol, terminal_revoke
from core.premises.suspending import (
    lifting_propose,
    resuming_propose,
    sales_resume,
    sales_suspend,
)
from core.staff import accounts, second_factor, two_persons
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, forge, touched


def test_what_no_constraint_checks_is_checked(own_database: Database) -> None:
    """Rows name their contest, premises, terminal, operator and accounts without a lock on them."""
    by_name = {rule.name: rule for rule in RULES}
    play = {"promotrot_playticket.there", "promotrot_playact.there", "promotrot_voucher.there"}
    assert play < by_name.keys()
    tickets, transfers = by_name["lototrot_ticket.there"], by_name["ledger_transfer.there"]
    contest, point = factories.contest(), factories.point()
    factories.acknowledge(contest, point)
    (ticket,) = rounds.sell(contest, point, [(1,) * 7])
    assert (list(broken(tickets)), list(broken(transfers))) == ([], [])
    forge("UPDATE ledger_transfer SET debit_id = 987654321")
    assert len(list(broken(transfers))) == 1
    for column in ("contest_id", "premises_id", "terminal_id", "operator_id"):
        forge(f"UPDATE lototrot_ticket SET {column} = 987654321")
        assert [row for _, row, _ in broken(tickets)] == [ticket.pk]
        forge(f"UPDATE lototrot_ticket SET {column} = {getattr(ticket, column)}")


def test_simulated_time_only_moves_forward(own_database: Database) -> None:
    factories.time_pass(minutes=5)
    assert len(list(broken(CLOCK))) == 0
    factories.time_pass(minutes=-5)
    assert len(list(broken(CLOCK))) == 1


@pytest.mark.article("14.I.6")
def test_an_authorisation_is_ended_earlier_and_never_made_longer(own_database: Database) -> None:
    factories.point()
    period = Authorisation.objects.order_by("pk")[:1].get()
    same = Authorisation.objects.filter(pk=period.pk)
    same.update(valid_until=clock.now())
    assert len(list(broken(AUTHORISATION))) == 0
    same.update(valid_until=clock.now() + timedelta(days=9))
    assert len(list(broken(AUTHORISATION))) == 1


@pytest.mark.article("14.I.6")
def test_a_right_ends_as_of_the_past_in_the_act_of_its_resolution(own_database: Database) -> None:
    with_it, without = factories.point(), factories.point()
    past = clock.now() - timedelta(days=1)
    with transaction.atomic():
        factories.ended(with_it.terminal, past)
        factories.ended(with_it.premises.authorisations.get(game="lototrot"), past)
    assert len(list(broken(ENDED_IN_THE_PAST))) == 0
    with as_owner(own_database):
        execute("ALTER TABLE premises_terminal DISABLE TRIGGER past_needs_resolution")
    Terminal.objects.filter(pk=without.terminal.pk).update(revoked_at=past)
    assert [row for _table, row, _act in broken(ENDED_IN_THE_PAST)] == [without.terminal.pk]


@pytest.mark.article("14.I.6")
def test_a_terminal_comes_back_by_an_enrolment_alone(own_database: Database) -> None:
    revoked, copied = factories.point(), factories.point()
    same = Terminal.objects.filter(pk=copied.terminal.pk)
    by = factories.staff(Role.ORGANISER)
    terminal_revoke(by=by, terminal=revoked.terminal.code)
    same.update(copied_at=clock.now())
    code = factories.enrolment_code(copied.premises, copied.terminal.code)
    terminal_enrol(code=code, public_key=factories.KEY.public)
    assert list(broken(TERMINAL)) == []
    with as_owner(own_database):
        execute("ALTER TABLE premises_terminal DISABLE TRIGGER enrolled")
    Terminal.objects.filter(pk=revoked.terminal.pk).update(revoked_at=None)
    assert [row for _table, row, _act in broken(TERMINAL)] == [revoked.terminal.pk]
    same.update(copied_at=clock.now())
    same.update(copied_at=None)
    same.update(public_key=b"of another machine")
    assert len(list(broken(TERMINAL))) == 3


@pytest.mark.article("14.I.6")
def test_a_suspension_is_lifted_once_now_and_by_who_acts(own_database: Database) -> None:
    by, place = factories.staff(Role.ORGANISER), factories.point()
    stops = [sales_suspend(by=by, reason="Fire", premises=place.premises.code).pk for _ in range(3)]
    with acting.acting("lift", staff=by.user_id):
        sales_resume(by=by, suspension=stops[0])
        assert list(broken(LIFTED)) == []
        past = clock.now() - timedelta(days=1)
        of_the_past = Suspension.objects.filter(pk=stops[1])
        of_the_past.update(lifted_at=past, lifted_by=by.user_id)
        assert [row for _table, row, _act in broken(LIFTED)] == [stops[1]]
        Suspension.objects.filter(pk=stops[0]).update(lifted_at=None, lifted_by=None)
    with acting.acting("lift", staff=factories.staff(Role.ORGANISER).user_id):
        Suspension.objects.filter(pk=stops[2]).update(lifted_at=clock.now(), lifted_by=by.user_id)
    assert {row for _table, row, _act in broken(LIFTED)} == set(stops)


def test_a_suspension_by_a_resolution_is_lifted_by_two(own_database: Database) -> None:
    first, second = factories.two_organisers()
    stops = []
    places = [factories.premises().code for _ in range(3)]
    for place in places:
        proposal = resolution_propose(
            by=first,
            effect="sales_suspended",
            premises=place,
            effective_at=clock.now(),
            reference="DGJ 210/2030",
        )
        two_persons.confirm(proposal=proposal.uuid, by=second)
        stops.append(Suspension.objects.latest("pk").pk)
    one = resuming_propose(by=first, suspension=stops[0])
    of_premises = lifting_propose(by=first, premises=places[1:2], reason="It was annulled.")
    with acting.acting("lift", staff=second.user_id):
        for lifting in (one, of_premises.proposal):
            two_persons.confirm(proposal=lifting.uuid, by=second)
    assert list(broken(LIFTED)) == []
    with as_owner(own_database):
        execute("ALTER TABLE premises_suspension DISABLE TRIGGER two_persons")
    with acting.acting("lift", staff=second.user_id):
        lifted = {"lifted_at": clock.now(), "lifted_by": second.user_id}
        Suspension.objects.filter(pk=stops[2]).update(**lifted)
    assert [row for _table, row, _act in broken(LIFTED)] == [stops[2]]


def test_roles_are_given_by_another_person(own_database: Database) -> None:
    administrator, person = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ORGANISER)
    for user in (person, administrator):
        with acting.acting("roles", staff=administrator.user_id):
            User.objects.filter(pk=user.user_id).update(roles=["auditor"])
        assert len(list(broken(ROLES))) == (user is administrator)


def test_power_is_given_by_two_administrators(own_database: Database) -> None:
    first, second = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)
    person = factories.staff(Role.ORGANISER)
    users = User.objects.filter(pk=person.user_id)
    factories.second_factor(users.get())
    proposals = (
        accounts.roles_propose(by=first, user_id=person.user_id, roles=["cashier"]),
        second_factor.factor_end_propose(by=first, user_id=person.user_id),
    )
    accounts.user_deactivate(by=first, user_id=person.user_id)
    opening = accounts.reactivation_propose(by=first, user_id=person.user_id)
    for proposal in (*proposals, opening):
        two_persons.confirm(proposal=proposal.uuid, by=second)
    assert list(broken(POWER)) == []
    accounts.user_deactivate(by=first, user_id=second.user_id)  # one is left, who gives alone
    users.update(roles=["supervisor"])
    assert [row for _table, row, _act in broken(POWER)] == [person.user_id]
    users.update(is_active=False)
    assert len(list(broken(POWER))) == 1
    users.update(is_active=True)
    assert len(list(broken(POWER))) == 2
    with acting.acting("own", staff=person.user_id):
        users.update(password="!!")
    assert len(list(broken(POWER))) == 2
    users.update(password="!!!")
    assert len(list(broken(POWER))) == 3


def test_a_second_person_waited_and_the_proposal_had_not_lapsed(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = two_persons.Kind("test.rules", "premises.register", apply=lambda proposal, by: None)
    monkeypatch.setitem(two_persons.kinds(), kind.name, kind)
    first, second = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)
    proposer, person = factories.two_organisers()
    for user in (person, proposer):
        roles = accounts.roles_propose(by=first, user_id=user.user_id, roles=["organiser"])
        two_persons.confirm(proposal=roles.uuid, by=second)
    factories.time_pass(hours=24, minutes=1)
    proposal = two_persons.propose(kind=kind, subject="it", content={}, by=proposer)
    person = factories.another_session(person)
    two_persons.confirm(proposal=proposal.uuid, by=person)
    factories.time_pass(minutes=1)
    accounts.user_deactivate(by=first, user_id=proposer.user_id)
    assert list(broken(WAITED)) == list(broken(LAPSED)) == []
    with as_owner(own_database):
        sooner = "SET decided_at = decided_at - interval '2 minutes'"
        later = "SET decided_at = decided_at + interval '2 minutes'"
        old = "SET good_until = proposed_at"
        for table, change, rule in (
            ("staff_decision", sooner, WAITED),
            ("staff_decision", later, LAPSED),
            ("staff_proposal", old, LAPSED),
        ):
            key = "proposal_id" if table == "staff_decision" else "id"
            with touched(table):
                execute(f"UPDATE {table} {change} WHERE {key} = {proposal.pk}")
                assert len(list(broken(rule))) == 1


def test_rules_have_names_and_no_rule_is_there_twice() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    assert all(rule.table for rule in RULES)
