"""verify/archived/journal.py: the batches of an archive and what they sealed, on changed copies."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from core.periods.archive.removing import retired_remove
from core.periods.models import ClosedPeriod
from tests.core.periods.archive.conftest import month_of, retired
from tests.support import databases
from tests.support.verifying.forging import Refused, public_key, published_log, written
from tests.support.verifying.load import verifier
from tests.verify.test_archive import Change, rewritten

archive, journal = verifier("archive"), verifier("archived.journal")
PRINTS, BLOCKS, BATCHES = (
    f"{name}.jsonl.gz" for name in ("lototrot_printconfirmation", "journal_block", "journal_batch")
)


@pytest.fixture(scope="module")
def archives(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Path, str, str]]:
    """The archive of March with three batches, of which rows left; the public log, and its key."""
    folder = tmp_path_factory.mktemp("archives")
    with django_db_blocker.unblock(), databases.clone():
        month_of(batches=True)
        retired(ClosedPeriod.objects.get(), folder)
        retired_remove()
        yield folder / "2030-03", written(folder, "log.jsonl", published_log()), public_key()


def read(folder: Path, archives: tuple[Path, str, str]) -> object:
    """Read the batches of an archive, and compare what they sealed with its rows."""
    log = archive.Log(*archives[1:])
    closing = log.document("periods.closed", "period:2030-03")
    own = journal.Journal(archive.Archive(str(folder)), closing, None)
    for each in log.document("periods.retired", "period:2030-03")["tables"]:
        own.check_rows(each["table"], each["last_batch"], ())
    return own


def replaced(old: str, new: str) -> Change:
    def change(lines: list[str]) -> list[str]:
        assert any(old in line for line in lines)
        return [line.replace(old, new) for line in lines]

    return change


LIES: list[tuple[str, Change, str]] = [
    (BATCHES, lambda lines: lines[1:], r"journal_batch 2\.number"),
    (BATCHES, lambda lines: lines[:-1], "of batches that are not there"),
    (BATCHES, replaced('"first_xid": 0', '"first_xid": 1'), r"journal_batch 1\.digest"),
    (BLOCKS, lambda lines: lines[1:], "not the next one of its batch"),
    (BLOCKS, replaced('"rows": 1,', '"rows": 2,'), "not 2 entries"),
    (PRINTS, lambda lines: lines[1:], "sealed, and not in the archive as it was"),
    (PRINTS, replaced("2030-03", "2030-04"), "not in the archive as it was|and not sealed"),
]


@pytest.mark.parametrize(("file", "change", "by"), LIES)
def test_batches_and_rows_that_are_not_those_of_the_month_are_refused(
    archives: tuple[Path, str, str], tmp_path: Path, file: str, change: Change, by: str
) -> None:
    copy = Path(shutil.copytree(archives[0], tmp_path / "2030-03"))
    rewritten(copy, file, change)
    with pytest.raises(Refused, match=by):
        read(copy, archives)


def test_rows_of_batches_that_a_retirement_names_are_those_of_the_archive(
    archives: tuple[Path, str, str],
) -> None:
    assert "WHOLE" in archive.check(*map(str, archives))
    own = read(archives[0], archives)
    retires = {"first_row": 1, "last_row": 1}
    assert isinstance(own, journal.Journal)
    with pytest.raises(Refused, match=r"row \d+ was not retired, and batch 3 sealed it"):
        list(own.sealed("lototrot_printconfirmation", 3, retires))
    assert len(list(own.sealed("lototrot_printconfirmation", 2, retires))) == 1
