"""Try in plain SQL, as the application may, what two persons did not name: each table in turn."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg import sql
from pytest_django import DjangoDbBlocker

from core.staff import two_persons
from tests.support import databases
from tests.support.databases import Database
from tests.support.tampering.day import build

# What two persons confirm of these kinds is looked at in other ways: names (names.sql), and sales
# that are let go on (resolutions.sql). One person may suspend them. Of accounts: accounts.sql.
ELSEWHERE = {"periods.names", "premises.lifting", "premises.resuming", "premises.suspending"}
# What two persons bind, of the tables of which the day has rows that they decided: table, column of
# the proposal, and the columns that are then as it says. The contest's closing was moved later.
_HELD = {
    ("lototrot_bettype", "proposal_id"): "authorisation code document price_cents rules version",
    (
        "lototrot_classification",
        "proposal_id",
    ): "announced_at announced_text author corrects_id race_id runners",
    (
        "lototrot_contest",
        "opening_id",
    ): "bet_type_id correction_approval correction_window_s id max_bets premises_cap_cents"
    " price_cents ticket_model_id",
    ("lototrot_discard", "proposal_id"): "contest_id reason",
    ("lototrot_figuresamendment", "proposal_id"): "bet_type in_force_from source",
    ("lototrot_gameend", "proposal_id"): "bet_type_code decision moves",
    (
        "lototrot_paymentorder",
        "proposal_id",
    ): "contest_id first_pay_day last_claim_day results_day settlement_id",
    ("lototrot_racedeclaration", "proposal_id"): "author declared_at kind left race_id reason text",
    ("lototrot_racestart", "proposal_id"): "actual_start_at corrects_id race_id source",
    ("lototrot_salesstop", "lifting_id"): "id",
    ("lototrot_schedulechange", "proposal_id"): "contest_id to_at",
    ("lototrot_signaldevice", "proposal_id"): "racecourse_id terminal_id",
    ("lototrot_void", "proposal_id"): "",
    ("lototrot_withdrawal", "proposal_id"): "effective_at entered_at number race_id source",
    (
        "payoffice_payment",
        "proposal_id",
    ): "amount_cents cash_session_id claim_id payee_id staff_id uuid",
    ("premises_authorisation", "proposal_id"): "game premises_id reference valid_from",
    ("premises_enrolment", "proposal_id"): "allowed_at terminal_id",
    ("premises_premises", "proposal_id"): "code kind municipality",
    ("premises_terminal", "proposal_id"): "code premises_id",
    ("promotrot_closingstatement", "proposal_id"): "emission_id game_id",
    ("promotrot_gameapproval", "proposal_id"): "version_id",
    ("promotrot_gameending", "proposal_id"): "game_id owed_cents winners",
    ("promotrot_officeend", "proposal_id"): "reason ticket_id",
    ("promotrot_opening", "proposal_id"): "emission_id",
    ("promotrot_voucherhandover", "proposal_id"): "claim handed_by_id handed_in_id voucher_id",
    ("statements_commissionrate", "proposal_id"): "game in_force_from percent reference",
    (
        "statements_guaranteelimit",
        "proposal_id",
    ): "in_force_from limit_cents minute_cap_cents premises_id reference",
}
HELD = {guard: set(columns.split()) for guard, columns in _HELD.items()}
# Another one must be there for it to be seen.
FOREIGN = {
    ("statements_commissionrate", "premises_id"): "premises_premises",
    ("promotrot_officeend", "ticket_id"): "promotrot_playticket",
}
# A contest is put on sale later, with its races; a declaration is of the instant of its stop.
AS_IT_WAS = {"lototrot_contest", "lototrot_racedeclaration"}
# At the end of the day these are refused for other reasons: the payment is ordered, for instance.
REFUSED_BEFORE = {
    "lototrot_classification",
    "lototrot_discard",
    "lototrot_withdrawal",
    "promotrot_officeend",
    "promotrot_voucherhandover",
}
_TRIGGERS = """
SELECT c.relname, string_to_array(encode(t.tgargs, 'escape'), '\\000'), t.tgtype & 4 > 0
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
 WHERE t.tgfoid = 'staff_need_confirmed'::regproc ORDER BY 1, 2
"""
_ROW = """
SELECT t.id, to_jsonb(t), p.id FROM {table} t JOIN staff_proposal p ON p.id = t.{column}
  JOIN staff_decision d ON d.proposal_id = p.id AND d.verdict = 'confirmed'
 WHERE p.kind = ANY (%s) ORDER BY t.id LIMIT 1
"""
_PROPOSES = """
SELECT staff_proposes(p, jsonb_populate_record(t, %s)) FROM {table} t, staff_proposal p
 WHERE t.id = %s AND p.id = %s
"""
_COLUMNS = """
SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a
 WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped
"""
# Two persons confirm now what two persons confirmed before: the same content, another proposal.
_PROPOSED_AGAIN = """
INSERT INTO staff_proposal (uuid, kind, subject, content, content_digest, proposed_by_id,
       proposed_in_id, proposed_at, good_until, decided)
SELECT gen_random_uuid(), kind, subject, content, content_digest, proposed_by_id, proposed_in_id,
       proposed_at, core_now() + interval '1 day', false
  FROM staff_proposal WHERE id = %s RETURNING id
"""
_CONFIRMED_AGAIN = """
INSERT INTO staff_decision (proposal_id, verdict, proposed_by_id, proposed_in_id, decided_by_id,
       decided_in_id, decided_at, reason)
SELECT %s, verdict, proposed_by_id, proposed_in_id, decided_by_id, decided_in_id, core_now(), reason
  FROM staff_decision WHERE proposal_id = %s
"""
_COPY = """
INSERT INTO {table} ({names}) SELECT {names} FROM (
    SELECT (jsonb_populate_record(t, %s)).* FROM {table} t WHERE t.id = %s) AS copy
"""


class Guarded(NamedTuple):
    """A table whose rows need two persons: the column of the proposal, and its kinds."""

    table: str
    column: str
    kinds: frozenset[str]
    on_insert: bool

    def sql(self, query: str, **names: sql.Composable) -> sql.Composed:
        column, table = sql.Identifier(self.column), sql.Identifier(self.table)
        return sql.SQL(query).format(table=table, column=column, **names)


@pytest.fixture(scope="module")
def day(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    with django_db_blocker.unblock(), databases.clone() as server:
        build()
        yield server


@pytest.fixture
def program(day: Database) -> Iterator[psycopg.Connection]:
    """A program with the application's role that calls itself a job. All of it is undone."""
    with psycopg.connect(day.app_url) as connection:
        connection.execute("SELECT set_config('core.act', 'command:dishonest', false)")
        yield connection
        connection.rollback()


def guarded(program: psycopg.Connection) -> list[Guarded]:
    rows = program.execute(_TRIGGERS).fetchall()
    return [
        Guarded(table, column, frozenset(filter(None, kinds)), on_insert)
        for table, (column, *kinds), on_insert in rows
    ]


def decided(
    program: psycopg.Connection, *, on_insert: bool = False
) -> Iterator[tuple[Guarded, int, dict[str, Any], int]]:
    """Yield the tables with a row that two persons decided that day: its key, row and proposal."""
    for each in guarded(program):
        row = program.execute(each.sql(_ROW), [list(each.kinds)]).fetchone()
        if row is not None and (each.on_insert or not on_insert):
            yield each, *row


def _others(program: psycopg.Connection, table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return another value for each column whose type has one."""
    by_type: dict[str, Any] = {
        "timestamp with time zone": "2001-01-01T00:00:00Z",
        "date": "2001-01-01",
        "uuid": "0190a6c8-5f6e-7000-8000-000000000001",
        "bytea": "\\x00",
        "smallint": 9_876,
        "integer": 987_654,
        "bigint": 987_654,
        "character varying": "other",
        "text": "other",
    }
    others = {}
    for name, kind in program.execute(_COLUMNS, [table]):
        if kind == "jsonb":
            others[name] = [{"x": 1}] if isinstance(row[name], list) else {"x": 1}
        elif kind in by_type:
            others[name] = by_type[kind]
    return others


def test_every_kind_that_two_persons_decide_is_compared_with_what_is_done(
    program: psycopg.Connection,
) -> None:
    tables = guarded(program)
    compared = frozenset[str]().union(*(each.kinds for each in tables))
    kinds = {name for name in two_persons.kinds() if not name.startswith("staff.")}
    assert kinds - compared == ELSEWHERE
    assert compared <= kinds
    for each in tables:
        program.execute(each.sql("SELECT staff_proposes(NULL::staff_proposal, NULL::{table})"))


def test_what_two_persons_named_is_held_and_nothing_else(program: psycopg.Connection) -> None:
    held: dict[tuple[str, str], set[str]] = {}
    for each, key, row, proposal in decided(program):

        def agrees(
            changes: dict[str, Any], each: Guarded = each, key: int = key, proposal: int = proposal
        ) -> bool:
            asked = [json.dumps(changes), key, proposal]
            return program.execute(each.sql(_PROPOSES), asked).fetchone() == (True,)

        assert agrees({}), each
        others = _others(program, each.table, row)
        names = {name for name, value in others.items() if not agrees({name: value})}
        held[each.table, each.column] = names
        for (table, column), foreign in FOREIGN.items():
            if table == each.table:
                ids = program.execute(f"SELECT id FROM {foreign} ORDER BY id LIMIT 2")
                there = next(ident for (ident,) in ids if ident != row[column])
                assert not agrees({column: there}), column
    assert held == HELD


def test_a_decision_of_another_act_does_nothing_and_one_about_something_else_neither(
    program: psycopg.Connection,
) -> None:
    """Both passed at once where the database looked at the kind alone."""
    tables, old, other = set(), set(), set()
    for each, key, row, proposal in decided(program, on_insert=True):
        columns = [name for name, _ in program.execute(_COLUMNS, [each.table])]
        names = sql.SQL(", ").join(
            sql.Identifier(name) for name in columns if name not in {"journal_xid", "id"}
        )

        def refusal(
            changes: dict[str, Any],
            each: Guarded = each,
            names: sql.Composable = names,
            key: int = key,
        ) -> str:
            try:
                with program.transaction():
                    asked = [json.dumps(changes), key]
                    program.execute(each.sql(_COPY, names=names), asked)
            except psycopg.Error as error:
                return str(error)
            return ""

        answer = refusal({})
        assert answer, each
        old |= {each.table} if "in another act" in answer else set()
        again = program.execute(_PROPOSED_AGAIN, [proposal]).fetchone()
        assert again is not None
        program.execute(_CONFIRMED_AGAIN, [again[0], proposal])
        honest = {each.column: again[0]}
        if each.table not in AS_IT_WAS:
            assert "two persons" not in refusal(honest), each
        others = _others(program, each.table, row)
        for name in HELD[each.table, each.column] - {"id"}:
            answer = refusal({name: others[name], **honest})
            assert answer, (each, name)
            other |= {each.table} if "confirmed another" in answer else set()
        tables.add(each.table)
    assert tables - old == REFUSED_BEFORE
    others = tables - other - REFUSED_BEFORE
    assert others == {"lototrot_void"}, "tickets are looked at as a set"
