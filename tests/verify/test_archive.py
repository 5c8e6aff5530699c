"""Run verify/archive.py on a real archive, and on copies that were changed."""

import gzip
import hashlib
import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from core.journal.acting import name_process
from core.kernel.canonical import canonical_bytes
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod
from tests.core.periods.conftest import closed, march_ended
from tests.support import databases
from tests.support.verifying.forging import (
    Refused,
    forged,
    public_key,
    published_log,
    quick_signatures,
    written,
)
from tests.support.verifying.load import FOLDER, verifier

archive, archived = verifier("archive"), verifier("archived.files")
PRINTS = "lototrot_printconfirmation.jsonl.gz"
TICKETS, TRANSFERS = "lototrot_ticket.jsonl.gz", "ledger_transfer.jsonl.gz"


@pytest.fixture(scope="module")
def archives(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Path, str, str]]:
    """The archives of March and April, the public log, and its key."""
    folder = tmp_path_factory.mktemp("archives")
    with django_db_blocker.unblock(), databases.clone():
        march_ended()
        closed()
        closed()
        name_process("command:period_archive")
        for period in ClosedPeriod.objects.order_by("number"):
            archive_write(period=period, folder=folder)
        yield folder, written(folder, "log.jsonl", published_log()), public_key()


@pytest.fixture
def copy(archives: tuple[Path, str, str], tmp_path: Path) -> Path:
    """A copy of March, to be changed."""
    return Path(shutil.copytree(archives[0] / "2030-03", tmp_path / "2030-03"))


def test_real_archives_are_whole(archives: tuple[Path, str, str]) -> None:
    folder, log, keys = archives
    assert "WHOLE: 2030-03" in archive.check(str(folder / "2030-03"), log, keys)
    command = [sys.executable, str(FOLDER / "archive.py"), str(folder / "2030-04"), log, keys]
    output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "WHOLE: 2030-04, 0 transfers and 0 tickets" in output


def refused(copy: Path, archives: tuple[Path, str, str], by: str) -> None:
    with pytest.raises(Refused, match=by):
        archive.check(str(copy), *archives[1:])


def test_a_changed_byte_of_any_file_is_refused(archives: tuple[Path, str, str], copy: Path) -> None:
    for path in sorted(copy.iterdir()):
        content = path.read_bytes()
        # What a manifest says of a column in words follows from nothing: take a digest of it.
        packed = path.suffix == ".gz"
        digest = content.find(b'"sha256":"') + len('"sha256":"')
        for at in (len(content) // 2, 9) if packed else (digest, 1):
            path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            refused(copy, archives, "manifest.json|not the bytes of the manifest|sha256")
        path.write_bytes(content)
    archive.check(str(copy), *archives[1:])


def _without_a_line(content: bytes) -> bytes:
    lines = gzip.decompress(content).splitlines(keepends=True)
    return gzip.compress(b"".join(lines[1:]), mtime=0)


HARM: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "cut by a byte": lambda content: content[:-1],
    "twice": lambda content: content * 2,
    "a byte more": lambda content: content + b"\0",
    "a line less": _without_a_line,
}


@pytest.mark.parametrize("harm", HARM)
def test_each_harmed_file_is_refused_by_its_name(
    archives: tuple[Path, str, str], copy: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    """A copy rots, or is cut, or two files change places: whose copy it is must know which."""
    log = archive.Log(*archives[1:])
    monkeypatch.setattr(archive, "Log", lambda *_: log)
    for path in sorted(copy.iterdir()):
        content = path.read_bytes()
        if harm == "a line less" and path.suffix != ".gz":
            continue
        path.write_bytes(HARM[harm](content))
        if path.read_bytes() != content:  # a table without rows has no line to lose
            refused(copy, archives, rf"^{path.name}")
        path.write_bytes(content)
    assert "WHOLE" in archive.check(str(copy), *archives[1:])


def test_files_that_changed_places_are_refused_by_name(
    archives: tuple[Path, str, str], copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = archive.Log(*archives[1:])
    monkeypatch.setattr(archive, "Log", lambda *_: log)
    paths = sorted(copy.iterdir())
    for one, other in itertools.pairwise(paths):
        ours, theirs = one.read_bytes(), other.read_bytes()
        if ours == theirs:
            continue
        one.write_bytes(theirs)
        other.write_bytes(ours)
        refused(copy, archives, rf"^({one.name}|{other.name})")
        one.write_bytes(ours)
        other.write_bytes(theirs)


def test_a_missing_or_foreign_file_is_refused(archives: tuple[Path, str, str], copy: Path) -> None:
    (copy / "more").touch()
    refused(copy, archives, "more: missing, or not of the archive")
    (copy / "more").unlink()
    shutil.copy(archives[0] / "2030-04" / TICKETS, copy / TICKETS)
    refused(copy, archives, f"{TICKETS}: not the bytes")
    (copy / TICKETS).unlink()
    refused(copy, archives, f"{TICKETS}: missing")
    shutil.copy(archives[0] / "2030-03" / TICKETS, copy / TICKETS)
    shutil.copy(archives[0] / "2030-04" / "manifest.json", copy / "manifest.json")
    refused(copy, archives, "not the bytes")
    (copy / "manifest.json").unlink()
    refused(copy, archives, "manifest.json: missing")


Change = Callable[[list[str]], list[str]]


def rewritten(copy: Path, file: str, change: Change, *, entries: bool = True) -> None:
    """Change lines of a file as a liar would who makes the manifest fit them.

    Without `entries` the digest of the rows that may leave stays as it was.
    """
    lines = change(gzip.decompress((copy / file).read_bytes()).decode().splitlines())
    content = "".join(f"{line}\n" for line in lines).encode()
    packed = gzip.compress(content, mtime=0)
    (copy / file).write_bytes(packed)
    manifest = json.loads((copy / "manifest.json").read_bytes())
    (table,) = (table for table in manifest["tables"] if table["file"] == file)
    table |= {
        "rows": len(lines),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "file_sha256": hashlib.sha256(packed).hexdigest(),
    }
    if entries and table["retires"]:
        rows = [(json.loads(line), line.encode()) for line in lines]
        sealed = b"".join(archived.sealed(row, line) for row, line in rows)
        digest = hashlib.sha256(sealed).hexdigest()
        table["retires"] |= {"rows": len(rows), "entries_sha256": digest}
    (copy / "manifest.json").write_bytes(canonical_bytes(manifest) + b"\n")


LIES: list[tuple[str, Change, str]] = [
    (TICKETS, lambda lines: lines[1:], "periods.closed, contest"),
    (TICKETS, lambda lines: [each.replace('"bets": ', '"bets": 1') for each in lines], "root"),
    (
        TICKETS,
        lambda lines: [each.replace('"amount_cents"', '"amount"') for each in lines],
        f"{TICKETS}, line 1: .* another form .KeyError: 'amount_cents'",
    ),
    (
        TICKETS,
        lambda lines: [each.replace('"bets": ', '"bets": -') for each in lines],
        f"{TICKETS}, line 1: .* another form .OverflowError",
    ),
    (TRANSFERS, lambda lines: lines[:-1], "periods.closed.transfers"),
    (TRANSFERS, lambda lines: [*lines, lines[-1]], "periods.closed.transfers"),
    ("ledger_account.jsonl.gz", lambda lines: lines[1:], "account that is not there|balances"),
    ("periods_periodbalance.jsonl.gz", lambda lines: lines[1:], "not what the transfers leave"),
    ("premises_terminal.jsonl.gz", lambda lines: [], "terminal that are not there"),
    (
        PRINTS,
        lambda lines: [each.replace("2030-03", "2030-04") for each in lines],
        "entries_sha256",
    ),
    (
        TICKETS,
        lambda lines: [each.replace('"bets": ', '"bets": 1') for each in lines],
        "entries_sha256",
    ),
    (
        TICKETS,
        lambda lines: [each.replace('"contest_id": 1', '"contest_id": 2') for each in lines],
        "periods.closed, contest",
    ),
]


@pytest.mark.parametrize(("file", "change", "by"), LIES)
def test_rows_that_differ_from_what_was_published_are_refused(
    archives: tuple[Path, str, str], copy: Path, file: str, change: Change, by: str
) -> None:
    rewritten(copy, file, change, entries=by != "entries_sha256")
    refused(copy, archives, by)


def test_a_month_that_is_left_out_is_missed(archives: tuple[Path, str, str]) -> None:
    """A closing that says nothing of the month before would hide what it moved."""
    _, file, _ = archives
    log = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]
    march, april = (each for each in log if each["kind"] == "periods.closed")
    for about, lie, why in (
        (march, {"first_day": "2030-02-01", "last_day": "2030-02-28"}, "not the next whole month"),
        (march, {"last_day": "2030-03-30"}, "not the next whole month"),
        (march, {"first_day": "2030-03-02"}, "not the next whole month"),
        (march, {"number": 2}, "number: should be 1"),
        (april, {"number": 3}, "number: should be 2"),
    ):
        closings = [each["document"] | (lie if each is about else {}) for each in (march, april)]
        with pytest.raises(Refused, match=why):
            archived.in_succession(closings)
    assert archived.in_succession([march["document"], april["document"]]).keys() == {1, 2}


def test_an_archive_after_a_month_that_was_never_closed_is_refused(
    archives: tuple[Path, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, file, keys = archives
    log = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]
    quick_signatures(monkeypatch)
    march = next(each for each in log if each["kind"] == "periods.closed")["document"]
    february = march | {"first_day": "2030-02-01", "last_day": "2030-02-28"}
    lying = written(tmp_path, "lying.jsonl", forged(log, "periods.closed", february))
    with pytest.raises(Refused, match="not the next whole month"):
        archive.check(str(folder / "2030-04"), lying, keys)
