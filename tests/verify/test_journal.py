"""Run verify/journal.py on a real export, on copies changed in every field, and on false ones."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from core.journal.export import export
from core.journal.lineages import lineage_begin
from core.journal.services import checkpoint_publish, checkpoints_due
from core.kernel.canonical import canonical_bytes
from core.proofs import keys
from core.proofs.log import key_rotate
from core.proofs.models import SigningKey
from tests.support import databases, factories
from tests.support.databases import Database
from tests.support.factories.clocks import server_clock_off
from tests.support.journaling import as_owner, execute, seal_all, touched
from tests.support.verifying.forging import Refused, public_key, published_log
from tests.support.verifying.load import FOLDER, verifier
from tests.support.verifying.tamper import changes

journal = verifier("journal")
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def files(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Lines, Lines, str, Callable[..., Lines]]]:
    """A journal of two days, the public log with its checkpoints, and the key of the log."""
    with django_db_blocker.unblock(), databases.clone():
        contest, place = factories.contest(), factories.point()
        seal_all()
        factories.sell(contest, place)
        seal_all()
        (number,) = checkpoints_due()
        assert checkpoint_publish(number=number) == checkpoint_publish(number=number)
        assert checkpoints_due() == []
        seal_all()
        yield exported(), published_log(), public_key(), resigned


def resigned(lines: Lines) -> Lines:
    """A journal rewritten by who has the key: every head made to fit its blocks, and signed."""
    key, previous, blocks = SigningKey.objects.get(), "00" * 32, []
    signed: Lines = []
    for line in lines:
        if "block" in line:
            content = bytes.fromhex(line["entries"])
            blocks.append([line["block"], len(content) // 48, hashlib.sha256(content).hexdigest()])
        if "batch" in line:
            head = {n: line[n] for n in journal.JOURNAL_HEAD}
            head |= {"blocks": blocks, "previous": previous}
            message = canonical_bytes(head)
            previous, blocks = journal.hashlib.sha256(message).hexdigest(), []
            signature = keys.sign(key, message).hex()
            signed.append(head | {"digest": previous, "key": key.key_id, "signature": signature})
        else:
            signed.append(line)
    return signed


def run(folder: Path, lines: Lines, log: Lines, key: str) -> str:
    paths = []
    for name, each in (("journal", lines), ("log", log)):
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("\n".join(json.dumps(line) for line in each), "utf-8")
    answer: str = journal.check(*map(str, paths), key)
    return answer


def test_a_true_journal_holds(files: Any, tmp_path: Path) -> None:
    lines, log, key, _ = files
    verdict = run(tmp_path, lines, log, key)
    assert verdict.startswith("WHOLE: ") and "1 checkpoints, the last of " in verdict
    done = subprocess.run(
        [sys.executable, FOLDER / "journal.py", "journal.jsonl", "log.jsonl", key],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == verdict


def test_the_acts_are_there_in_clear(files: Any) -> None:
    lines, *_ = files
    acts = [json.loads(image) for line in lines for image in line.get("images", [])]
    assert any(act.get("name") == "lototrot.sale" for act in acts)


def test_every_field_of_a_line_of_each_kind(files: Any, tmp_path: Path) -> None:
    lines, log, key, _ = files
    kinds = [tuple(sorted(line)) for line in lines]
    tried: set[Any] = set()
    for number in (kinds.index(kind) for kind in dict.fromkeys(kinds)):
        for place, other in changes(lines[number]):
            if len(place) > 1 and (kinds[number], place[0], type(place[-1])) in tried:
                continue  # one item of a list is like another
            tried.add((kinds[number], place[0], type(place[-1])))
            with pytest.raises(Refused):
                run(tmp_path, [*lines[:number], other, *lines[number + 1 :]], log, key)
                pytest.fail(f"line {number + 1}, {place}")


def test_lines_removed_repeated_or_moved(files: Any, tmp_path: Path) -> None:
    lines, log, key, _ = files
    forms = {number for number, line in enumerate(lines) if "form" in line}
    for number in set(range(len(lines))) - forms:
        without = [*lines[:number], *lines[number + 1 :]]
        with pytest.raises(Refused):
            run(tmp_path, without, log, key)
        with pytest.raises(Refused):
            run(tmp_path, [*lines[:number], lines[number], *lines[number:]], log, key)
        if number + 1 < len(lines) and number + 1 not in forms:
            with pytest.raises(Refused):
                run(
                    tmp_path,
                    [*without[: number + 1], lines[number], *without[number + 1 :]],
                    log,
                    key,
                )


def test_who_has_the_key_cannot_rewrite_what_was_published(files: Any, tmp_path: Path) -> None:
    lines, log, key, resign = files
    assert run(tmp_path, resign(lines), log, key)
    number = next(i for i, line in enumerate(lines) if "block" in line and "images" not in line)
    content = bytearray.fromhex(lines[number]["entries"])
    content[-1] ^= 1
    forged = [*lines[:number], lines[number] | {"entries": content.hex()}, *lines[number + 1 :]]
    with pytest.raises(Refused, match=r"^batch \d+\.digest: .* was published$"):
        run(tmp_path, resign(forged), log, key)
    ends = [i for i, line in enumerate(lines) if "batch" in line]
    with pytest.raises(Refused, match="is not in the journal"):
        run(tmp_path, lines[: ends[0] + 1], log, key)


def test_a_log_without_the_lineage_is_older_and_a_lineage_is_as_published(
    own_database: Database, tmp_path: Path
) -> None:
    seal_all()
    before = [published_log(), exported()]
    lineage_begin(reason="restored to 12:00")
    seal_all()
    (number,) = checkpoints_due()
    checkpoint_publish(number=number)
    log, lines = published_log(), exported()
    assert run(tmp_path, lines, log, public_key()).startswith("WHOLE: 2 batches")
    with pytest.raises(Refused, match=r"^batch 2: the log is older than the journal: "):
        run(tmp_path, lines, before[0], public_key())
    with pytest.raises(Refused, match=r"is not in the journal, as published up to batch 0$"):
        run(tmp_path, before[1], log, public_key())


@pytest.mark.usefixtures("machine_clock")
@pytest.mark.parametrize("rotated_ahead", [False, True])
def test_a_key_signs_the_batches_before_its_end_whatever_the_clock_said(
    own_database: Database, settings: Any, tmp_path: Path, rotated_ahead: bool
) -> None:
    def published() -> None:
        seal_all()
        for number in checkpoints_due():
            checkpoint_publish(number=number)

    factories.premises()
    published()
    old, trusted = SigningKey.objects.get(), public_key()
    settings.SIGNING_KEYS = ("2", settings.SIGNING_KEYS[1] | {"2": bytes(range(32))})
    with server_clock_off(timedelta(hours=5)):
        factories.premises()
        if rotated_ahead:
            key_rotate(reason=SigningKey.Ended.ROTATION)
        else:
            published()
    if not rotated_ahead:
        key_rotate(reason=SigningKey.Ended.ROTATION)
    for _ in range(2):
        factories.premises()
        published()
    lines, log = exported(), published_log()
    assert run(tmp_path, lines, log, trusted).startswith("WHOLE: ")
    head = {name: lines[-1][name] for name in journal.JOURNAL_HEAD}
    forged = {"key": old.key_id, "signature": keys.sign(old, canonical_bytes(head)).hex()}
    with pytest.raises(Refused, match=r"^batch \d\.key: not in force when it was sealed"):
        run(tmp_path, [*lines[:-1], lines[-1] | forged], log, trusted)
    (first, *_) = [at for at, line in enumerate(lines) if "batch" in line]
    head = {name: lines[first][name] for name in journal.JOURNAL_HEAD}
    new = SigningKey.objects.get(in_force=True)
    forged = {"key": new.key_id, "signature": keys.sign(new, canonical_bytes(head)).hex()}
    early = [*lines[:first], lines[first] | forged, *lines[first + 1 :]]
    with pytest.raises(Refused, match=r"^batch 1\.key: not in force when it was sealed"):
        run(tmp_path, early, log, trusted)


def test_a_journal_that_went_on_elsewhere_than_a_lineage_is_two_from_one_past() -> None:
    document, digests = {"lineage": 1, "batch": 1, "digest": "aa"}, {0: "00", 1: "aa", 2: "bb"}
    for lineages, words in (
        ({0: 0, 1: 0, 2: 0}, "lineage 1, after batch 1: two lineages from one past: batch 2"),
        ({0: 0, 1: 1, 2: 1}, "lineage 1, after batch 1: two lineages from one past"),
        ({0: 0, 1: 0, 2: 2}, "batch 2: two lineages from one past: it is of lineage 2"),
    ):
        with pytest.raises(Refused, match=f"^{words}"):
            journal.one_past(digests, lineages, [document], 2)
    with pytest.raises(Refused, match=r"^lineage 1, after batch 1\.digest"):
        journal.one_past(digests, {0: 0, 1: 0, 2: 1}, [document | {"digest": "bb"}], 2)


@pytest.mark.article("14.III.1.5")
def test_any_sealed_row_that_was_touched_is_refused(own_database: Database, tmp_path: Path) -> None:
    """The rows give the entries of the export; so nobody need trust what the database keeps."""
    factories.sell(factories.contest(), factories.point())
    seal_all()
    log, key = published_log(), public_key()
    assert "WHOLE" in run(tmp_path, exported(), log, key)
    copied = "SELECT (jsonb_populate_record(t, '{{\"id\": 99}}')).* FROM {0} t LIMIT 1"
    with as_owner(own_database):
        for statement in (
            "UPDATE premises_premises SET name = name || 'x'",
            "UPDATE ledger_transfer SET amount_cents = amount_cents + 1",
            "DELETE FROM lototrot_displayacknowledgement",
            f"INSERT INTO ledger_account {copied.format('ledger_account')}",
        ):
            table = statement.split()[1 if statement.startswith("UPDATE") else 2]
            with touched(table):
                execute("ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_code_key")
                assert execute(statement) > 0
                with pytest.raises(Refused, match=r"not the block before|not entries"):
                    run(tmp_path, exported(), log, key)


def exported() -> Lines:
    written = StringIO()
    export(written)
    return [json.loads(line) for line in written.getvalue().splitlines()]
