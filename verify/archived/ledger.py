"""Count the transfers of an archive again, and the balances that they leave. Used by archive.py."""

import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta

from entry import digest_of, same
from forms import need

from archived.files import Archive, Row, moment

BLOCK = 65_536
ACCOUNTS = 64
"""Accounts of a row of balances: that with the id i is in row i // 64, at i % 64."""


def check_ledger(archive: Archive, closing: Row, before: Row | None) -> int:
    """Refuse transfers or balances that are not those that were published; return how many."""
    codes = {row["id"]: row["code"] for row in archive.rows("ledger_account")}
    opening, closing_balances = balances(archive, codes)
    if before is None:
        need(not opening, "periods_periodbalance", "balances before the first period")
    else:
        same(before["balances"], balances_digest(opening), "periods.closed before, balances")
    moved, blocks = Counter(opening), Blocks()
    begins = begin_of(closing["first_day"]) if before else None
    for row in archive.rows("ledger_transfer"):
        debit, credit = parties(row, codes)
        if begins and moment(row["at"]) < begins:
            continue  # of the month before, but written after the first one of this month
        blocks.add(row, debit, credit)
        moved[debit] += row["amount_cents"]
        moved[credit] -= row["amount_cents"]
    same(closing["transfers"], blocks.figures(), "periods.closed.transfers")
    held = {code: cents for code, cents in moved.items() if cents}
    same(closing["balances"], balances_digest(held), "periods.closed.balances")
    need(held == closing_balances, "periods_periodbalance", "not what the transfers leave")
    return blocks.count


def check_openings(archive: Archive, openings: Row, before: Row | None) -> None:
    """Refuse opening balances that do not follow from the transfers of the archive.

    `openings` is what the month's retirement says of them, `before` that of the month before.
    """
    last = before["last_row"] if before else 0
    same(openings, {"first_row": last + 1}, "periods.retired.openings")
    codes = {row["id"]: row["code"] for row in archive.rows("ledger_account")}
    sums: dict[str, list[int]] = {}
    last_xid = 0
    for row in archive.rows("ledger_transfer"):
        if not openings["first_row"] <= row["id"] <= openings["last_row"]:
            continue
        last_xid = max(last_xid, row["journal_xid"])
        for side, code in enumerate(parties(row, codes)):
            of_account = sums.setdefault(code, [0, 0, 0])
            of_account[side] += row["amount_cents"]
            of_account[2] += 1
    counted = {
        "accounts": len(sums),
        "sha256": digest_of([[code, *of_account] for code, of_account in sorted(sums.items())]),
        "last_xid": last_xid,
    }
    same(openings, counted, "periods.retired.openings")


def parties(row: Row, codes: dict[int, str]) -> tuple[str, str]:
    """Return the codes of the debited and the credited account of a transfer."""
    debit, credit = codes.get(row["debit_id"]), codes.get(row["credit_id"])
    need(debit and credit, f"ledger_transfer {row['id']}", "of an account that is not there")
    return str(debit), str(credit)


def begin_of(first_day: str) -> datetime:
    """Return midnight of the first day of a month in Madrid, in UTC.

    Clocks change on the last Sundays of March and October: so from the 1st of April to that of
    October they are two hours ahead, and on the first days of other months one.
    """
    day = datetime.fromisoformat(first_day).replace(tzinfo=UTC)
    return day - timedelta(hours=2 if 4 <= day.month <= 10 else 1)


def balances(archive: Archive, codes: dict[int, str]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the balances at the end of the period before, and at its own, by account code."""
    numbers = {row["id"]: row["number"] for row in archive.rows("periods_closedperiod")}
    by_number: dict[int, dict[str, int]] = {}
    for row in archive.rows("periods_periodbalance"):
        of_period = by_number.setdefault(numbers.get(row["period_id"], 0), {})
        figures, where = row["balances_cents"], f"periods_periodbalance {row['id']}"
        need(
            len(figures) == ACCOUNTS and None not in figures, where, "not a figure of each account"
        )
        for account, cents in enumerate(figures, row["block"] * ACCOUNTS):
            if cents:
                code = codes.get(account)
                need(code, where, "of an account that is not there")
                need(code not in of_period, where, "of an account that stands twice")
                of_period[str(code)] = cents
    number = archive.manifest["number"]
    return by_number.get(number - 1, {}), by_number.get(number, {})


def balances_digest(held: dict[str, int]) -> Row:
    return {
        "accounts": len(held),
        "sha256": digest_of([list(pair) for pair in sorted(held.items())]),
    }


class Blocks:
    """Digest transfers as they were published: in blocks of ids, each digested on its own."""

    def __init__(self) -> None:
        self.count = self.cents = 0
        self.whole = hashlib.sha256()
        self.number, self.lines = -1, list[str]()

    def add(self, row: Row, debit: str, credit: str) -> None:
        at = moment(row["at"]).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        if row["id"] // BLOCK != self.number:
            self.end()
            self.number = row["id"] // BLOCK
        parts = [row[name] for name in ("id", "reference", "line", "kind")]
        parts += [debit, credit, row["amount_cents"], at]
        self.lines.append("|".join(map(str, parts)))
        self.count, self.cents = self.count + 1, self.cents + row["amount_cents"]

    def end(self) -> None:
        if self.lines:
            self.whole.update(hashlib.sha256("\n".join(self.lines).encode()).digest())
        self.lines = []

    def figures(self) -> Row:
        self.end()
        return {"count": self.count, "cents": self.cents, "sha256": self.whole.hexdigest()}
