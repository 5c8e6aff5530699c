"""Check the archive of a closed period: its files alone, against the public log.

    python archive.py FOLDER LOG KEYS

FOLDER has the files of one period, `manifest.json` among them; LOG and KEYS are those of
public_log.py. Transfers, balances and tickets are counted again from the rows, and compared with
what two persons published when they closed the month (docs/proofs.md, "Archives").
"""

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from documents import ARCHIVE, PERIOD, RETIREMENT
from entry import canonical, digest_of, main, parsed, same
from forms import need, shaped
from public_log import Log
from tickets import Tree

MANIFEST = "manifest.json"
BLOCK = 65_536
LEGS = [f"leg_{number}" for number in range(1, 11)]
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
Row = dict[str, Any]


class Archive:
    """The files of a period, each compared with the manifest when it has been read to its end."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        need(path.is_file(), MANIFEST, "missing")
        content = path.read_bytes()
        self.manifest = parsed(content.decode(), MANIFEST)
        shaped(self.manifest, ARCHIVE, MANIFEST)
        need(content == canonical(self.manifest) + b"\n", MANIFEST, "not canonical JSON")
        self.tables = {table["table"]: table for table in self.manifest["tables"]}
        named = {MANIFEST, *(table["file"] for table in self.manifest["tables"])}
        for stray in sorted({each.name for each in self.folder.iterdir()} ^ named):
            need(False, stray, "missing, or not of the archive")

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a table; refuse the file at its end unless it is that of the
        manifest.
        """
        table = self.tables[name]
        file, path = table["file"], self.folder / table["file"]
        with path.open("rb") as packed:
            whole = hashlib.file_digest(packed, "sha256").hexdigest()
        need(whole == table["file_sha256"], file, "not the bytes of the manifest")
        lines, entries, count, size = hashlib.sha256(), hashlib.sha256(), 0, 0
        try:
            with gzip.open(path, "rb") as content:
                for line in content:
                    count, size = count + 1, size + len(line)
                    lines.update(line)
                    row = json.loads(line)
                    if table["retires"]:
                        entries.update(sealed(row, line))
                    yield row
        except (OSError, EOFError, ValueError, zlib.error) as error:
            need(False, file, f"cannot be read ({error})")
        made = {"rows": count, "bytes": size, "sha256": lines.hexdigest()}
        same(table, made, file)
        if table["retires"]:
            same(table["retires"], {"entries_sha256": entries.hexdigest()}, file)


def sealed(row: Row, line: bytes) -> bytes:
    """Return the entry of a row in the journal: transaction, id, digest of its text."""
    digest = hashlib.sha256(line.removesuffix(b"\n")).digest()
    return int(row["journal_xid"]).to_bytes(8, "big") + int(row["id"]).to_bytes(8, "big") + digest


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


# --- Transfers and balances -----------------------------------------------------------------------


def check_ledger(archive: Archive, closing: Row, before: Row | None) -> int:
    """Refuse transfers or balances that are not those that were published; return how many."""
    codes = {row["id"]: row["code"] for row in archive.rows("ledger_account")}
    opening, closing_balances = balances(archive, codes)
    if before is None:
        need(not opening, "periods_periodbalance", "balances before the first period")
    else:
        same(before["balances"], balances_digest(opening), "periods.closed before, balances")
    moved, blocks = Counter(opening), Blocks()
    for row in archive.rows("ledger_transfer"):
        debit, credit = codes.get(row["debit_id"]), codes.get(row["credit_id"])
        need(debit and credit, f"ledger_transfer {row['id']}", "of an account that is not there")
        blocks.add(row, str(debit), str(credit))
        moved[str(debit)] += row["amount_cents"]
        moved[str(credit)] -= row["amount_cents"]
    same(closing["transfers"], blocks.figures(), "periods.closed.transfers")
    held = {code: cents for code, cents in moved.items() if cents}
    same(closing["balances"], balances_digest(held), "periods.closed.balances")
    need(held == closing_balances, "periods_periodbalance", "not what the transfers leave")
    return blocks.count


def balances(archive: Archive, codes: dict[int, str]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the balances at the end of the period before, and at its own, by account code."""
    numbers = {row["id"]: row["number"] for row in archive.rows("periods_closedperiod")}
    by_number: dict[int, dict[str, int]] = {}
    for row in archive.rows("periods_periodbalance"):
        code = codes.get(row["account_id"])
        need(code, f"periods_periodbalance {row['id']}", "of an account that is not there")
        of_period = by_number.setdefault(numbers.get(row["period_id"], 0), {})
        of_period[str(code)] = row["balance_cents"]
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


# --- Tickets --------------------------------------------------------------------------------------


def check_tickets(archive: Archive, contests: list[Row], log: Log) -> int:
    """Refuse tickets that are not those that were sealed and published; return how many."""
    premises = {row["id"]: row["code"] for row in archive.rows("premises_premises")}
    terminals = {row["id"]: row["code"] for row in archive.rows("premises_terminal")}
    errors = {r["ticket_id"] for r in archive.rows("lototrot_void") if r["reason"] == "error"}
    trees: dict[int, Tree] = {contest["contest"]: Tree() for contest in contests}
    sums: Counter[tuple[int, str]] = Counter()
    count = 0
    for row in archive.rows("lototrot_ticket"):
        place, contest = f"lototrot_ticket {row['id']}", row["contest_id"]
        need(contest in trees, place, "of a contest that is not of the period")
        count += 1
        if row["id"] in errors:
            continue
        seller = premises.get(row["premises_id"]), terminals.get(row["terminal_id"])
        need(all(seller), place, "of premises or a terminal that are not there")
        trees[contest].add(leaf(row, str(seller[0]), str(seller[1])))
        sums.update({(contest, "tickets"): 1, (contest, "takings_cents"): row["amount_cents"]})
    for contest in contests:
        ident = contest["contest"]
        place = f"periods.closed, contest {ident}"
        made = {name: sums[ident, name] for name in ("tickets", "takings_cents")}
        same(contest, {"root": trees[ident].root(), **made}, place)
        seal = log.document("lototrot.seal", f"contest:{ident}")
        same(seal, {"root": contest["root"]}, f"lototrot.seal, contest {ident}")
    return count


def leaf(row: Row, premises: str, terminal: str) -> bytes:
    """Return a ticket as the leaf of its seal (docs/proofs.md, "Tickets as leaves")."""
    since = moment(row["sold_at"]) - EPOCH
    sold_at = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    fields = [premises.encode(), terminal.encode(), sold_at.to_bytes(8, "big")]
    fields += [row["bets"].to_bytes(4, "big"), row["amount_cents"].to_bytes(8, "big")]
    fields += [row[leg].to_bytes(4, "big") for leg in LEGS if row[leg] is not None]
    fields.append(bytes.fromhex(row["code_commitment"].removeprefix("\\x")))
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


# --- The whole ------------------------------------------------------------------------------------

_COUNTED = {
    *("ledger_account", "ledger_transfer", "periods_closedperiod", "periods_periodbalance"),
    *("premises_premises", "premises_terminal", "lototrot_void", "lototrot_ticket"),
}


def check_retirement(archive: Archive, retired: Row) -> None:
    """Refuse another archive than that of which rows were retired, or other rows of it."""
    shaped(retired, RETIREMENT, "periods.retired")
    same(retired, {"archive_sha256": digest_of(archive.manifest)}, "periods.retired")
    named = [
        {"table": table["table"], "rows": table["rows"], **table["retires"]}
        for table in archive.tables.values()
        if table["retires"] and table["rows"]
    ]
    same(retired, {"tables": named}, "periods.retired")


def check(folder: str, log_file: str, keys: str) -> str:
    log, archive = Log(log_file, keys), Archive(folder)
    manifest = archive.manifest
    month = manifest["first_day"][:7]
    closing = log.document("periods.closed", f"period:{month}")
    shaped(closing, PERIOD, f"periods.closed {month}")
    same(manifest, {name: closing[name] for name in ("number", "first_day", "last_day")}, MANIFEST)
    same(manifest, {"closing_sha256": digest_of(closing)}, MANIFEST)
    periods = {each["number"]: each for each in log.all("periods.closed")}
    for name in sorted(_COUNTED):
        need(name in archive.tables, MANIFEST, f"without {name}")
    before = periods.get(closing["number"] - 1)
    need(before or closing["number"] == 1, "periods.closed", "the period before is not there")
    transfers = check_ledger(archive, closing, before)
    tickets = check_tickets(archive, closing["parts"]["lototrot"], log)
    for name in sorted(archive.tables.keys() - _COUNTED):
        for _ in archive.rows(name):
            pass
    retired = ""
    if log.has("periods.retired", f"period:{month}"):
        check_retirement(archive, log.document("periods.retired", f"period:{month}"))
        retired = "; it is the archive of which rows were retired"
    return (
        f"WHOLE: {month}, {transfers} transfers and {tickets} tickets as published;"
        f" {len(archive.tables)} files, manifest {digest_of(manifest)}{retired}"
    )


if __name__ == "__main__":
    main(check, "archive.py FOLDER LOG KEYS")
