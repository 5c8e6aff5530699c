"""Begin lineages: on one server, on one into which a dump was restored; and break what they say."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections
from pytest_django import DjangoDbBlocker

from core.config.startup import verify_server
from core.journal import lineages
from core.journal.acting import acting
from core.journal.export import export
from core.journal.journal_rules import LINEAGE_BEGUN
from core.journal.lineages import lineage_begin
from core.journal.models import Act
from core.journal.rules import broken
from core.journal.services import (
    LineageNotBegun,
    batch_seal,
    batches_due,
    checkpoint_publish,
    last_batch,
)
from core.journal.verifying import Fault, verify
from core.proofs.models import LogEntry
from core.tools.embedded.postgres import SUPERUSER, Postgres
from lototrot.models.contest import Contest
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, meanwhile, seal_all, touched
from tests.support.servers import SMALL, migrate, sell, tickets, to_dump, used
from tests.support.verifying.forging import Refused, public_key, published_log
from tests.support.verifying.load import verifier


def faults() -> list[str]:
    return [detail for _, detail in lineages.faults()]


def owner(statement: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement)


def test_after_a_restore_to_an_earlier_time_numbers_are_of_another_lineage(
    own_database: Database,
) -> None:
    factories.premises()
    seal_all()
    batch = last_batch()
    assert batch is not None
    with pytest.raises(CommandError, match="give the reason"):
        call_command("journal_lineage", begin=" ")
    output = StringIO()
    call_command("journal_lineage", begin="restored to 12:00", stdout=output)
    assert "lineage 1, server " in output.getvalue()
    entry = LogEntry.objects.get(kind=lineages.LINEAGE)
    assert entry.document["batch"] == batch.number
    assert entry.document["digest"] == bytes(batch.digest).hex()
    assert entry.document["before"] == entry.document["server"]
    factories.premises()
    seal_all()
    lineage_begin(reason="and again")
    seal_all()
    assert faults() == []
    assert verify().findings == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT journal_number() >> 44, journal_snapshot()::pg_snapshot IS NOT NULL")
        assert cursor.fetchone() == (2, True)


def test_a_lineage_that_was_not_published_is_published_by_the_next_call(
    own_database: Database,
) -> None:
    seal_all()
    lineages._numbers_set(lineages.state())  # and then the process ends
    missing = lineages.unbegun()
    assert missing is not None and "is not in the public log" in str(missing)
    with pytest.raises(LineageNotBegun):
        batch_seal()
    assert lineage_begin(reason="go on").document["lineage"] == 1
    assert lineages.unbegun() is None
    seal_all()
    assert verify().findings == []


def test_a_sequence_behind_its_table_is_raised_and_no_other(own_database: Database) -> None:
    places = [factories.premises() for _ in range(3)]
    seal_all()
    newest = max(place.pk for place in places)
    owner("SELECT setval(pg_get_serial_sequence('premises_premises', 'id'), 1)")
    owner("SELECT setval(pg_get_serial_sequence('staff_user', 'id'), 5000)")
    lineage_begin(reason="a logical copy leaves sequences behind")
    assert factories.premises().pk == newest + 1
    assert factories.staff().user_id > 5000


def test_a_lineage_that_begins_while_they_are_verified_is_no_fault(own_database: Database) -> None:
    factories.premises()
    seal_all()
    with meanwhile('FROM "proofs_logentry"', lambda: lineage_begin(reason="restored")):
        assert faults() == []
    assert faults() == []


def test_a_lineage_that_is_forged_or_gone_is_named(own_database: Database) -> None:
    factories.premises()
    seal_all()
    lineage_begin(reason="restored")
    seal_all()
    seal_all()
    assignment = "document = jsonb_set(document, '{%s}', '%s') WHERE kind = 'journal.lineage'"
    with as_owner(own_database):
        for change, words in (
            ("SET " + assignment % ("batch", 2), "did not begin after batch 2"),
            ("SET " + assignment % ("digest", '"00"'), "did not begin after batch 1"),
            ("SET " + assignment % ("lineage", 2), "lineage 1 is gone"),
            ("SET kind = 'x.y' WHERE kind = 'journal.lineage'", "was not published"),
        ):
            with touched("proofs_logentry"):
                assert execute(f"UPDATE proofs_logentry {change}") == 1
                assert any(words in each for each in faults()), faults()
                assert Fault.LINEAGE in {each.what for each in verify().findings}
        with touched("journal_batch"):
            execute("UPDATE journal_batch SET end_xid = 500, first_xid = 400 WHERE number = 2")
            assert any("two lineages from one past" in each for each in faults())


def test_another_server_is_refused(own_database: Database) -> None:
    seal_all()
    owner(
        "CREATE OR REPLACE FUNCTION journal_servers() RETURNS text[] LANGUAGE sql STABLE"
        " AS $$ SELECT ARRAY['7'] $$"
    )
    missing = lineages.unbegun()
    assert missing is not None and "is of server 7, and this is" in str(missing)
    with pytest.raises(CommandError, match="lineage_not_begun: "):
        call_command("journal_lineage")


def test_only_a_command_begins_a_lineage(own_database: Database) -> None:
    with acting("journal_seal_post"):
        lineage_begin(reason="by a request")
    assert [(table, row) for table, row, _ in broken(LINEAGE_BEGUN)] == [
        ("proofs_logentry", LogEntry.objects.get(kind=lineages.LINEAGE).pk)
    ]


@pytest.fixture
def servers(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Postgres, Postgres]]:
    """Yield a migrated server that has run many transactions, and a new one."""
    pair = Postgres(tmp_path / "old", SMALL), Postgres(tmp_path / "new", SMALL)
    try:
        with django_db_blocker.unblock():
            migrate(pair[0])
        pair[0].start()
        yield pair
    finally:
        for server in pair:
            server.destroy()


def worked(server: Postgres) -> None:
    """Run transactions that leave no rows."""
    with psycopg.connect(server.url(SUPERUSER), autocommit=True) as session:
        session.execute(
            "DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT;"
            " END LOOP; END $$"
        )


@pytest.mark.servers
@pytest.mark.article("14.III.1.5")
def test_a_restored_dump_goes_on_in_a_lineage_of_its_own(
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
            to_dump(old, new, lambda: None)
        with used(new):
            nothing_can_be_written_and_nobody_is_accused(contest, point, sold)
            call_command("journal_lineage", begin="restored from a dump", stdout=StringIO())
            verify_server()
            assert verify().findings == []
            call_command("migrate", database="owner", interactive=False, verbosity=0)
            verify_server()
            sold |= sell(contest, point, 5)
            seal_all()
            assert tickets() == sold
            assert verify().findings == []
            numbers_are_of_the_lineage()
            rounds.books_agree()
            journal = exported(tmp_path / "journal")
            answer = checked(journal, tmp_path / "log")
            assert answer.startswith("WHOLE: ")
        with used(old):  # it goes on as well: two servers from one past
            sell(contest, point, 5)
            seal_all()
            checkpoint_publish(number=newest())
            with pytest.raises(Refused, match="two lineages from one past"):
                checked(journal, tmp_path / "other")


def nothing_can_be_written_and_nobody_is_accused(
    contest: Contest, point: factories.Point, sold: set[object]
) -> None:
    assert tickets() == sold
    findings = verify().findings
    assert [each.what for each in findings] == [Fault.UNBEGUN], {each.detail for each in findings}
    output = StringIO()
    with pytest.raises(CommandError, match="nothing was changed, and nothing can be written"):
        call_command("journal_verify", stdout=output)
    assert output.getvalue().startswith("lineage_not_begun: ")
    with pytest.raises(ImproperlyConfigured, match="lineage_not_begun"):
        verify_server()
    with pytest.raises(CommandError, match=r"this is server \d+: run journal_lineage --begin"):
        call_command("journal_lineage")
    for seal in (batches_due, batch_seal):
        with pytest.raises(LineageNotBegun):
            seal()
    with pytest.raises(DatabaseError, match="lineage_not_begun"):
        factories.sell(contest, point, acknowledged=False)
    with pytest.raises(DatabaseError, match="lineage_not_begun"):
        factories.premises()
    assert tickets() == sold


def numbers_are_of_the_lineage() -> None:
    """Check that later acts have numbers of lineage 1, and that every act is in a batch."""
    last, now = last_batch(), lineages.state()
    assert last is not None
    assert not Act.objects.filter(xid__gte=last.end_xid).exists()
    assert (now.lineage, now.servers[-1]) == (1, now.server)
    assert now.next >> lineages.LINEAGE_BITS == 1
    # The server's own counter was not touched: it is far below that of the old server.
    assert now.next % (1 << lineages.LINEAGE_BITS) < 20_000


def newest() -> int:
    last = last_batch()
    assert last is not None
    return last.number


def exported(file: Path) -> Path:
    written = StringIO()
    export(written)
    file.write_text(written.getvalue(), "utf-8")
    return file


def checked(journal: Path, log: Path) -> str:
    log.write_text("\n".join(map(json.dumps, published_log())), "utf-8")
    answer: str = verifier("journal").check(journal, log, public_key())
    return answer
