"""Tables that retire are taken behind those that name their rows."""

import pytest

from core.periods.archive import tables
from core.periods.archive.tables import ArchiveTable, retiring_tables


def test_prints_come_before_tickets() -> None:
    names = [table.name for table in retiring_tables()]
    assert names.index("lototrot_printconfirmation") < names.index("lototrot_ticket")


def test_each_table_comes_behind_the_one_it_is_after(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = [
        ArchiveTable("a", stays="false", after=("b",)),
        ArchiveTable("b", stays="false", after=("c",)),
        ArchiveTable("c", stays="false"),
        ArchiveTable("d", "true"),
    ]
    monkeypatch.setattr(tables, "archive_tables", lambda: declared)
    assert [table.name for table in retiring_tables()] == ["c", "b", "a"]
    for wrong in (ArchiveTable("c", stays="false", after=("a",)), ArchiveTable("c", "true")):
        declared[2] = wrong  # a circle; or after a table that does not retire
        with pytest.raises(ValueError, match="circle"):
            retiring_tables()
