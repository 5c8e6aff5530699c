"""Rows leave with their sealed entries; a night that ends between two steps loses nothing."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.journal.export import export
from core.journal.models import Block
from core.journal.services import checkpoint_publish, last_batch
from core.journal.verifying import Fault, verify
from core.kernel.days import add_days, natural_day
from core.ledger.models import Transfer
from core.periods.archive import removing
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.removing import entries_remove, retired_remove
from core.periods.archive.tables import ArchiveTable, retiring_tables
from core.periods.models import ClosedPeriod, RetiredRows
from core.statements.services import statements_issue
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_retiring import PRINTS, TICKETS, leaving, row_findings
from tests.core.periods.conftest import closed
from tests.support import factories
from tests.support.journaling import seal_all
from tests.support.verifying.forging import Refused, public_key, published_log, written
from tests.support.verifying.load import verifier

Lines = list[dict[str, Any]]


def kept(relation: str, until: int) -> int:
    """Return how many blocks of a table have entries, or what shortens them, up to a batch."""
    blocks = Block.objects.filter(row_form__relation=relation, batch_id__lte=until)
    return blocks.exclude(entries=None, short=None).count()


def test_a_night_that_ends_between_any_two_steps_is_no_finding_and_goes_on(
    sealed_month_retired: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranges, leave = list(RetiredRows.objects.all()), leaving()
    step = removing._batches_remove
    removed, steps = 0, 0

    def one_step(table: ArchiveTable, first: int, last: int) -> int:
        nonlocal removed, steps
        removed, steps = removed + step(table, first, last), steps + 1
        raise KeyboardInterrupt

    monkeypatch.setattr(removing, "AT_ONCE", 1)
    with monkeypatch.context() as patch:
        patch.setattr(removing, "_batches_remove", one_step)
        while any(kept(rows.relation, rows.last_batch) for rows in ranges):
            with pytest.raises(KeyboardInterrupt):
                retired_remove()
            # Never are whole entries written where they leave with their rows.
            assert not Block.objects.exclude(entries=None).exists()
            assert row_findings() == []
    assert steps > len(ranges) and removed == leave
    assert (retired_remove(), row_findings()) == (0, [])
    entries_remove()
    parts = [verify(since=since, until=until) for since, until in ((None, 1), (1, 3), (3, None))]
    findings = [each for part in parts for each in part.findings]
    assert [each for each in findings if each.what is not Fault.RULE] == []
    attach(tmp_path / "2030-03")
    line = next(iter(lines_of(tmp_path, TICKETS)))
    assert TICKETS in {table for table, _ in rows_about("2030-03", line["uuid"])}


def test_nights_that_end_early_for_weeks_pass_over_no_month(
    own_month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a month that left long ago and of which nothing is left, no row is looked for again."""
    factories.time_pass(days=40)
    statements_issue(until=add_days(natural_day(clock.now()), -1))
    closed()
    closed()
    for period in ClosedPeriod.objects.order_by("number"):
        retired(period, tmp_path)
    of_transfers = RetiredRows.objects.filter(relation="ledger_transfer").order_by("first_row")
    assert {rows.retirement.period_id for rows in of_transfers} > {own_month.pk}
    factories.time_pass(days=50)
    removed = removing._remove

    def ended(table: ArchiveTable, first: int, last: int) -> int:
        if removed(table, first, last):
            raise KeyboardInterrupt
        return 0

    monkeypatch.setattr(removing, "_remove", ended)
    nights = 1
    while ends_early():
        nights += 1
    assert nights > 2
    last_row = max(rows.last_row for rows in of_transfers)
    assert not Transfer.objects.filter(pk__lte=last_row).exists()
    assert row_findings() == []


def test_after_weeks_without_a_night_no_month_is_hidden_by_a_newer_one_of_which_nothing_leaves(
    own_month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of an older month would stay for good, and its claims could not leave either."""
    factories.time_pass(days=40)
    statements_issue(until=add_days(natural_day(clock.now()), -1))
    closed()
    for period in ClosedPeriod.objects.order_by("number"):
        retired(period, tmp_path)
    table = next(each for each in retiring_tables() if each.name == "ledger_transfer")
    *_, newest = RetiredRows.objects.filter(relation=table.name).order_by("first_row")
    factories.time_pass(days=50)
    with monkeypatch.context() as patch:
        patch.setattr(removing, "_is_there", lambda of, month: month.pk != newest.pk)
        assert removing._unfinished(table)[0].retirement.period == own_month
    retired_remove()
    assert not Transfer.objects.filter(pk__lte=newest.last_row).exists()
    assert row_findings() == []
    assert removing._unfinished(table, clock.now()) == []


def ends_early() -> bool:
    try:
        retired_remove()
    except KeyboardInterrupt:
        return True
    return False


def lines_of(folder: Path, table: str) -> Lines:
    with gzip.open(folder / "2030-03" / f"{table}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_entries_do_not_leave_while_a_row_is_there_that_leaves_nor_come_back_changed(
    sealed_month: ClosedPeriod, tmp_path: Path
) -> None:
    def take(until: int, **other: object) -> None:
        blocks = Block.objects.filter(row_form__relation=PRINTS, batch_id__lte=until)
        blocks.update(**({"entries": None, "short": None} | other))

    not_retired = pytest.raises(DatabaseError, match="not retired")
    with not_retired, transaction.atomic():
        take(3)
    retired(sealed_month, tmp_path)
    there = pytest.raises(DatabaseError, match="a row that leaves is there")
    with there, transaction.atomic():
        take(3)
    assert retired_remove() == leaving()
    for other in ({"entries": b"x" * 48}, {"short": b"x"}):
        with not_retired, transaction.atomic():
            take(3, **other)


def test_the_exported_journal_has_what_stays_of_such_blocks_and_nothing_else_is_taken(
    sealed_month_retired: ClosedPeriod, tmp_path: Path
) -> None:
    retired_remove()
    entries_remove()
    last = last_batch()
    assert last is not None
    checkpoint_publish(number=last.number)
    seal_all()
    files = written(tmp_path, "log.jsonl", published_log()), public_key()
    to = StringIO()
    export(to)
    lines: Lines = [json.loads(line) for line in to.getvalue().splitlines()]

    def verdict_on(changed: Lines) -> str:
        text = "\n".join(json.dumps(line) for line in changed)
        (tmp_path / "journal").write_text(text, "utf-8")
        verdict: str = verifier("journal").check(str(tmp_path / "journal"), *files)
        return verdict

    assert "archived)" in verdict_on(lines)
    archived = [number for number, line in enumerate(lines) if "rows" in line]
    (tickets,) = (form["form"] for form in lines if form.get("table") == TICKETS)
    number = next(each for each in archived if lines[each]["block"] == tickets)
    block = lines[number]
    assert len(block["entries"]) == 96 * 2 and block["rows"] == 3  # two won, and stay
    blocks = {number for number, line in enumerate(lines) if "block" in line}
    later = min(number for number in blocks if number > archived[-1])
    not_retired = {"rows": 1, "sha256": "00" * 32, "entries": ""}
    for place, change, by in (
        (number, {"entries": block["entries"][96:]}, "2 rows stay, 1 are there"),
        (number, {"entries": ""}, "2 rows stay, 0 are there"),
        (number, {"entries": block["entries"][:-1] + "x"}, "entries"),
        (number, {"entries": block["entries"] * 2}, "not in order|more than 3"),
        (number, {"entries": _other_digest(block["entries"])}, "staying_sha256"),
        (number, {"entries": _later_row(block["entries"])}, "not retired|another batch"),
        (number, {"rows": 4}, "not the block before it"),
        (number, {"sha256": "00" * 32}, "not the block before it"),
        (later, not_retired | _no_images(lines[later]), "no retirement of .* names its batch"),
    ):
        with pytest.raises(Refused, match=by):
            verdict_on([*lines[:place], lines[place] | change, *lines[place + 1 :]])
    without = {name: value for name, value in block.items() if name not in ("rows", "sha256")}
    with pytest.raises(Refused, match="not the block before it"):
        verdict_on([*lines[:number], without, *lines[number + 1 :]])


def _no_images(line: dict[str, Any]) -> dict[str, Any]:
    return {"images": []} if "images" in line else {}


def _other_digest(entries: str) -> str:
    """Return entries of which the last one has another digest."""
    return entries[:-1] + ("0" if entries[-1] != "0" else "1")


def _later_row(entries: str) -> str:
    """Return entries of which the last one is of a row that was not retired."""
    return entries[: 96 + 16] + f"{10**6:016x}" + entries[96 + 32 :]
