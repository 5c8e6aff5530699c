"""Define what an app contributes to the archive of a closed period: its tables, and their rows.

An app lists its tables as `ARCHIVE_TABLES` in its `period_parts.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.contributions import contributed_by_name


@dataclass(frozen=True, slots=True)
class ArchiveTable:
    """A table of which the archive of a period has rows, by id."""

    name: str
    where: str = ""
    """SQL on the row as t, with the parameters `number`, `first` and `last` (days), `since` and
    `until` (instants), `after` and `up_to` (ids of transfers)."""
    columns: tuple[str, ...] = ()
    """The columns that are written, or all if it is empty. Others are secret, or of persons."""
    stays: str = ""
    """SQL that is true of a row of a later day than `last`; with it, rows of the table may retire.

    The archive of a period then has the rows of `where`, and all rows between the range of the
    archive before and the first row for which `stays` is true. So the ids of all retired rows are
    one range from the first one on, whatever was written in between. Where the database has a
    function `<name>_leaves(bigint)`, it says of each row of the range whether the row leaves; the
    others stay for good. A function `<name>_staying(bigint, bigint)` returns those of a range that
    stay. Without either all of them leave."""
    held: str = ""
    """SQL of the rows of an archive on which somebody may still have a right.

    With one such row, no row of the period is retired. The table itself need not retire. A request
    runs this SQL, so it must find a row, or none, without reading all of them."""
    after: tuple[str, ...] = ()
    """Other tables that retire, whose ranges end first: `stays` may read the last row of each as
    `%(last_<name>)s`. Their rows are deleted before the rows of this table."""
    with_rows: str = ""
    """Another table: the rows of this one, each of which names its own there by `with_column`,
    leave in the same statement as those, as the database takes them. Both tables have a function
    `<name>_leaves`, by which neither row leaves without the other."""
    with_column: str = ""
    last: bool = False
    """Whether the table comes behind all others that retire. Its `stays` may read `%(later_xid)s`:
    the first transaction of a row after the range of one of them."""
    acts_stay: bool = False
    """Whether the acts of its rows stay for good. The database has a function
    `<name>_acts(bigint, bigint)`, which returns those of rows that left."""
    key: str = "id"
    """The column of the primary key."""
    claimed_as: str = ""
    """The game under which the prize office's claims name rows of this table, by id."""

    @property
    def retires(self) -> bool:
        return bool(self.stays)


def archive_tables() -> Sequence[ArchiveTable]:
    """Return the tables of all apps, sorted by name. Raises ContributedTwice."""
    tables = contributed_by_name("period_parts", "ARCHIVE_TABLES")
    return [table for _, table in sorted(tables.items())]


def retiring_tables() -> Sequence[ArchiveTable]:
    """Return the tables whose rows may be retired, each behind those that it comes after."""
    retiring = [table for table in archive_tables() if table.retires]
    waiting = [table for table in retiring if not table.last]
    ordered: list[ArchiveTable] = []
    while waiting:
        done = {table.name for table in ordered}
        ready = [table for table in waiting if done.issuperset(table.after)]
        if not ready:
            raise ValueError("tables that retire come after each other in a circle, or after none")
        ordered += ready
        waiting = [table for table in waiting if table not in ready]
    return ordered + [table for table in retiring if table.last]


def taken_with(table: ArchiveTable) -> list[ArchiveTable]:
    """Return the tables whose rows leave with those of a table, in the same statement."""
    return [other for other in retiring_tables() if other.with_rows == table.name]
