"""The archive of a retired month names the rows that are not as they were sealed."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from core.journal.verifying import Fault
from core.periods.archive.files import ArchiveUnsound
from core.periods.archive.naming import rows_named
from core.periods.models import ClosedPeriod
from tests.core.periods.archive.test_entries import forced
from tests.core.periods.archive.test_retiring import removed


def test_each_row_that_differs_is_named_by_the_files(
    sealed_month_retired: ClosedPeriod, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    removed()
    folder = tmp_path / "2030-03"
    call_command("period_rows", str(folder))
    assert "every row is as it was sealed" in capsys.readouterr().out
    forced("UPDATE lototrot_ticket SET bets = bets + 1 WHERE id = 2")
    forced("DELETE FROM lototrot_settlementcategory WHERE id = 1")
    forced(
        "UPDATE premises_operatorsession SET journal_xid ="
        " (SELECT first_xid FROM journal_batch WHERE number = 1)"
    )
    named = {(each.what, each.table, each.row) for each in rows_named(folder)}
    assert named >= {
        (Fault.ROW_CHANGED, "lototrot_ticket", 2),
        (Fault.ROW_REMOVED, "lototrot_settlementcategory", 1),
    }
    assert (Fault.ROW_ADDED, "premises_operatorsession") in {each[:2] for each in named}
    with pytest.raises(CommandError, match="rows are not as they were sealed"):
        call_command("period_rows", str(folder))
    forced("UPDATE journal_block SET sha256 = sha256('x') WHERE batch_id = 2 AND position = 1")
    with pytest.raises(ArchiveUnsound) as raised:  # files of another journal name nothing
        rows_named(folder)
    assert raised.value.data["why"] == "batch 2"
    (folder / "journal_block.jsonl.gz").unlink()
    with pytest.raises(CommandError, match="archive_unsound"):
        call_command("period_rows", str(folder))
