"""List the contests of Lototrot in the public log, what became of each, and the closed months.

    python contests.py LOG KEYS

LOG and KEYS are those of public_log.py. A contest that was on sale and never sealed, or sealed and
never settled, is one whose takings nobody has won; look for yours. Each was sealed on the terms on
which it was put on sale. A month that two persons closed must have every contest of its days, as it
was sealed and ordered, and every emission that was closed in it. The last lines say what each bet
type holds for its next meeting: a jackpot that waits for long is one that nobody can win.
settlement.py checks the figures of one settlement.
"""

from typing import Any

from archived.files import in_succession
from chain import (
    END,
    SEAL,
    all_of,
    check_sold,
    closes_at,
    on_sale,
    sent_here,
)
from entry import euros, main, printable, same
from forms import need
from public_log import Log
from races import KIND, ORDER, REVERSAL

PERIOD, CLOSING = "periods.closed", "promotrot.closing"
Document = dict[str, Any]


def ordered(log: Log, contest: int) -> Document | None:
    """Return the certificate of a contest whose payment was ordered, or None."""
    final = [each for each in all_of(log, contest) if log.has(ORDER, each["settlement"])]
    need(len(final) < 2, f"{ORDER}, contest {contest}", "ordered twice")
    return final[0] if final else None


def became(log: Log, contest: int) -> str:
    """Return in words how far a contest has come."""
    if final := ordered(log, contest):
        last_day = log.document(ORDER, final["settlement"])["last_claim_day"]
        prizes = f"{euros(final['figures']['prizes_total'])} in prizes, payable until {last_day}"
        return f"{prizes}, settlement {final['settlement']}"
    settled = [each["settlement"] for each in all_of(log, contest)]
    if not settled:
        return "NOT SETTLED"
    return "REVERSED, AND NOT SETTLED" if log.has(REVERSAL, settled[-1]) else "NOT YET ORDERED"


def sold(log: Log, subject: str, opening: Document) -> str:
    """Return in words since when a contest is on sale, or that it has closed and has no seal."""
    at, now = closes_at(log, opening["contest"]), max(each["at"] for each in log.entries.values())
    if now < at:
        return f"on sale since {opening['opened_at']}, until {at}"
    return f"on sale until {at}, NOT SEALED"


def line(log: Log, contest: Document) -> str:
    """Return a contest in one line, by its opening."""
    ident, voided = contest["contest"], 0
    subject = f"contest:{ident}"
    head = f"{subject}, {contest['bet_type']} of {contest['day']}"
    if not log.has(SEAL, subject):
        return f"{head}: {sold(log, subject, contest)}"
    seal = log.document(SEAL, subject)
    check_sold(log, ident)
    while log.has("lototrot.amendment", f"{subject}:{voided + 1}"):
        voided += 1
    amended = f"; TICKETS WERE VOIDED, entries: {voided}" if voided else ""
    return (
        f"{head}: {seal['tickets']} tickets, {euros(seal['takings_cents'])},"
        f" sealed {log.published_at(SEAL, subject)}; {became(log, ident)}{amended}"
    )


def carried(log: Log) -> list[str]:
    """Return in words what each bet type that has not ended holds for its next meeting.

    One that is sold no more, and another sold in its place, would leave its jackpot to nobody.
    """
    newest: dict[str, Document] = {}
    for each in log.all(KIND):
        code = each["rules"]["code"]
        if not log.has(REVERSAL, each["settlement"]):
            newest[code] = max(newest.get(code, each), each, key=lambda one: str(one["day"]))
    sent_to = [move["bet_type"] for end in log.all(END) for move in end["moves"]]
    lines = []
    for code in dict.fromkeys([*newest, *filter(None, sent_to)]):
        last = newest.get(code)
        since = log.sequence(KIND, last["settlement"]) if last else 0
        held = sent_here(log, code, since, len(log.entries) + 1)
        for name in ("jackpot", "reserve"):
            held[name] += last["figures"][f"{name}_out"] if last else 0
        sums = f"{euros(held['jackpot'])} of jackpot and {euros(held['reserve'])} of reserve"
        after = f"the meeting after {last['day']}" if last else "its first meeting"
        if not log.has(END, code):
            lines.append(f"{code}: {sums} wait for {after}")
    return lines


def check_month(log: Log, month: Document) -> None:
    """Refuse a closed month that leaves out a contest of its days, or has one otherwise than it was
    sealed and ordered."""
    place = f"{PERIOD} {month['first_day'][:7]}"
    rows = {each["contest"]: each for each in month["parts"]["lototrot"]}
    days = month["first_day"], month["last_day"]
    sold = {i for i, each in on_sale(log).items() if days[0] <= each["day"] <= days[1]}
    need(len(rows) == len(month["parts"]["lototrot"]), place, "a contest twice")
    left = ", ".join(map(str, sorted(sold ^ rows.keys())))
    need(not left, place, f"contests {left} are in the month or in the log alone")
    for contest, row in rows.items():
        seal, final = log.document(SEAL, f"contest:{contest}"), ordered(log, contest)
        need(final, f"{place}, contest {contest}", "not ordered")
        of_seal = {name: seal[name] for name in ("day", "root", "tickets", "takings_cents")}
        prizes = {"prizes_cents": final["figures"]["prizes_total"]} if final else {}
        winners = {"winning_tickets": final["winning_tickets"]} if final else {}
        same(row, of_seal | prizes | winners, f"{place}, contest {contest}")


def check_emissions(log: Log, months: list[Document]) -> None:
    """Refuse months of which one leaves out an emission that was closed up to its end, has one that
    was not closed, or other sums than its closing."""
    rows = [each for month in months for each in month["parts"]["promotrot"]]
    for row in rows:
        closing = log.document(CLOSING, row["emission"])
        sums = {name: closing[name] for name in ("shortfall_cents", "owed_cents")}
        same(row, sums, f"{PERIOD}, {row['emission']}")
    named = [each["emission"] for each in rows]
    need(len(set(named)) == len(named), PERIOD, "an emission is in two months")
    first, last = (months[0]["first_day"], months[-1]["last_day"]) if months else ("", "")
    for closing in log.all(CLOSING):
        at = closing["closed_at"][:10]  # in UTC: in Madrid it may be a day later
        due = first <= at < last
        need(closing["emission"] in named or not due, PERIOD, f"without {closing['emission']}")


def check(log_file: str, keys: str) -> str:
    log = Log(log_file, keys)
    months = [*in_succession(log.all(PERIOD)).values()]
    for month in months:
        check_month(log, month)
    check_emissions(log, months)
    contests = on_sale(log)
    waiting = sum(not ordered(log, contest) for contest in contests)
    head = f"LISTED: {len(contests)} contests, {waiting} without a payment order"
    lines = [line(log, each) for each in contests.values()] + carried(log)
    return "\n".join([f"{head}; {len(months)} months", *map(printable, lines)])


if __name__ == "__main__":
    main(check, "contests.py LOG KEYS")
