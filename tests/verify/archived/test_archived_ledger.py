"""Check verify/archived/ledger.py: transfers and balances of an archive, counted again."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from core.kernel.days import day_bounds
from tests.support.verifying.forging import Refused
from tests.support.verifying.load import verifier

ledger = verifier("archived.ledger")
Row = dict[str, Any]


def transfer(number: int, debit: int, credit: int, cents: int, day: int = 5) -> Row:
    return {
        "id": number,
        "reference": f"r{number}",
        "line": 0,
        "kind": "test",
        "debit_id": debit,
        "credit_id": credit,
        "amount_cents": cents,
        "at": f"2030-03-{day:02}T12:00:00+00:00",
        "journal_xid": 100 + number,
    }


def balances(period: int, held: dict[int, int]) -> Row:
    """Return a block: that of the first of these accounts."""
    block = min(held) // ledger.ACCOUNTS
    accounts = range(block * ledger.ACCOUNTS, (block + 1) * ledger.ACCOUNTS)
    cents = [held.get(account, 0) for account in accounts]
    return {"id": 1, "period_id": period, "block": block, "balances_cents": cents}


class Archive:
    """The rows of the first month: three accounts, three transfers, two balances."""

    def __init__(self, **changes: list[Row]) -> None:
        self.manifest = {"number": 1}
        self.tables = {
            "ledger_account": [
                {"id": 1, "code": "a"},
                {"id": 2, "code": "b"},
                {"id": 3, "code": "c"},
            ],
            "ledger_transfer": [transfer(1, 1, 2, 50), transfer(2, 2, 3, 50), transfer(9, 1, 3, 7)],
            "periods_closedperiod": [{"id": 10, "number": 1}],
            "periods_periodbalance": [balances(10, {1: 57, 3: -57})],
        } | changes

    def rows(self, name: str) -> Iterator[Row]:
        return iter(self.tables[name])


def closing() -> Row:
    """Return what is published of such a month."""
    blocks = ledger.Blocks()
    for row in Archive().tables["ledger_transfer"]:
        blocks.add(row, *ledger.parties(row, {1: "a", 2: "b", 3: "c"}))
    held = ledger.balances_digest({"a": 57, "c": -57})
    return {"first_day": "2030-03-01", "transfers": blocks.figures(), "balances": held}


def test_the_transfers_leave_the_published_balances() -> None:
    assert ledger.check_ledger(Archive(), closing(), None) == 3


MORE = Archive().tables["ledger_transfer"]
BLOCK = balances(10, {1: 57, 3: -57})
FIGURES = BLOCK["balances_cents"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"ledger_transfer": MORE[:-1]}, r"closed\.transfers\.count"),
        ({"ledger_transfer": [*MORE[:2], transfer(9, 1, 3, 8)]}, r"closed\.transfers\.cents"),
        ({"ledger_transfer": [*MORE[:2], transfer(9, 1, 2, 7)]}, r"closed\.transfers\.sha256"),
        ({"ledger_transfer": [*MORE[:2], transfer(9, 1, 4, 7)]}, "transfer 9: of an account"),
        ({"ledger_account": [{"id": 1, "code": "a"}]}, "of an account that is not there"),
        ({"periods_periodbalance": [balances(10, {1: 57})]}, "not what the transfers leave"),
        ({"periods_periodbalance": [balances(10, {8: 57})]}, "of an account that is not there"),
        ({"periods_periodbalance": [balances(10, {130: 57})]}, "of an account that is not there"),
        ({"periods_periodbalance": [balances(7, {1: 57})]}, "before the first period"),
        ({"periods_periodbalance": []}, "not what the transfers leave"),
        ({"periods_periodbalance": [BLOCK, BLOCK]}, "stands twice"),
        ({"periods_periodbalance": [balances(10, {1: 9}), BLOCK]}, "stands twice"),
        (
            {"periods_periodbalance": [BLOCK | {"balances_cents": [None, *FIGURES[1:]]}]},
            "not a figure of each account",
        ),
        (
            {"periods_periodbalance": [BLOCK | {"balances_cents": [*FIGURES, 0]}]},
            "not a figure of each account",
        ),
        (
            {"periods_periodbalance": [BLOCK | {"balances_cents": FIGURES[:4]}]},
            "not a figure of each account",
        ),
    ],
)
def test_other_transfers_or_balances_are_refused(changes: dict[str, list[Row]], why: str) -> None:
    with pytest.raises(Refused, match=why):
        ledger.check_ledger(Archive(**changes), closing(), None)


def test_balances_go_on_from_those_of_the_month_before() -> None:
    archive = Archive(
        ledger_transfer=[transfer(1, 1, 2, 9) | {"at": "2030-02-28T22:59:59+00:00"}, *MORE],
        periods_closedperiod=[{"id": 10, "number": 1}, {"id": 9, "number": 0}],
        periods_periodbalance=[
            balances(9, {2: 4}),
            balances(10, {1: 57, 2: 4, 3: -57}),
        ],
    )
    before = {"balances": ledger.balances_digest({"b": 4})}
    of_month = closing() | {"balances": ledger.balances_digest({"a": 57, "b": 4, "c": -57})}
    assert ledger.check_ledger(archive, of_month, before) == 3
    moved = Archive(periods_periodbalance=[balances(10, {1: 57, 4: -57})])
    with pytest.raises(Refused, match="of an account that is not there"):
        ledger.check_ledger(moved, closing(), None)
    with pytest.raises(Refused, match="closed before, balances"):
        ledger.check_ledger(archive, of_month, {"balances": ledger.balances_digest({"b": 5})})


def test_opening_balances_follow_from_the_transfers() -> None:
    sums = [["a", 50, 0, 1], ["b", 50, 50, 2], ["c", 0, 50, 1]]
    document = {"first_row": 1, "last_row": 2, "accounts": 3, "last_xid": 102}
    document["sha256"] = ledger.digest_of(sums)
    ledger.check_openings(Archive(), document, None)
    for name, value in (("first_row", 2), ("accounts", 2), ("last_xid", 109), ("sha256", "00")):
        with pytest.raises(Refused, match=rf"retired\.openings\.{name}"):
            ledger.check_openings(Archive(), document | {name: value}, None)
    with pytest.raises(Refused, match="first_row: should be 2"):
        ledger.check_openings(Archive(), document, {"last_row": 1})


def test_a_block_ends_where_its_ids_end() -> None:
    one, two = ledger.Blocks(), ledger.Blocks()
    for blocks, second in ((one, 2), (two, ledger.BLOCK)):
        blocks.add(transfer(1, 1, 2, 5), "a", "b")
        blocks.add(transfer(second, 1, 2, 5) | {"reference": "x"}, "a", "b")
    assert one.figures()["sha256"] != two.figures()["sha256"]
    assert one.figures()["cents"] == two.figures()["cents"] == 10


@pytest.mark.parametrize("month", range(1, 13))
def test_a_month_begins_at_midnight_in_madrid(month: int) -> None:
    for year in (2026, 2030):
        first = datetime(year, month, 1, tzinfo=UTC).date()
        assert ledger.begin_of(first.isoformat()) == day_bounds(first)[0]
