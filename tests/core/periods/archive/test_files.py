"""The files of an archive: described, read again to their ends, and refused where they differ."""

import json
from pathlib import Path

import pytest

from core.periods.archive.files import MANIFEST, ArchiveUnsound, files_check, lines_of
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod


def test_each_column_is_described_and_secrets_are_left_out(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    archive = archive_write(period=month, folder=tmp_path)
    described = {
        table["table"]: {column["name"]: column for column in table["columns"]}
        for table in archive.manifest["tables"]
    }
    assert described["lototrot_ticket"]["bets"] == {
        "name": "bets",
        "type": "integer",
        "says": "bets",
    }
    assert set(described["premises_terminal"]) == {"id", "code", "premises_id"}
    for table, columns in described.items():
        for line in lines_of(tmp_path / "2030-03" / f"{table}.jsonl.gz"):
            assert json.loads(line).keys() <= columns.keys()


def test_what_was_changed_or_is_missing_is_named(month: ClosedPeriod, tmp_path: Path) -> None:
    archive_write(period=month, folder=tmp_path)
    folder = tmp_path / "2030-03"
    for path in (folder / "lototrot_ticket.jsonl.gz", folder / MANIFEST):
        content = path.read_bytes()
        for bad in (content[:-1], content[: len(content) // 2], b""):
            path.write_bytes(bad)
            with pytest.raises(ArchiveUnsound) as refused:
                files_check(folder)
            assert refused.value.data["file"] == path.name
        path.write_bytes(content)
    (folder / "more").touch()
    with pytest.raises(ArchiveUnsound, match="not as it was written"):
        files_check(folder)
