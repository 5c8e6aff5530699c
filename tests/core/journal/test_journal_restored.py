"""Restore a dump into a new server with a lower transaction counter (docs/operations.md, The
journal).
"""

import json
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from pytest_django import DjangoDbBlocker

from core.config.startup import verify_server
from core.journal import numbers
from core.journal.export import export
from core.journal.models import Act
from core.journal.services import TransactionsStartedAnew, batch_seal, batches_due, last_batch
from core.journal.verifying import Fault, verify
from core.proofs.models import LogEntry
from core.tools.embedded.postgres import SUPERUSER, Postgres, binaries
from core.tools.embedded.processes import run_as, server_account
from lototrot.models.contest import Contest
from tests.support import factories, rounds
from tests.support.journaling import seal_all
from tests.support.servers import SMALL, migrate, sell, tickets, used
from tests.support.verifying.forging import public_key
from tests.support.verifying.load import verifier


@pytest.fixture
def servers(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Postgres, Postgres]]:
    """Yield a migrated server that has run many transactions, and a new one."""
    pair = Postgres(tmp_path / "old", SMALL), Postgres(tmp_path / "new", SMALL)
    try:
        with django_db_blocker.unblock():
            migrate(pair[0])
        for server in pair:
            server.start()
        yield pair
    finally:
        for server in pair:
            server.destroy()


def dumped(server: Postgres, file: Path) -> Path:
    _tool("pg_dump", "--format", "custom", "--file", str(file), "--dbname", server.url(SUPERUSER))
    return file


def restored(server: Postgres, file: Path) -> None:
    _tool("pg_restore", "--exit-on-error", "--dbname", server.url(SUPERUSER), str(file))


def _tool(name: str, *arguments: str) -> None:
    done = subprocess.run(
        [str(binaries() / name), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def epoch_set(server: Postgres, epoch: int) -> None:
    """Stop the server, set its transaction counter, start it again."""
    server.stop()
    done = run_as(
        server_account(server.folder / "data"),
        server.software(server_account(server._cluster)) / "pg_resetwal",
        "--epoch",
        str(epoch),
        "--pgdata",
        server._cluster,
    )
    assert done.returncode == 0, done.stderr
    server.start()


def worked(server: Postgres) -> None:
    """Run transactions that leave no rows."""
    with psycopg.connect(server.url(SUPERUSER), autocommit=True) as session:
        session.execute(
            "DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT;"
            " END LOOP; END $$"
        )


@pytest.mark.article("14.III.1.5")
def test_a_restored_dump_refuses_to_go_on_before_its_counter_does(
    tmp_path: Path, servers: tuple[Postgres, Postgres], django_db_blocker: DjangoDbBlocker
) -> None:
    old, new = servers
    with django_db_blocker.unblock():
        worked(old)
        with used(old):
            contest, point = factories.contest(), factories.point()
            sold = sell(contest, point, 5)
            seal_all()
            sold |= sell(contest, point, 5)  # in no batch yet
            file = dumped(old, tmp_path / "dump")
        restored(new, file)
        with used(new):
            nothing_can_be_written_and_nobody_is_accused(contest, point, sold)
            anew = numbers.started_anew()
            assert anew is not None
        epoch_set(new, anew.epoch)
        with used(new):
            assert numbers.started_anew() is None
            verify_server()
            assert verify().findings == []
            call_command("migrate", database="owner", interactive=False, verbosity=0)
            sold |= sell(contest, point, 5)
            seal_all()
            assert tickets() == sold
            assert verify().findings == []
            everything_is_sealed(tmp_path)
            rounds.books_agree()


def nothing_can_be_written_and_nobody_is_accused(
    contest: Contest, point: factories.Point, sold: set[object]
) -> None:
    assert tickets() == sold
    found = verify().findings
    assert [each.what for each in found] == [Fault.ANEW], {each.detail for each in found}
    said = StringIO()
    with pytest.raises(CommandError, match="nothing was changed, and nothing can be written"):
        call_command("journal_verify", stdout=said)
    assert said.getvalue().startswith("transactions_started_anew: ")
    with pytest.raises(ImproperlyConfigured, match="transactions_started_anew"):
        verify_server()
    for seal in (batches_due, batch_seal):
        with pytest.raises(TransactionsStartedAnew):
            seal()
    with pytest.raises(DatabaseError, match="transactions_started_anew"):
        factories.sell(contest, point, acknowledged=False)
    with pytest.raises(DatabaseError, match="transactions_started_anew"):
        factories.premises()
    assert tickets() == sold


def everything_is_sealed(folder: Path) -> None:
    """Check that every act is before the last batch's end, and that outside verifiers agree."""
    last = last_batch()
    assert last is not None
    assert not Act.objects.filter(xid__gte=last.end_xid).exists()
    written = StringIO()
    export(written)
    (folder / "journal").write_text(written.getvalue(), "utf-8")
    log = [e.published() for e in LogEntry.objects.select_related("key").order_by("sequence")]
    (folder / "log").write_text("\n".join(map(json.dumps, log)), "utf-8")
    answer = verifier("journal").check(folder / "journal", folder / "log", public_key())
    assert answer.startswith("WHOLE: ")
