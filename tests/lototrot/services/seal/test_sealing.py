"""Seal the tickets of a contest and amend the seal; settling finds any ticket that changed."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, transaction

from core.config.holding import Absent
from core.database.locks import Lock
from core.kernel.canonical import with_digests
from core.kernel.errors import DomainError, InvariantBroken
from core.proofs import keys, log, merkle, wire
from core.proofs.models import LogEntry, SigningKey
from core.staff import two_persons
from lototrot import nightly, tasks
from lototrot.models.contest import Contest
from lototrot.models.sealing import Amendment, Seal
from lototrot.models.tickets import Ticket, Void
from lototrot.services.seal import hashing, leaves
from lototrot.services.seal.proving import ticket_proof
from lototrot.services.seal.sealing import ContestOnSale, Totals, contest_seal, sealed, seals_due
from lototrot.services.seal.sealing import seal_verify as verify
from lototrot.services.settlement.breach import breach_void
from lototrot.services.settlement.settling import contest_settle, settlements_due
from tests.support import factories, rounds
from tests.support.admin_desk import sold_with_code
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.verifying.load import verifier

pytestmark = pytest.mark.article("14.III.1.5")

RULES = rounds.rules(**rounds.TWO_LEGS)
RUNNERS = [(1, 2, 3)] * 2
MARKS = [(1, 1), (1, 2), (3, 1), (2, 4), (7, 7)]


def a_contest(point: Point, marks: list[tuple[int, int]] = MARKS) -> Contest:
    new_contest = rounds.contest(RULES, RUNNERS)
    rounds.sell(new_contest, point, marks)
    return new_contest


def by_hand(contest: Contest) -> bytes:
    """The root over the tickets, each leaf made field by field."""
    tickets = Ticket.objects.filter(contest=contest).exclude(void__reason="error")
    return merkle.root([merkle.leaf_hash(leaves.leaf(each)) for each in tickets.order_by("pk")])


@pytest.mark.django_db
@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 8, 13])
def test_a_seal_is_over_every_ticket_whatever_the_blocks(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merkle, "BLOCK", 4)
    monkeypatch.setattr(hashing, "BLOCK", 4)
    contest, point = factories.contest(), factories.point()
    other = factories.contest(kind="eight-races")
    sold = []
    for _ in range(count):
        sold.append(sold_with_code(contest, point))
        factories.sell(other, point)
    seal = contest_seal(contest_id=factories.contest_closed(contest, sealed=False).pk)
    assert bytes(seal.root) == by_hand(contest)
    assert (seal.tickets, seal.bets, seal.takings_cents) == (count, count, count * 100)
    assert len(seal.block_first_ids) == -(-count // 4) == len(seal.block_roots) // 32
    document = seal.entry.document
    assert (document["root"], document["tickets"]) == (by_hand(contest).hex(), count)
    for _, code in sold:
        proof = ticket_proof(presented_code=code)
        verifier("ticket").proof_holds(proof, code, keys.current_public())


@pytest.mark.django_db
def test_it_is_made_once_when_the_contest_has_closed() -> None:
    contest = a_contest(factories.point())
    with pytest.raises(ContestOnSale):
        contest_seal(contest_id=contest.pk)
    assert (tasks.seal(contest.pk), seals_due(), sealed(contest)) == (False, [], None)
    factories.contest_closed(contest, sealed=False)
    assert seals_due() == [contest.pk] and settlements_due() == []
    assert tasks.seal(contest.pk) is True
    seal = contest_seal(contest_id=contest.pk)
    assert (sealed(contest), seals_due()) == (seal, [])
    assert LogEntry.objects.filter(kind="lototrot.seal").count() == 1


@pytest.mark.django_db
def test_the_database_seals_only_what_is_closed_and_keeps_voids_on_their_side() -> None:
    contest, other = a_contest(factories.point()), factories.contest()
    entry = contest_seal(contest_id=factories.contest_closed(other, sealed=False).pk).entry
    ticket = contest.tickets.first()
    values = {"tickets": 0, "bets": 0, "takings_cents": 0, "root": b"", "block_roots": b""}
    with pytest.raises(DatabaseError, match="only a closed contest"), transaction.atomic():
        Seal.objects.create(
            contest=contest, block_first_ids=[], entry=entry, sealed_at=rounds.NOON, **values
        )
    breach = {"reason": "breach", "proposal": factories.proposal("lototrot.breach_void")}
    error = {"reason": "error", "operator_id": ticket.operator_id}
    with pytest.raises(DatabaseError, match="before the seal"), transaction.atomic():
        Void.objects.create(ticket=ticket, voided_at=rounds.NOON, **breach)
    factories.contest_closed(contest)
    with pytest.raises(DatabaseError, match="before the seal"), transaction.atomic():
        Void.objects.create(ticket=ticket, voided_at=rounds.NOON, **error)


# --- Amendments -----------------------------------------------------------------------------------


def breached(contest: Contest, *numbers: int) -> None:
    """Two persons void the tickets at those places: they turn out to be of unauthorised premises.

    Their premises lose the authorisation they had, so each place needs premises of its own.
    """
    tickets = list(contest.tickets.order_by("pk"))
    for number in numbers:
        for each in tickets[number].premises.authorisations.all():
            factories.ended(each, each.valid_from)
    first, second = factories.two_organisers()
    two_persons.confirm(proposal=breach_void(by=first, contest_id=contest.pk).uuid, by=second)


@pytest.mark.django_db
@pytest.mark.article("14.I.6")
def test_a_void_after_the_seal_is_an_amendment_that_lists_it() -> None:
    contest = rounds.contest(RULES, RUNNERS)
    for marks in MARKS:
        rounds.sell(contest, factories.point(), [marks])
    root = contest_seal(contest_id=factories.contest_closed(contest, sealed=False).pk).root
    for race in factories.races_of(contest):
        factories.classified(race, {1})
    breached(contest, 1, 4)
    breached(contest, 0)
    one, two = Amendment.objects.select_related("entry").order_by("number")
    seal = Seal.objects.select_related("entry").get()
    assert one.entry.document == with_digests(
        {
            "format": "lototrot-amendment-1",
            "contest": contest.pk,
            "number": 1,
            "seal": bytes(seal.entry.digest).hex(),
            "act": str(one.proposal.uuid),
            "voided": [{"place": place, "reasons": "premises_not_authorised"} for place in (1, 4)],
            "taken": {"tickets": 2, "bets": 10, "takings_cents": 1000},
            "left": {"tickets": 3, "bets": 4, "takings_cents": 400},
        }
    )
    assert two.entry.subject == f"contest:{contest.pk}:2"
    assert two.entry.document["left"] == {"tickets": 2, "bets": 3, "takings_cents": 300}
    assert bytes(seal.root) == bytes(root) == by_hand(contest)
    assert verify(contest) == Totals(2, 3, 300)
    assert contest_settle(contest_id=contest.pk).takings_cents == 300


# --- What settlement finds ------------------------------------------------------------------------


@contextmanager
def as_owner() -> Iterator[None]:
    """The services work with the rights of the tables' owner: whatever is done can be undone."""
    usual = connections["default"]
    connections["default"] = connections["owner"]
    try:
        yield
    finally:
        connections["default"] = usual


# What the owner of the database does with all triggers off, and the check that says so.
TAMPERING = {
    "UPDATE lototrot_ticket SET leg_1 = 2 WHERE id = {first}": "root",
    "UPDATE lototrot_ticket SET leg_2 = 2 WHERE id = {last}": "root",
    "UPDATE lototrot_ticket SET sold_at = sold_at + interval '1 us' WHERE id = {first}": "root",
    "UPDATE lototrot_ticket SET code_commitment = sha256('x') WHERE id = {first}": "root",
    "UPDATE lototrot_ticket SET terminal_id = {terminal}, premises_id = {premises}"
    " WHERE id = {first}": "root",
    "UPDATE lototrot_ticket SET premises_id = {premises} WHERE id = {first}": "leaf_unsound",
    "UPDATE lototrot_ticket SET amount_cents = 200 WHERE id = {first}": "takings_cents",
    "UPDATE lototrot_ticket SET bets = 2 WHERE id = {first}": "bets",
    "UPDATE lototrot_ticket t SET amount_cents = o.amount_cents FROM lototrot_ticket o"
    " WHERE t.id IN ({first}, {last}) AND o.id IN ({first}, {last}) AND o.id <> t.id": "root",
    "UPDATE lototrot_ticket SET id = id + 100000 WHERE id = {first}": "root",
    "UPDATE lototrot_ticket SET contest_id = {other} WHERE id = {first}": "tickets",
    "DELETE FROM lototrot_ticket WHERE id = {unpaid}": "tickets",
    "INSERT INTO lototrot_ticket SELECT (jsonb_populate_record(t, jsonb_build_object('id', 999999,"
    " 'uuid', gen_random_uuid(), 'code_digest', sha256('x')))).* FROM lototrot_ticket t"
    " WHERE id = {first}": "tickets",
    "INSERT INTO lototrot_void (ticket_id, reason, note, voided_at, operator_id)"
    " SELECT id, 'error', '', now(), operator_id FROM lototrot_ticket"
    " WHERE id = {first}": "tickets",
    "INSERT INTO lototrot_void (ticket_id, reason, note, voided_at, proposal_id)"
    " VALUES ({first}, 'breach', '', now(), {proposal})": "voids without an amendment",
    "INSERT INTO lototrot_void (ticket_id, reason, note, voided_at, proposal_id)"
    " SELECT {first}, 'breach', '', now(), proposal_id FROM lototrot_amendment": "amendment 1",
    "DELETE FROM lototrot_void WHERE ticket_id = {voided}": "amendment 1",
    "UPDATE lototrot_void SET ticket_id = {first}": "amendment 1",
    "DELETE FROM lototrot_amendment": "voids without an amendment",
    "UPDATE lototrot_seal SET root = sha256('x')": "stored",
    "UPDATE lototrot_seal SET takings_cents = 1": "stored",
    "UPDATE lototrot_contest SET closed_at = closed_at - interval '1 s'"
    " WHERE id = {contest}": "closed_at",
    "UPDATE proofs_logentry SET document = document || '{{\"takings_cents\": 1}}'"
    " WHERE kind = 'lototrot.seal'": "entry_unsound",
    "UPDATE proofs_logentry SET document = document || '{{\"voided\": []}}'"
    " WHERE kind = 'lototrot.amendment'": "entry_unsound",
    "UPDATE proofs_logentry SET at = at + interval '1 s'"
    " WHERE kind = 'lototrot.seal'": "entry_unsound",
    "UPDATE proofs_logentry SET signature = decode(repeat('00', 64), 'hex')"
    " WHERE kind = 'lototrot.seal'": "entry_unsound",
    "UPDATE proofs_signingkey SET public_key = sha256('x')": "entry_unsound",
}
TABLES = (
    "lototrot_ticket",
    "lototrot_void",
    "lototrot_seal",
    "lototrot_amendment",
    "lototrot_contest",
    "proofs_logentry",
    "proofs_signingkey",
)


def test_settlement_refuses_tickets_that_were_touched_and_says_what(
    own_database: Database,
) -> None:
    point = factories.point()
    contest = rounds.contest(RULES, RUNNERS)
    for marks in MARKS:
        rounds.sell(contest, factories.point(), [marks])
    factories.contest_closed(contest)
    for race in factories.races_of(contest):
        factories.classified(race, {1})
    breached(contest, 2)
    ids = list(contest.tickets.order_by("pk").values_list("pk", flat=True))
    names = {
        "first": ids[0],
        "last": ids[4],
        "voided": ids[2],
        "unpaid": ids[3],
        "premises": point.premises.pk,
        "terminal": point.terminal.pk,
        "contest": contest.pk,
        "proposal": factories.proposal("lototrot.breach_void").pk,
        "other": factories.contest(kind="eight-races").pk,
    }
    with as_owner():
        for statement, check in TAMPERING.items():
            with transaction.atomic():
                _tamper(statement.format(**names))
                with pytest.raises(DomainError):
                    contest_settle(contest_id=contest.pk)
                with pytest.raises(InvariantBroken) as refusal:
                    verify(Contest.objects.get(pk=contest.pk))
                failed_check = refusal.value.data.get("check", refusal.value.code)
                assert failed_check == check, statement
                transaction.set_rollback(True)
    assert contest_settle(contest_id=contest.pk).tickets == 4


def _tamper(statement: str) -> None:
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(
            "ALTER TABLE lototrot_void DROP CONSTRAINT lototrot_void_ticket_id_key;"
            "SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname)"
            " FROM pg_constraint WHERE contype = 'f' AND confrelid = 'lototrot_ticket'::regclass",
            [],
        )
        cursor.nextset()
        for (drop,) in cursor.fetchall():
            cursor.execute(drop)
        cursor.execute(statement)


@pytest.mark.django_db
def test_a_seal_under_a_key_since_destroyed_is_vouched_for_by_the_chain(settings: Any) -> None:
    settings.SIGNING_KEYS = ("1", {"1": secrets.token_bytes(32)})
    contest = a_contest(factories.point())
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    old = settings.SIGNING_KEYS[1]["1"]
    settings.SIGNING_KEYS = ("2", {"1": old, "2": secrets.token_bytes(32)})
    log.key_rotate(reason=SigningKey.Ended.ROTATION)
    settings.SIGNING_KEYS = ("2", {"2": settings.SIGNING_KEYS[1]["2"]})
    assert contest_settle(contest_id=contest.pk).tickets == len(MARKS)


# What the owner of the database does to a ticket, its neighbour or the seal, and who says so.
TAMPERED_PROOFS = {
    "UPDATE lototrot_ticket SET sold_at = sold_at + interval '1 us' WHERE id = {mine}": "root",
    "UPDATE lototrot_ticket SET leg_1 = 2 WHERE id = {other}": "root",
    "UPDATE lototrot_ticket SET id = id + 100000 WHERE id = {other}": "root",
    "UPDATE lototrot_ticket SET id = id - 100000 WHERE id = {mine}": "ticket",
    "UPDATE lototrot_ticket SET premises_id = {premises} WHERE id = {mine}": "leaf_unsound",
    "UPDATE lototrot_seal SET block_roots = sha256('x') || sha256('y')": "root",
    "UPDATE lototrot_seal SET block_first_ids = '{{}}'": "ticket",
}


def test_a_ticket_that_was_touched_or_its_neighbour_gets_no_proof(own_database: Database) -> None:
    contest, point = factories.contest(), factories.point()
    (other, _), (mine, code), *_ = [sold_with_code(contest, point) for _ in range(3)]
    factories.contest_closed(contest)
    ids = {"mine": mine.pk, "other": other.pk, "premises": factories.point().premises.pk}
    with as_owner():
        for statement, check in TAMPERED_PROOFS.items():
            with transaction.atomic():
                _tamper(statement.format(**ids))
                with pytest.raises(InvariantBroken) as refusal:
                    ticket_proof(presented_code=code)
                failed_check = refusal.value.data.get("check", refusal.value.code)
                assert failed_check == check, statement
                transaction.set_rollback(True)
    assert ticket_proof(presented_code=code)["place"] == 1


@pytest.mark.django_db
def test_the_leaves_need_not_be_read_to_the_end() -> None:
    reader = leaves.sealed_leaves(a_contest(factories.point()))
    assert next(reader)
    reader.close()  # no more of it is wanted
    assert Ticket.objects.count() == len(MARKS)


def test_seals_are_verified_where_no_signing_key_may_be(
    own_database: Database, settings: Any
) -> None:
    """A practised restore has neither key nor signer: it ended with a refusal at the first seal."""
    factories.contest_closed(a_contest(factories.point()))
    settings.SIGNER, settings.PROCESS = "", "migrate"
    settings.SIGNING_KEYS = Absent("SIGNING_KEYS", "migrate")
    output = StringIO()
    call_command("seals_verify", stdout=output)
    assert "1 contests, all as they were sealed" in output.getvalue()
    assert wire.key_id(bytes(SigningKey.objects.get(in_force=True).public_key)) in output.getvalue()
    settings.PROCESS = "worker"  # what publishes must be told
    with pytest.raises(ImproperlyConfigured):
        call_command("seals_verify", stdout=output)
    settings.PROCESS = "migrate"
    with connections["owner"].cursor() as owner:
        owner.execute("ALTER TABLE proofs_logentry DISABLE TRIGGER USER")
        owner.execute("UPDATE proofs_logentry SET signature = sha512('') WHERE kind LIKE '%.seal'")
        owner.execute("ALTER TABLE proofs_logentry ENABLE TRIGGER USER")
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("seals_verify", stdout=output)


def test_all_seals_are_verified_while_an_act_holds_a_contest(own_database: Database) -> None:
    """An act of minutes, as a lapse is, has the contest's lock; its seal is verified beside it."""
    contest = a_contest(factories.point())
    factories.contest_closed(contest)
    output = StringIO()
    with psycopg.connect(own_database.app_url) as act:
        act.execute("SELECT pg_advisory_xact_lock(%s, %s)", [int(Lock.CONTEST), contest.pk])
        call_command("seals_verify", stdout=output)
        assert nightly.seals_everything().counts == {"seals": 1, "seals_archived": 0}
    assert "1 contests, all as they were sealed" in output.getvalue()
    with connections["owner"].cursor() as owner:
        owner.execute("ALTER TABLE lototrot_ticket DISABLE TRIGGER USER")
        owner.execute("UPDATE lototrot_ticket SET leg_1 = 4")
        owner.execute("ALTER TABLE lototrot_ticket ENABLE TRIGGER USER")
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("seals_verify", stdout=output)
    with pytest.raises(nightly.SealsDiffer):
        nightly.seals_everything()
