"""The lines of `pg_waldump` are counted by table, index, act and lock, and pages apart."""

import pytest

from tests.bench.parts.log import MIXES, Log, _add
from tests.bench.size import SIZES

FILES = {10: ("ledger_transfer", None), 11: ("ledger_transfer", "transfer_once")}
ACTS = {700: "lototrot.sale"}
HEAD = "rmgr: {} len (rec/tot): {:>6}/{:>6}, tx: {:>10}, lsn: 0/01F0, prev 0/01E0, desc: {}"
ROW = HEAD.format("Heap       ", 150, 150, 700, "INSERT off: 7, flags: 0x00, blkref #0: rel 1/5/10")
PAGE = HEAD.format("Btree", 53, 8000, 700, "INSERT_LEAF off: 2, blkref #0: rel 1/5/11 blk 3 FPW")
LOCK = HEAD.format(
    "Heap       ", 54, 54, 701, "LOCK xmax: 701, off: 9, blkref #0: rel 1/5/10 blk 0"
)
COMMIT = HEAD.format("Transaction", 34, 34, 700, "COMMIT 2030-01-05 12:00:00.000000 UTC")


def test_records_are_counted_by_what_they_are_of_and_pages_apart() -> None:
    log = Log()
    for line in (ROW, PAGE, LOCK, COMMIT):
        _add(log, line, FILES, ACTS)
    assert (log.records, log.pages, log.entries, log.locks) == (291, 7_947, 1, 1)
    assert log.by_table == {"ledger_transfer": 257, "(Transaction)": 34}
    assert log.by_index == {"transfer_once": 53}
    assert log.by_lock == {"ledger_transfer": 54}
    assert log.by_page == {"transfer_once": 7_947}
    assert log.by_act == {"lototrot.sale": 237, "(none)": 54}
    figures = log.figures("log", tickets=2)
    assert figures["log.per_ticket"] == (291 + 7_947) / 2
    assert figures["log.index.transfer_once"] == 26.5


def test_a_line_that_is_not_understood_is_no_zero() -> None:
    with pytest.raises(RuntimeError, match="not understood"):
        _add(Log(), "pg_waldump: first record is after 0/0", FILES, ACTS)


@pytest.mark.parametrize("size", SIZES)
def test_premises_sell_as_many_tickets_in_every_size(size: str) -> None:
    service, decade = (MIXES[name].at(SIZES[size].scale) for name in ("service", "decade"))
    assert service.tickets == 437 * service.premises
    assert 1.1 < decade.tickets / decade.premises <= 1.2
    assert decade.premises >= 20
    assert service.premises >= (2 if size == "tiny" else 12)
    assert size != "tiny" or service.tickets < 1_000
