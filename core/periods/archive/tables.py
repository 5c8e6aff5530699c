"""Define what an app contributes to the archive of a closed period: its tables, and their rows.

An app lists its tables as `ARCHIVE_TABLES` in its `period_parts.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.contributions import contributed_by_name


@dataclass(frozen=True, slots=True)
class ArchiveTable:
    """A table of which the archive of a period has rows, by id.

    `where` is SQL on the row as t, with the parameters `number`, `first` and `last` (days), `since`
    and `until` (instants), `after` and `up_to` (ids of transfers), `opened` (the last transfer
    before the first one of the period). `columns` are the only ones that are written, where the
    others are secret or of persons; empty: all of them.

    The rows of a table with `stays` may be retired. Then `where` is not used: the archive of a
    period has all rows after those of the archive before, up to, but not including, the first one
    for which `stays` holds: that it is of a later day than `last`. So the ids of all retired rows
    are one range from the first one on, whatever was written in between. `held` is SQL of the rows
    on which somebody may still have a right: with one of them, none is retired.
    """

    name: str
    where: str = ""
    columns: tuple[str, ...] = ()
    stays: str = ""
    held: str = "false"

    @property
    def retires(self) -> bool:
        return bool(self.stays)


def archive_tables() -> Sequence[ArchiveTable]:
    """Return the tables of all apps, sorted by name. Raises ContributedTwice."""
    tables = contributed_by_name("period_parts", "ARCHIVE_TABLES")
    return [table for _, table in sorted(tables.items())]
