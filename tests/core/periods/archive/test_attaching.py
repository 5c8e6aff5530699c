"""An archive is loaded again for an inquiry: verified, whole, and never written."""

import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, transaction

from core.ledger.models import Transfer
from core.periods.archive.attaching import (
    ArchiveAttached,
    ArchiveBusy,
    ArchiveNotAttached,
    attach,
    detach,
)
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod
from lototrot.models.tickets import Ticket
from tests.support.concurrency.sales import together


def test_an_archive_is_attached_read_and_dropped(
    month: ClosedPeriod, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive_write(period=month, folder=tmp_path)
    ticket = Ticket.objects.order_by("pk")[0]
    with pytest.raises(CommandError, match="archive_not_attached"):
        call_command("period_look", "2030-03", str(ticket.uuid))
    call_command("period_attach", str(tmp_path / "2030-03"))
    with pytest.raises(CommandError, match="archive_attached"):
        call_command("period_attach", str(tmp_path / "2030-03"))
    capsys.readouterr()
    call_command("period_look", "2030-03", str(ticket.uuid))
    tables = [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()]
    moved = Transfer.objects.filter(reference=ticket.uuid).count()
    assert tables.count("ledger_transfer") == moved > 0
    assert {"lototrot_ticket", "lototrot_printconfirmation"} <= set(tables)
    with pytest.raises(CommandError, match="nothing of that month"):
        call_command("period_look", "2030-03", "00000000-0000-4000-8000-000000000000")
    _is_only_read()
    call_command("period_attach", "2030-03", "--drop")
    for again in (["period_attach", "2030-03", "--drop"], ["period_attach", "nonsense", "--drop"]):
        with pytest.raises(CommandError, match="archive_not_attached"):
            call_command(*again)


def _is_only_read() -> None:
    table = "archive_2030_03.lototrot_ticket"
    for alias in ("default", "owner"):
        for statement in (f"UPDATE {table} SET bets = 2", f"TRUNCATE {table}"):
            with (
                pytest.raises(DatabaseError, match=r"permission denied|append-only"),
                transaction.atomic(using=alias),
                connections[alias].cursor() as cursor,
            ):
                cursor.execute(statement)


def test_what_was_changed_or_is_another_archive_is_not_attached(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=month, folder=tmp_path)
    path = tmp_path / "2030-03" / "lototrot_ticket.jsonl.gz"
    content = path.read_bytes()
    path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    with pytest.raises(CommandError, match="archive_unsound"):
        call_command("period_attach", str(tmp_path / "2030-03"))
    path.write_bytes(content)
    manifest = tmp_path / "2030-03" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"says":"bets"', '"says":"stakes"'))
    with pytest.raises(CommandError, match="archive_differs"):
        call_command("period_attach", str(tmp_path / "2030-03"))
    shutil.rmtree(tmp_path / "2030-03")
    with pytest.raises(CommandError, match="archive_unsound"):
        call_command("period_attach", str(tmp_path / "2030-03"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regnamespace('archive_2030_03')")
        assert cursor.fetchone() == (None,)


def test_of_two_that_attach_a_month_at_once_one_does(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=own_month, folder=tmp_path)
    outcomes = together(*[lambda: attach(tmp_path / "2030-03")] * 2)
    done = [each for each in outcomes if each == "archive_2030_03"]
    refused = [each for each in outcomes if isinstance(each, ArchiveBusy | ArchiveAttached)]
    assert (len(done), len(refused)) == (1, 1), outcomes
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM archive_2030_03.lototrot_ticket")
        assert cursor.fetchone() == (Ticket.objects.count(),)
    outcomes = together(*[lambda: detach("2030-03")] * 2)
    refused = [each for each in outcomes if isinstance(each, ArchiveBusy | ArchiveNotAttached)]
    assert (outcomes.count(None), len(refused)) == (1, 1), outcomes
