"""Check the files of a closed period's archive against the public log.

    python archive.py FOLDER LOG KEYS [EARLIER ...]

FOLDER has the files of one period, `manifest.json` among them; LOG and KEYS are those of
public_log.py; EARLIER are folders of earlier months, which sealed some of its rows. Transfers,
balances and tickets are counted again from the rows, and compared with what two persons published
when they closed the month (docs/proofs/periods.md).
"""

from collections import Counter
from datetime import UTC, datetime

from archived.files import MANIFEST, Archive, Row, in_succession, moment
from archived.journal import Journal
from archived.ledger import check_ledger, check_openings
from documents import PERIOD, RETIREMENT
from entry import digest_of, main, same
from forms import Refused, need, shaped
from public_log import Log
from tickets import Tree

LEGS = [f"leg_{number}" for number in range(1, 11)]
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)

# --- Tickets --------------------------------------------------------------------------------------


def check_tickets(archive: Archive, contests: list[Row], log: Log) -> int:
    """Refuse tickets that are not those that were sealed and published; return how many."""
    premises = {row["id"]: row["code"] for row in archive.rows("premises_premises")}
    terminals = {row["id"]: row["code"] for row in archive.rows("premises_terminal")}
    errors = {r["ticket_id"] for r in archive.rows("lototrot_void") if r["reason"] == "error"}
    trees: dict[int, Tree] = {contest["contest"]: Tree() for contest in contests}
    sums: Counter[tuple[int, str]] = Counter()
    count, leaving = 0, archive.leaving("lototrot_ticket")
    for row in archive.rows("lototrot_ticket"):
        place, contest = f"lototrot_ticket {row['id']}", row["contest_id"]
        if contest not in trees:
            # Sold before a ticket of the month: it is here because it is of the range that leaves.
            need(row["id"] in leaving, place, "of a contest that is not of the period")
            continue
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
        sums_of_contest = {name: sums[ident, name] for name in ("tickets", "takings_cents")}
        same(contest, {"root": trees[ident].root(), **sums_of_contest}, place)
        seal = log.document("lototrot.seal", f"contest:{ident}")
        same(seal, {"root": contest["root"]}, f"lototrot.seal, contest {ident}")
    return count


def leaf(row: Row, premises: str, terminal: str) -> bytes:
    """Return a ticket as the leaf of its seal (docs/proofs/seals.md)."""
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
    *("journal_batch", "journal_block", "journal_rowform"),
}


def check_retirement(archive: Archive, retired: Row) -> None:
    """Refuse an archive that is not the one whose rows were retired, or that has other rows."""
    shaped(retired, RETIREMENT, "periods.retired")
    published = retired["archive_sha256"] == digest_of(archive.manifest)
    need(published, MANIFEST, "not that of the archive of which rows were retired")
    named = [
        {"table": table["table"], **table["retires"]}
        for table in archive.tables.values()
        if table["retires"] and table["retires"]["rows"]
    ]
    of_rows = {"leaves", "staying_sha256", "last_batch"}  # only the rows tell what stays
    tables = [{k: v for k, v in each.items() if k not in of_rows} for each in retired["tables"]]
    same({"tables": tables}, {"tables": named}, "periods.retired")
    for each in retired["tables"]:
        need(each["leaves"] <= each["rows"], "periods.retired", "more rows leave than there are")


def compare(folder: str, log_file: str, keys: str, *earlier: str) -> str:
    """Count the rows of an archive again, and compare them with what was published."""
    log, archive = Log(log_file, keys), Archive(folder)
    manifest = archive.manifest
    month = manifest["first_day"][:7]
    closing = log.document("periods.closed", f"period:{month}")
    shaped(closing, PERIOD, f"periods.closed {month}")
    same(manifest, {name: closing[name] for name in ("number", "first_day", "last_day")}, MANIFEST)
    same(manifest, {"closing_sha256": digest_of(closing)}, MANIFEST)
    periods = in_succession(log.all("periods.closed"))
    need(periods.get(closing["number"]) == closing, MANIFEST, "of another month's closing")
    for name in sorted(_COUNTED):
        need(name in archive.tables, MANIFEST, f"without {name}")
    before = periods.get(closing["number"] - 1)
    need(before or closing["number"] == 1, "periods.closed", "the period before is not there")
    transfers = check_ledger(archive, closing, before)
    tickets = check_tickets(archive, closing["parts"]["lototrot"], log)
    journal = Journal(archive, closing, before)
    last_batches: dict[str, int] = {}
    for name in sorted(archive.tables.keys() - _COUNTED):
        for _ in archive.rows(name):
            pass
    retired = ""
    if log.has("periods.retired", f"period:{month}"):
        retirement = log.document("periods.retired", f"period:{month}")
        of_month = ("number", "first_day", "last_day", "journal")
        same(retirement, {name: closing[name] for name in of_month}, "periods.retired")
        check_retirement(archive, retirement)
        last_batches = {each["table"]: each["last_batch"] for each in retirement["tables"]}
        retirements = {each["number"]: each for each in log.all("periods.retired")}
        retired_before = retirements.get(retirement["number"] - 1)
        check_openings(
            archive, retirement["openings"], retired_before and retired_before["openings"]
        )
        retired = "; it is the archive of which rows were retired"
    numbers = [(each, each.manifest["number"]) for each in map(Archive, earlier)]
    journals = [Journal(each, periods[n], periods.get(n - 1)) for each, n in numbers]
    others = sum(
        journal.check_rows(name, last_batches.get(name, 0), journals)
        for name, table in archive.tables.items()
        if table["retires"]
    )
    not_compared = f"; {others} rows not compared: other months sealed them" if others else ""
    return (
        f"WHOLE: {month}, {transfers} transfers and {tickets} tickets as published;"
        f" {len(archive.tables)} files, manifest {digest_of(manifest)}{retired}{not_compared}"
    )


def check(folder: str, log_file: str, keys: str, *earlier: str) -> str:
    """Check an archive. Refuse one with a row whose fields are missing or of another type."""
    try:
        return compare(folder, log_file, keys, *earlier)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        place = Archive.reading or folder
        why = f"this row, or one before it, has another form ({type(error).__name__}: {error})"
        raise Refused(f"{place}: {why}") from error


if __name__ == "__main__":
    main(check, "archive.py FOLDER LOG KEYS [EARLIER ...]")
