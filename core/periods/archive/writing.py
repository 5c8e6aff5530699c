"""Archive a closed period: write its files, verify them, and put on record that they are there.

The folder of an archive appears whole or not at all: its files are written into another folder,
which is renamed when all of them are on the disk. Who archives a period again gets the same bytes;
other ones are refused.
"""

import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.database.management.on_disk import names_keep
from core.database.reading.standby import read_much
from core.kernel.canonical import canonical_sha256
from core.kernel.errors import Conflict, InvariantBroken, NotFound
from core.periods.archive.files import files_check, write_files
from core.periods.models import Archive, ClosedPeriod, Retirement


class PeriodNotClosed(NotFound):
    code = "period_not_closed"
    message = "That month is not closed."


class ArchiveOutOfOrder(Conflict):
    """`data["first_day"]` is that of the period to archive first."""

    code = "archive_out_of_order"
    message = "The month before is not archived yet."


class PeriodRetired(Conflict):
    code = "period_retired"
    message = "That month was retired; its archive stays as it is."


class ArchiveDiffers(InvariantBroken):
    code = "archive_differs"
    message = "There is another archive of that month, with other contents."


def closed_period(name: str) -> ClosedPeriod:
    """Return the closed period of a month, YYYY-MM. Raises PeriodNotClosed."""
    for period in ClosedPeriod.objects.all():
        if str(period) == name:
            return period
    raise PeriodNotClosed(month=name)


def archive_write(*, period: ClosedPeriod, folder: Path) -> Archive:
    """Write the archive of a period as a folder of that folder, and record it.

    An archive that is there already is compared with what is written now. Raises
    PeriodRetired, ArchiveOutOfOrder, PeriodNotAsPublished, ArchiveDiffers, ArchiveUnsound, OSError.
    """
    if Retirement.objects.filter(period=period).exists():
        raise PeriodRetired(first_day=period.first_day.isoformat())
    before = _archive_before(period)
    final = folder / str(period)
    part = Path(tempfile.mkdtemp(prefix=f".{period}.", dir=folder))
    try:
        read_much(functools.partial(write_files, period, before, part))
        manifest = files_check(part)
        _put(part, final, manifest)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return _recorded(period, manifest, str(final))


def _archive_before(period: ClosedPeriod) -> Archive | None:
    if period.number == 1:
        return None
    before = Archive.objects.filter(period__number=period.number - 1).first()
    if before is None:
        first = ClosedPeriod.objects.get(number=period.number - 1).first_day
        raise ArchiveOutOfOrder(first_day=first.isoformat())
    return before


def _put(part: Path, final: Path, manifest: dict[str, Any]) -> None:
    """Give the folder its name, or compare it with the one that has that name. Raises
    ArchiveDiffers, ArchiveUnsound.
    """
    names_keep(part)
    try:
        part.rename(final)
    except OSError:
        if not final.is_dir():
            raise
        if files_check(final) != manifest:
            raise ArchiveDiffers(folder=str(final)) from None
    names_keep(final.parent)


@transaction.atomic
def _recorded(period: ClosedPeriod, manifest: dict[str, Any], place: str) -> Archive:
    hold((Lock.PERIOD, 0))
    digest = canonical_sha256(manifest).hex()
    archive, _ = Archive.objects.get_or_create(
        period=period,
        defaults={
            "sha256": digest,
            "manifest": manifest,
            "place": place[:200],
            "written_at": clock.now(),
        },
    )
    if archive.sha256 != digest:
        raise ArchiveDiffers(folder=place)
    return archive
