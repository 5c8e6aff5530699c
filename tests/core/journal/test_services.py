"""Seal batches while other transactions are in progress: every ended act is sealed once."""

import threading
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, connections, transaction

from core.journal.models import Act, Batch, Block
from core.journal.services import (
    batch_seal,
    batches_due,
    checkpoint_publish,
    checkpoints_due,
)
from core.journal.verifying import verify
from core.premises.models import Premises
from core.proofs.log import key_rotate
from core.proofs.models import LogEntry, SigningKey
from tests.support import factories
from tests.support.concurrency.sales import apart
from tests.support.databases import Database
from tests.support.factories.clocks import server_clock_off
from tests.support.journaling import as_owner, execute, seal_all, touched


def sealed() -> Batch:
    assert batches_due()
    batch = batch_seal()
    assert batch is not None
    return batch


def test_what_ended_is_sealed_once_and_verifies(own_database: Database) -> None:
    assert batches_due() == []
    place = factories.point()
    first = sealed()
    assert first.number == 1 and first.entries > 0
    contest = factories.contest()
    factories.acknowledge(contest, place)
    seal_all()
    second = Batch.objects.get(number=2)
    assert bytes(second.previous) == bytes(first.digest)
    assert verify().findings == []
    last = Batch.objects.latest("number").number
    assert batches_due() == [] and Batch.objects.count() == last


SLOW = (
    "INSERT INTO proofs_receiver (address, delivered_sequence, failures, last_error)"
    " VALUES ('/slow', 0, 0, '')"
)


@pytest.mark.parametrize("writes_first", [True, False])
def test_an_open_transaction_holds_back_itself_alone(
    own_database: Database, writes_first: bool
) -> None:
    """A person who leaves a transaction open keeps nobody else's acts from being sealed."""
    factories.premises()
    seal_all()
    with psycopg.connect(own_database.app_url) as slow:
        slow.execute("SELECT set_config('core.act', 'command:slow', false)")
        row = slow.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()
        assert row is not None
        if writes_first:
            slow.execute(SLOW)
        for _ in range(2):
            quick = factories.premises()
            batch = sealed()
            assert row[0] in batch.open_xids
            assert _covered(batch, quick)
            assert not Act.objects.filter(pk=row[0]).exists()
        assert batches_due() == []
        if not writes_first:
            slow.execute(SLOW)  # its number is older than two batches
        slow.commit()
    late = sealed()
    assert row[0] not in late.open_xids
    assert row[0] < late.first_xid
    assert verify().findings == []
    assert verify(since=1).findings == []
    total = sum(Batch.objects.values_list("entries", flat=True))
    assert total == sum(Block.objects.values_list("rows", flat=True))
    with as_owner(own_database), touched("proofs_receiver"):
        execute("UPDATE proofs_receiver SET address = '/other'")
        assert {each.table for each in verify(since=late.number - 1).findings} == {
            "proofs_receiver"
        }


def _covered(batch: Batch, place: Premises) -> bool:
    """Return whether the row is in the batch."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT journal_xid FROM premises_premises WHERE id = %s", [place.pk])
        (xid,) = cursor.fetchone()
    return bool(batch.first_xid <= xid < batch.end_xid and xid not in batch.open_xids)


def test_sealing_at_once_seals_once(own_database: Database) -> None:
    for _ in range(3):
        factories.premises()

    def seal() -> None:
        try:
            batch_seal()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=seal) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seal_all()
    assert verify().findings == []


def _kinds() -> list[str]:
    return list(LogEntry.objects.order_by("sequence").values_list("kind", flat=True))


def _checkpoints() -> int:
    """Seal, publish the checkpoints that are due; return how many that were."""
    seal_all()
    return sum(checkpoint_publish(number=number) is not None for number in checkpoints_due())


def test_a_checkpoint_follows_whatever_is_published_and_every_hour(own_database: Database) -> None:
    assert checkpoints_due() == []
    contest, place = factories.contest(), factories.point()
    factories.sell(contest, place)
    # Of the opening; its own act gives no other.
    assert [_checkpoints() for _ in range(3)] == [1, 0, 0]
    factories.contest_closed(contest)
    assert "lototrot.seal" in _kinds()
    assert checkpoints_due() == []  # no batch has the closing yet
    assert (_checkpoints(), _checkpoints()) == (1, 0)
    factories.time_pass(minutes=61)
    assert (_checkpoints(), _checkpoints()) == (1, 0)
    assert checkpoint_publish(number=10**6) is None
    assert verify().findings == []


@pytest.mark.usefixtures("machine_clock")
def test_a_checkpoint_of_a_clock_that_was_ahead_delays_no_other(own_database: Database) -> None:
    """Else nobody outside gets one until the true time has come to an hour after it. Nor are the
    batches after it broken: they were sealed after it, whatever the clock said.
    """
    factories.premises()
    assert [_checkpoints() for _ in range(3)] == [1, 1, 0]
    with server_clock_off(timedelta(hours=5)):
        factories.premises()
        assert _checkpoints() == 1
    factories.premises()
    assert [_checkpoints() for _ in range(2)] == [1, 0]
    assert verify().findings == []


@pytest.mark.usefixtures("machine_clock")
@pytest.mark.parametrize("rotated_ahead", [False, True])
def test_a_key_may_change_while_batches_have_the_time_of_a_clock_that_was_ahead(
    own_database: Database, settings: Any, rotated_ahead: bool
) -> None:
    """Which key was in force when a batch was sealed follows from their order, not from clocks."""
    factories.premises()
    sealed()
    settings.SIGNING_KEYS = ("2", settings.SIGNING_KEYS[1] | {"2": bytes(range(32))})
    with server_clock_off(timedelta(hours=5)):
        factories.premises()
        if rotated_ahead:
            key_rotate(reason=SigningKey.Ended.ROTATION)
        else:
            sealed()
    if not rotated_ahead:
        key_rotate(reason=SigningKey.Ended.ROTATION)
    factories.premises()
    seal_all()
    assert len(set(Batch.objects.values_list("key", flat=True))) == 2
    assert verify().findings == []


def test_a_key_that_is_replaced_while_the_journal_is_verified_is_no_finding(
    own_database: Database, settings: Any
) -> None:
    factories.premises()
    sealed()
    settings.SIGNING_KEYS = ("2", settings.SIGNING_KEYS[1] | {"2": bytes(range(32))})

    def replaced_after(execute: Any, sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if "FROM proofs_signingkey k" in str(sql):
            apart(replaced).result()
        return answer

    def replaced() -> None:
        key_rotate(reason=SigningKey.Ended.ROTATION)
        factories.premises()
        sealed()

    with connection.execute_wrapper(replaced_after):
        assert verify().findings == []
    assert Batch.objects.latest("number").key.in_force and Batch.objects.count() == 2
    assert verify().findings == []


def test_a_replaced_key_seals_nothing(own_database: Database, settings: Any) -> None:
    factories.premises()
    seal_all()
    old = SigningKey.objects.get()
    settings.SIGNING_KEYS = ("2", settings.SIGNING_KEYS[1] | {"2": bytes(range(32))})
    with transaction.atomic():
        new = key_rotate(reason=SigningKey.Ended.COMPROMISE)
    factories.premises()
    seal_all()
    last = Batch.objects.latest("number")
    assert last.key == new
    with as_owner(own_database):
        last.key, last.number = old, last.number + 1
        last.digest = last.previous = bytes(32)
        with pytest.raises(DatabaseError, match="a key that is not in force"), transaction.atomic():
            last.save(force_insert=True)
        with touched("journal_batch"):
            execute("UPDATE journal_batch SET key_id = %s WHERE number = 2", [old.pk])
            details = [each.detail for each in verify().findings]
            assert any("its key was not in force" in detail for detail in details)


def test_of_which_key_was_in_force_a_part_reads_no_batch_before_it(
    own_database: Database, settings: Any
) -> None:
    """A journal of years is verified part by part (`journal_verify --step`)."""
    for _ in range(9):
        seal_all()
    settings.SIGNING_KEYS = ("2", settings.SIGNING_KEYS[1] | {"2": bytes(range(32))})
    key_rotate(reason=SigningKey.Ended.ROTATION)
    for _ in range(3):
        seal_all()
    counted = list[int]()

    def count_around(execute: Any, sql: str, *rest: Any) -> Any:
        if "FROM proofs_signingkey k" not in str(sql):
            return execute(sql, *rest)
        before = _batches_read()
        answer = execute(sql, *rest)
        counted.append(_batches_read() - before)
        return answer

    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")  # of so few rows the planner would read all
    with connection.execute_wrapper(count_around):
        assert verify(since=10, until=11).findings == []
    (read,) = counted
    assert read < 9


def _batches_read() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"
            " WHERE relname = 'journal_batch'"
        )
        return int(cursor.fetchone()[0])
