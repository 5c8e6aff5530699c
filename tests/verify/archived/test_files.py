"""Check verify/archived/files.py: a small archive, and lineages that must have one past."""

import gzip
import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.kernel.canonical import canonical_bytes
from tests.support.verifying.forging import Refused
from tests.support.verifying.load import verifier

archived = verifier("archived.files")
ROWS = [{"id": number, "journal_xid": 70 + number} for number in (1, 2, 3)]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def archive(folder: Path, **changes: Any) -> Path:
    """Write an archive of one table with three rows, of which the second may leave."""
    lines = [json.dumps(row).encode() + b"\n" for row in ROWS]
    content = b"".join(lines)
    packed = gzip.compress(content, mtime=0)
    (folder / "t.jsonl.gz").write_bytes(packed)
    retires = {"first_row": 2, "last_row": 2, "rows": 1}
    retires["entries_sha256"] = sha256(archived.sealed(ROWS[1], lines[1]))
    table = {"table": "t", "file": "t.jsonl.gz", "rows": 3, "bytes": len(content)}
    table |= {"sha256": sha256(content), "file_sha256": sha256(packed), "retires": retires}
    table |= {"columns": [{"name": "id", "type": "bigint", "says": ""}]} | changes
    manifest = {"format": "trot-archive-1", "number": 1, "first_day": "2030-03-01"}
    manifest |= {"last_day": "2030-03-31", "closing_sha256": "0f" * 32, "tables": [table]}
    (folder / "manifest.json").write_bytes(canonical_bytes(manifest) + b"\n")
    return folder


def test_an_archive_gives_its_rows(tmp_path: Path) -> None:
    files = archived.Archive(str(archive(tmp_path)))
    assert [*files.rows("t")] == ROWS
    assert files.leaving("t") == range(2, 3)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"rows": 2}, r"t\.jsonl\.gz\.rows: should be 3"),
        ({"bytes": 1}, r"t\.jsonl\.gz\.bytes"),
        ({"sha256": "0f" * 32}, r"t\.jsonl\.gz\.sha256"),
        ({"file_sha256": "0f" * 32}, "not the bytes of the manifest"),
        ({"file": "u.jsonl.gz"}, "t.jsonl.gz: missing, or not of the archive"),
        ({"more": 1}, r"manifest\.json\.tables\[0\]\.more"),
    ],
)
def test_a_manifest_that_says_otherwise_is_refused(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(Refused, match=why):
        [*archived.Archive(str(archive(tmp_path, **changes))).rows("t")]


SPOILERS: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: (folder / "manifest.json").unlink(), "manifest.json: missing"),
    (lambda folder: (folder / "manifest.json").write_bytes(b"\xff"), "manifest.json: not UTF-8"),
    (lambda folder: (folder / "more").touch(), "more: missing, or not of the archive"),
    (lambda folder: (folder / "t.jsonl.gz").unlink(), "t.jsonl.gz: missing"),
    (
        lambda folder: (folder / "manifest.json").write_bytes(
            (folder / "manifest.json").read_bytes() + b"\n"
        ),
        "not canonical JSON",
    ),
    (
        lambda folder: (folder / "manifest.json").write_bytes(
            (folder / "manifest.json").read_bytes().replace(b'"number":1', b'"number":1,"number":1')
        ),
        "manifest.json",
    ),
]


@pytest.mark.parametrize(("spoil", "why"), SPOILERS)
def test_a_spoilt_folder_is_refused(
    tmp_path: Path, spoil: Callable[[Path], object], why: str
) -> None:
    spoil(archive(tmp_path))
    with pytest.raises(Refused, match=why):
        archived.Archive(str(tmp_path))


@pytest.mark.parametrize("other", ["table", "file"])
def test_a_table_or_file_that_is_named_twice_is_refused(tmp_path: Path, other: str) -> None:
    """One of two tables of a name would be read by nobody."""
    manifest = json.loads((archive(tmp_path) / "manifest.json").read_bytes())
    (table,) = manifest["tables"]
    manifest["tables"].append(table | {other: "u"})
    (tmp_path / "manifest.json").write_bytes(canonical_bytes(manifest) + b"\n")
    if other == "file":
        (tmp_path / "u").touch()
    with pytest.raises(Refused, match=r"manifest\.json: a table or a file is named twice"):
        archived.Archive(str(tmp_path))


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    file = archive(tmp_path) / "t.jsonl.gz"
    file.unlink()
    file.mkdir()
    with pytest.raises(Refused, match=r"t\.jsonl\.gz: not a file"):
        archived.Archive(str(tmp_path))


def test_no_more_is_unpacked_than_the_manifest_says(tmp_path: Path) -> None:
    """A small file may hold a line that no memory holds."""
    bomb = gzip.compress(bytes(50_000_000), mtime=0)
    folder = archive(tmp_path, file_sha256=sha256(bomb))
    (folder / "t.jsonl.gz").write_bytes(bomb)
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match=r"t\.jsonl\.gz\.bytes: more than"):
            [*archived.Archive(str(folder)).rows("t")]
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("line", [b"[1]\n", b"NaN\n", b"[" * 100_000 + b"\n"])
def test_a_row_that_is_no_object_is_refused(tmp_path: Path, line: bytes) -> None:
    packed = gzip.compress(line, mtime=0)
    folder = archive(tmp_path, file_sha256=sha256(packed), bytes=len(line))
    (folder / "t.jsonl.gz").write_bytes(packed)
    with pytest.raises(Refused, match=r"t\.jsonl\.gz: "):
        [*archived.Archive(str(folder)).rows("t")]


def test_a_file_that_ends_early_is_refused(tmp_path: Path) -> None:
    short = gzip.compress(b'{"id": 1}\n', mtime=0)[:-9]
    folder = archive(tmp_path, file_sha256=sha256(short))
    (folder / "t.jsonl.gz").write_bytes(short)
    with pytest.raises(Refused, match="cannot be read"):
        [*archived.Archive(str(folder)).rows("t")]


def test_the_key_of_a_row_is_its_id_or_what_stands_for_it() -> None:
    assert archived.key_of({"ticket_id": 4, "journal_xid": 9}) == 4
    assert archived.key_of({"journal_xid": 9}) == 9
    assert archived.key_of({"other": 1}) is None


BITS = archived.LINEAGE_BITS
DIGESTS, LINEAGES = {1: "a", 2: "b", 3: "c"}, {1: 0, 2: 0, 3: 1}
SAID = {"lineage": 1, "batch": 2, "digest": "b"}


def test_a_batch_is_of_the_lineage_of_its_last_transaction() -> None:
    ends = (0, 1, 1 << BITS, (1 << BITS) + 1, 2 << BITS)
    assert [archived.lineage_of(end) for end in ends] == [0, 0, 0, 1, 1]


def test_a_journal_that_went_on_as_published_is_accepted() -> None:
    archived.one_past(DIGESTS, LINEAGES, [SAID], 3)
    archived.one_past({1: "a"}, {1: 0}, [], 0)


@pytest.mark.parametrize(
    ("lineages", "documents", "published", "why"),
    [
        (LINEAGES, [SAID | {"lineage": 2}], 3, r"lineage 1\.lineage"),
        (LINEAGES, [SAID | {"digest": "x"}], 3, "after batch 2.digest"),
        (LINEAGES, [SAID | {"batch": 7}], 3, "that batch is not in the journal"),
        (LINEAGES, [SAID | {"batch": 1, "digest": "a"}], 3, "two lineages from one past"),
        ({1: 0, 2: 0, 3: 0}, [SAID], 3, "two lineages from one past"),
        (LINEAGES, [], 3, "two lineages from one past"),
        (LINEAGES, [], 2, "the log is older than the journal"),
    ],
)
def test_a_journal_that_went_on_elsewhere_is_refused(
    lineages: dict[int, int], documents: list[dict[str, Any]], published: int, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        archived.one_past(DIGESTS, lineages, documents, published)
