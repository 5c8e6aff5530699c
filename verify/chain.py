"""Check that one settlement of a contest stands, and follows on the one before it in its chain.

A chain is the meetings of one bet type, which pass jackpot and reserve on [A4, A20, A21, B14]. And
check that each was sealed on the terms of its opening. settlement.py and contests.py use it.
"""

from collections import Counter
from typing import Any

from documents import TERMS
from entry import digest, same
from forms import need
from public_log import Log
from races import KIND, ORDER, REVERSAL, check_reversal

END, SEAL = "lototrot.end", "lototrot.seal"
OPENING, SCHEDULE = "lototrot.opening", "lototrot.schedule"
Document = dict[str, Any]


def stood(log: Log, until: int) -> list[dict[str, Any]]:
    """Return the entries of the certificates that stood just before an entry of the log."""
    return [
        each
        for (kind, settlement), each in log.entries.items()
        if kind == KIND
        and each["sequence"] < until
        and not (log.has(REVERSAL, settlement) and log.sequence(REVERSAL, settlement) < until)
    ]


def check_alone(log: Log, certificate: Document) -> None:
    """Check that every earlier settlement of the contest was reversed before the next one, that one
    at most stands, and that it is reversed or ordered, never both [B14] (14.III.8.2)."""
    settlement, before = certificate["settlement"], None
    for number, each in enumerate(all_of(log, certificate["contest"]), start=1):
        ident = each["settlement"]
        same(each, {"number": number, "replaces": before}, KIND)
        if before:
            stands = f"{before} of the same contest stands"
            need(log.has(REVERSAL, before), f"{KIND}.replaces", stands)
            log.in_order((KIND, before), (REVERSAL, before), (KIND, ident))
        check_reversal(log, each)
        before = ident
    both = log.has(REVERSAL, settlement) and log.has(ORDER, settlement)
    need(not both, REVERSAL, "its payment is ordered, and no later change has any effect")


def all_of(log: Log, contest: int) -> list[Document]:
    return [each for each in log.all(KIND) if each["contest"] == contest]


def sent_here(log: Log, code: str, since: int, until: int) -> Counter[str]:
    """Return what bet types that ended sent to this one between two entries of the log [A21].

    There the reserve joins the reserve, and the rest the jackpot.
    """
    cents: Counter[str] = Counter()
    for end in log.entries.values():
        if end["kind"] == END and since < end["sequence"] < until:
            for move in end["document"]["moves"]:
                if move["bet_type"] == code:
                    cents["reserve" if move["source"] == "reserve" else "jackpot"] += move["cents"]
    return cents


def on_sale(log: Log) -> dict[int, Document]:
    """Return the opening of each contest by its number, or the seal of one that has none."""
    contests: dict[int, Document] = {}
    for (kind, subject), entry in log.entries.items():
        if kind in (OPENING, SEAL):
            document = entry["document"]
            need(subject == f"contest:{document['contest']}", f"{kind} {subject}", "of another one")
            contests.setdefault(document["contest"], document)
    return contests


def closes_at(log: Log, contest: int) -> str:
    """Return the announced closing of a contest after all moves of it, each in time, and to a later
    one by two persons (14.III.4) [E1, E13]. A move of a draft is in the terms of the opening."""
    subject, number = f"contest:{contest}", 1
    log.dated(OPENING, subject, "opened_at")
    opening = log.document(OPENING, subject)
    of_it = {name: opening[name] for name in ("contest", "bet_type", "day")}
    at: str = opening["closes_at"]
    while log.has(SCHEDULE, move := f"{subject}:{number}"):
        if log.sequence(SCHEDULE, move) > log.sequence(OPENING, subject):
            moved, place = log.document(SCHEDULE, move), f"{SCHEDULE} {move}"
            persons = 1 if moved["to"] < at else 2
            same(moved, of_it | {"number": number, "from": at, "persons": persons}, place)
            log.dated(SCHEDULE, move, "moved_at")
            need(moved["moved_at"] < at, f"{place}.moved_at", "the closing had come")
            at = moved["to"]
        number += 1
    return at


def check_sold(log: Log, contest: int) -> None:
    """Refuse a contest that was not put on sale before its seal, was sealed on other terms, or
    closed later than announced."""
    subject = f"contest:{contest}"
    log.in_order((OPENING, subject), (SEAL, subject))
    opening, seal = log.document(OPENING, subject), log.document(SEAL, subject)
    same(opening, {"contest": contest}, OPENING)
    same(seal, {name: opening[name] for name in TERMS}, SEAL)
    at, closed_at = closes_at(log, contest), seal["closed_at"]
    in_time = closed_at == at or (closed_at < at and seal["closing_cause"] != "schedule")
    need(in_time, f"{SEAL}.closed_at", f"{seal['closing_cause']}, and {at} was announced")


def check_waited(log: Log, certificate: Document) -> None:
    """Check that no meeting of an earlier day was on sale and passed over: what its players paid
    would go to no player [A4]. The payment of each was ordered before this one was settled."""
    here = KIND, certificate["settlement"]
    for each in on_sale(log).values():
        if each["bet_type"] == certificate["rules"]["code"] and each["day"] < certificate["day"]:
            final = [settled["settlement"] for settled in all_of(log, each["contest"])]
            ordered = [(ORDER, settlement) for settlement in final if log.has(ORDER, settlement)]
            waits = f"contest {each['contest']} of {each['day']} was on sale, and is not settled"
            need(ordered, f"{KIND}.previous", waits)
            log.in_order(ordered[0], here)


def check_carried(log: Log, certificate: Document) -> None:
    """Check that jackpot and reserve are those that the previous meeting left (9.5, 9.8) [A4], with
    what was sent here since. That meeting is the last of the chain, and its payment is ordered."""
    code, since = certificate["rules"]["code"], 0
    own = log.sequence(KIND, certificate["settlement"])
    chain = [each for each in stood(log, own) if each["document"]["rules"]["code"] == code]
    before = max(chain, key=lambda each: str(each["document"]["day"]), default=None)
    out = dict.fromkeys(("jackpot_out", "reserve_out"), 0)
    same(certificate, {"previous": digest(before) if before else None}, KIND)
    if before:
        earlier, since = before["document"], before["sequence"]
        need(earlier["day"] < certificate["day"], f"{KIND}.previous", "not of an earlier day")
        log.in_order((ORDER, earlier["settlement"]), (KIND, certificate["settlement"]))
        out = earlier["figures"]
    sent = sent_here(log, code, since, own)
    carried = {f"{name}_in": out[f"{name}_out"] + sent[name] for name in ("jackpot", "reserve")}
    same(certificate["figures"], carried, f"{KIND}.figures")


def check_end(log: Log, certificate: Document) -> None:
    """Check that a bet type that ended sent on what its last settlement left, to the cent [A21]."""
    code, own = certificate["rules"]["code"], log.sequence(KIND, certificate["settlement"])
    if not log.has(END, code):
        return
    end, until = log.document(END, code), log.sequence(END, code)
    same(end, {"bet_type": code}, END)
    need(own < until, END, "the bet type is settled after its end")
    log.dated(END, code, "ended_at")
    of_it = [each for each in log.all(KIND) if each["rules"]["code"] == code]
    last = max(of_it, key=lambda each: (each["day"], each["number"]))
    if certificate == last:
        held = sent_here(log, code, own, until)
        for name in ("jackpot", "reserve"):
            moved = sum(move["cents"] for move in end["moves"] if move["source"] == name)
            held[name] += certificate["figures"][f"{name}_out"]
            need(moved == held[name], f"{END}.moves", f"{moved} cents of {name}, not {held[name]}")
