"""Hold every table of Lototrot to the acts that write it, and find rows that no act wrote."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import IntegrityError

from core.database import clock
from core.journal.acting import acting
from core.journal.rules import Rule, broken
from core.ledger import services as ledger
from core.payoffice.services.paying import payment_make
from core.staff import two_persons
from core.staff.powers import Role
from lototrot import journal_rules
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket, Unprinted, Void
from lototrot.services.contest.closing import contest_close, contest_close_due, contest_close_early
from lototrot.services.contest.preparing import contest_change
from lototrot.services.races.stopping import race_stop
from lototrot.services.races.withdrawals import withdrawal_enter
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.unprinted import prints_end, unprinted_decide
from tests.support import factories, paying, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched
from tests.support.lototrot import breaching, starting
from tests.support.lototrot.putting_on_sale import created
from tests.support.lototrot.scheduling import postpone

NO_ACT = {"lototrot_racecourse"}  # a name and a place, which mean no act
OTHER_ACT = "journal_xid = 3"
# A rule, and the change to a row of its table that breaks it.
FORGERIES = {
    "lototrot_contestleg.with_lototrot_contest": OTHER_ACT,
    "lototrot_race.with_lototrot_meeting": OTHER_ACT,
    "lototrot_runner.with_lototrot_race": OTHER_ACT,
    "lototrot_ticket.sold": "amount_cents = amount_cents + 1",
    "lototrot_displayacknowledgement.stamped": "acknowledged_at = acknowledged_at - interval '1 d'",
    "lototrot_prize.with_lototrot_settlement": OTHER_ACT,
    "lototrot_settlement.published": OTHER_ACT,
    "lototrot_settlementcategory.with_lototrot_settlement": OTHER_ACT,
    "lototrot_paymentorder.confirmed": OTHER_ACT,
    "lototrot_paymentorder.published": OTHER_ACT,
    "lototrot_seal.with_proofs_logentry": OTHER_ACT,
}
RULES = {rule.name: rule for rule in journal_rules.RULES}


def tables_of(rule: Rule) -> set[str]:
    return {table for table, _, _ in broken(rule)}


def test_every_rule_has_a_name_and_every_table_a_rule() -> None:
    assert len(RULES) == len(journal_rules.RULES)
    tables = {model._meta.db_table for model in apps.get_app_config("lototrot").get_models()}
    held = {rule.table for rule in journal_rules.RULES}
    assert held <= tables | {"payoffice_claim"}
    assert tables - held == NO_ACT, "docs/recipes.md, A journal rule"


def test_a_row_that_another_act_wrote_is_found_by_its_rule(own_database: Database) -> None:
    factories.time_to(rounds.NOON)
    place, rules = factories.point(), rounds.rules(**rounds.TWO_LEGS)
    contest = rounds.contest(rules, [(1, 2, 3)] * 2)
    factories.sell(contest, place)
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    rounds.order(contest)
    for name, change in FORGERIES.items():
        rule = RULES[name]
        assert tables_of(rule) == set(), name
        with as_owner(own_database), touched(rule.table):
            assert execute(f"UPDATE {rule.table} SET {change}") > 0, name
            assert tables_of(rule) == {rule.table}, name


def test_a_payment_of_what_no_ticket_is_owed_is_found(own_database: Database) -> None:
    """SQL of the application's role could pay a ticket that lost, another sum, or on another day:
    claim, payment and transfer agreed with each other.
    """
    factories.time_to(rounds.NOON)
    won, lost = paying.worth(500, 0)
    (due,) = paying.refunds()
    place = factories.point()
    for each in (won, due):
        payment_make(at=place.actor, request=each.request())
    assert list(broken(journal_rules.OWED)) == []
    for column, value in (
        ("document_id", lost.ticket.pk),
        ("document_id", 0),
        ("amount_cents", 501),
        ("opened_at", clock.now() - timedelta(days=1)),
        ("opened_at", clock.now() + timedelta(days=31)),
    ):
        with as_owner(own_database), touched("payoffice_claim"):
            paid = [value, won.ticket.pk]
            assert execute(f"UPDATE payoffice_claim SET {column} = %s WHERE document_id = %s", paid)
            assert len(list(broken(journal_rules.OWED))) == 1, (column, value)
            execute(
                "UPDATE payoffice_claim SET amount_cents = 1 WHERE document_id = %s",
                [due.ticket.pk],
            )
            assert len(list(broken(journal_rules.OWED))) == 2


def test_a_contest_that_became_settled_without_a_settlement_is_found(
    own_database: Database,
) -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.settled(factories.point())
    rule = RULES["lototrot_contest.state_settled"]
    assert list(broken(rule)) == []
    with as_owner(own_database), touched("lototrot_settlement"):
        execute(f"UPDATE lototrot_settlement SET {OTHER_ACT}")
        ((table, row, _),) = broken(rule)
    assert (table, row) == ("lototrot_contest", contest.pk)


def test_a_contest_put_on_sale_without_its_terms_being_published_is_found(
    own_database: Database,
) -> None:
    """[E8]"""
    contest = factories.contest(state=Contest.State.DRAFT)
    with acting("tests"):
        factories.contest_opened(contest)
    rule = RULES["lototrot_contest.opening_published"]
    assert list(broken(rule)) == []
    with as_owner(own_database), touched("proofs_logentry"):
        execute(f"UPDATE proofs_logentry SET {OTHER_ACT}")
        ((table, row, _),) = broken(rule)
    assert (table, row) == ("lototrot_contest", contest.pk)


def test_takings_on_an_account_of_an_earlier_act_are_refused(own_database: Database) -> None:
    """A program could have opened it for another contest, and paid money into it."""
    draft, meeting = factories.contest(state=Contest.State.DRAFT), factories.meeting()
    code = ledger.liability("lototrot:takings:before")
    account = ledger.account_open([code])[code.code]
    again = {name: getattr(draft, name) for name in ("price_cents", "max_bets", "created_by_id")}
    with pytest.raises(IntegrityError, match="its account is another's"):
        Contest.objects.create(
            meeting=meeting,
            day=meeting.day,
            bet_type=draft.bet_type,
            bet_type_code=draft.bet_type_code,
            scheduled_close_at=draft.scheduled_close_at,
            takings_account=account,
            created_at=clock.now(),
            **again,
        )


@pytest.mark.article("14.III.5.4.1")
def test_numbers_on_sale_that_no_act_changed_are_found(own_database: Database) -> None:
    contest = factories.contest()
    race, by = factories.races_of(contest)[0], factories.staff(Role.STEWARDS)
    with acting("tests"):
        entered = withdrawal_enter(by=by, race_id=race.pk, number=4, source="Vet")
    with acting("tests"):
        two_persons.reject(
            proposal=entered.proposal.uuid, by=factories.staff(Role.STEWARDS), reason="Mistaken"
        )
    rule = RULES["lototrot_contest.offered"]
    assert list(broken(rule)) == []
    with as_owner(own_database), touched("lototrot_contest"):
        with acting("tests"):
            execute("ALTER TABLE lototrot_contest ENABLE TRIGGER journal_changed")
            execute(f"UPDATE lototrot_contest SET offered_masks[1] = 1 WHERE id = {contest.pk}")
        ((table, row, _),) = broken(rule)
    assert (table, row) == ("lototrot_contest", contest.pk)


@pytest.mark.article("14.III.5.4.1")
def test_a_draft_that_takes_another_race_after_a_withdrawal_is_no_finding(
    own_database: Database,
) -> None:
    """[E9]: the withdrawal of the race that it had before explains its numbers of then."""
    by, meeting = factories.staff(Role.ORGANISER), factories.meeting(races=8)
    contest = created(by, meeting)
    first, *others = meeting.races.order_by("number")
    with acting("tests"):
        withdrawal_enter(by=factories.staff(Role.STEWARDS), race_id=first.pk, number=4, source="V")
    with acting("tests"):
        contest_change(by=by, contest_id=contest.pk, races=others)
    assert list(broken(RULES["lototrot_contest.offered"])) == []


@pytest.mark.article("14.III.5.4.2")
def test_a_second_result_of_a_race_is_found(own_database: Database) -> None:
    """[B13, B17]"""
    drawn, run, _ = factories.meeting(races=3).races.order_by("number")
    with acting("tests"):
        declaration = factories.declared(drawn)
        factories.classified(run, [1])
    rule = RULES["lototrot_racedeclaration.one_result"]
    assert list(broken(rule)) == []
    for forged in (
        f"UPDATE lototrot_classification SET race_id = {drawn.pk}",
        f"UPDATE lototrot_racestart SET race_id = {drawn.pk}",
        "UPDATE lototrot_racedeclaration SET kind = 'suspended'",
        "UPDATE staff_proposal SET content = content - 'race' WHERE kind = 'lototrot.declaration'",
    ):
        with as_owner(own_database), touched(forged.split()[1]):
            assert execute(forged) == 1
            assert [row for _, row, _ in broken(rule)] == [declaration.pk], forged


def test_a_closing_that_was_moved_without_a_move_on_record_is_found(
    own_database: Database,
) -> None:
    """[E13]"""
    contest = factories.contest()
    postpone(contest, contest.scheduled_close_at + timedelta(minutes=5))
    rule = RULES["lototrot_contest.moved"]
    assert list(broken(rule)) == []
    with as_owner(own_database), touched("lototrot_schedulechange"):
        execute(f"UPDATE lototrot_schedulechange SET {OTHER_ACT}")
        ((table, row, _),) = broken(rule)
    assert (table, row) == ("lototrot_contest", contest.pk)


def test_a_closing_at_an_instant_that_nothing_on_record_gives_is_found(
    own_database: Database,
) -> None:
    """[E1, E12]: who owns the database can close a contest as of before its first start."""
    factories.time_to(rounds.NOON)
    starts = (rounds.NOON + timedelta(days=day, hours=2) for day in range(6))
    started, organised, scheduled, early, ahead, marked = (
        factories.contest(factories.meeting(first_start_at=start)) for start in starts
    )
    race, stewards = factories.races_of(started)[0], factories.staff(Role.STEWARDS)
    with acting("tests"):  # it closes at the stop, before the start that confirms it
        race_stop(by=stewards, race_id=race.pk, source="The horses are off")
    factories.time_pass(minutes=1)
    with acting("tests"):
        starting.start(race, clock.now())
    started.refresh_from_db()
    assert started.closing_cause == "start"
    with acting("tests"):
        contest_close_early(by=factories.staff(Role.ORGANISER), contest_id=organised.pk)
    rule = RULES["lototrot_contest.closed"]
    for contest, cause, instant in (
        (early, "organiser", "core_now() - interval '1 hour'"),
        (ahead, "schedule", "scheduled_close_at"),
        (marked, "start", "core_now()"),
    ):
        before = {row for _, row, _ in broken(rule)}
        with as_owner(own_database):
            execute(
                "UPDATE lototrot_contest SET state = 'closed', closing_cause = "
                f"'{cause}', closed_at = {instant} WHERE id = {contest.pk}"
            )
        assert {row for _, row, _ in broken(rule)} == before | {contest.pk}
    factories.time_to(scheduled.scheduled_close_at + timedelta(minutes=30))
    contest_close_due(contest_id=scheduled.pk)
    assert {row for _, row, _ in broken(rule)} == {early.pk, ahead.pk, marked.pk}


@pytest.mark.article("14.I.6", "14.III.4")
def test_a_ticket_that_two_persons_did_not_void_is_found(own_database: Database) -> None:
    """[C6]: a program voided the ticket of a friend that lost beside those in breach."""
    factories.time_to(rounds.NOON)
    contest, place = factories.contest(), factories.point()
    lost = breaching.sell(contest, place)
    start = clock.now()
    for _ in range(2):
        breaching.sell(contest, place)
    breaching.started_at(contest, start)
    breaching.confirmed(breach_void(by=breaching.organiser(), contest_id=contest.pk))
    rule = RULES["lototrot_void.as_named"]
    assert tables_of(rule) == set()
    of_others = Void.objects.all()[0]
    with pytest.raises(IntegrityError, match="in another act"):
        Void.objects.create(
            ticket_id=lost.ticket_id,
            reason=of_others.reason,
            note=of_others.note,
            voided_at=clock.now(),
            proposal=of_others.proposal,
        )
    for change in (
        f"UPDATE lototrot_void SET ticket_id = {lost.ticket_id}"
        " WHERE ticket_id = (SELECT max(ticket_id) FROM lototrot_void)",
        "INSERT INTO lototrot_void (ticket_id, reason, note, voided_at, proposal_id)"
        f" SELECT {lost.ticket_id}, reason, note, voided_at, proposal_id"
        " FROM lototrot_void LIMIT 1",
        "DELETE FROM lototrot_void WHERE ticket_id = (SELECT max(ticket_id) FROM lototrot_void)",
    ):
        with as_owner(own_database), touched("lototrot_void"):
            assert execute(change) == 1
            assert tables_of(rule) == {"lototrot_void"}, change


@pytest.mark.article("14.II.1")
def test_a_decision_of_another_act_lets_no_ticket_stand(own_database: Database) -> None:
    """[E11]: a program could let the ticket of a friend stand that nobody printed in time."""
    factories.time_to(rounds.NOON)
    contest = factories.contest()
    first, second = (factories.sell(contest, factories.point()) for _ in range(2))
    contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
    contest_seal(contest_id=contest.pk)
    factories.time_pass(minutes=5)
    assert prints_end(contest_id=contest.pk)
    ticket = str(Ticket.objects.get(pk=first.ticket_id).uuid)
    by = breaching.organiser()
    decision = unprinted_decide(
        by=by, contest_id=contest.pk, verdict="stand", reason="Seen.", tickets=[ticket]
    )
    breaching.confirmed(decision)
    waiting = Unprinted.objects.filter(verdict="")
    assert waiting.get().ticket_id == second.ticket_id
    with pytest.raises(IntegrityError, match="in another act"):
        waiting.update(verdict="stand", reason="Seen.", proposal=decision, decided_at=clock.now())
