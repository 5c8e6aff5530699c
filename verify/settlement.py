"""Whether a settlement is right (docs/proofs.md, "Settlements").

    settlement.py KEY CERTIFICATE [previous=CERTIFICATE] [TICKETS SEAL [AMENDMENT ...]]

KEY is the operator's public key in hexadecimal, CERTIFICATE, SEAL and AMENDMENTs are entries of
the public log. Every figure is computed again from the certificate's takings, winners and results;
with TICKETS, the sealed tickets, these are counted again, too; with the certificate before, what is
carried in is held against what was carried out there.
"""

import hashlib
import struct
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from pathlib import Path
from typing import Any

from entry import digest, document, fields, main, need, read, unhex

NAMES = """format settlement number replaces contest day programme programme_sha256 price_cents
    rules seal amendments tickets bets winning_tickets races draws previous lapsed_from figures
    organiser settled_at simulated"""
Cents = dict[int, Any]


# --- Results --------------------------------------------------------------------------------------


def right_numbers(race: dict[str, Any]) -> list[int]:
    """The numbers whose bets are right (14.III.5.4.1, 9.9): a withdrawn horse's bets go to the next
    higher number that took the start, after the last to the first; any of a dead heat is right."""
    programme = race["programme"]
    out = set(race["withdrawn"]) | (set(race["left"]) if race["outcome"] != "not_run" else set())
    field = [n for n in programme if n not in out] or programme
    right = []
    for at, number in enumerate(programme):
        moves = number in race["withdrawn"] and number not in field
        way = programme[at:] + programme[:at] if moves else [number]
        if next((n for n in way if not moves or n in field), 0) in race["winners"]:
            right.append(number)
    return right


def check_race(race: dict[str, Any], draws: dict[int, Any], place: str) -> None:
    drawn = race["outcome"] != "run"
    out = set(race["withdrawn"]) | (set() if race["outcome"] == "not_run" else set(race["left"]))
    possible = set(race["programme"]) - out - (set() if drawn else set(race["disqualified"]))
    possible = possible or set(race["programme"])
    need(bool(race["winners"]), place, "a race without a winner")
    need(set(race["winners"]) <= possible, place, "a winner that cannot have won")
    if drawn:
        need(race["race"] in draws, place, "not run, and no certified draw of it")
        need(race["winners"] == [draws[race["race"]]["winner"]], place, "not what was drawn")
        need(draws[race["race"]]["minutes"] is not None, place, "its draw has no minutes")
    need(race["right"] == right_numbers(race), place, f"right are {right_numbers(race)}")


# --- Money: section 9 of the regulation, in exact fractions ---------------------------------------


def shown(amount: Fraction) -> Any:
    whole = amount.denominator == 1
    return amount.numerator if whole else f"{amount.numerator}/{amount.denominator}"


def table(values: Cents) -> dict[str, Any]:
    return {str(category): shown(Fraction(cents)) for category, cents in values.items()}


def halve(amounts: Cents, won: list[int], winners: Cents) -> list[list[int]]:
    """9.7, first paragraph: from the top, a pair whose lower one pays more is halved."""
    done = []
    for above, below in pairwise(won):
        if Fraction(amounts[below], winners[below]) > Fraction(amounts[above], winners[above]):
            amounts[above] = amounts[below] = Fraction(amounts[above] + amounts[below]) / 2
            done.append([above, below])
    return done


def joined_prizes(amounts: Cents, won: list[int], winners: Cents) -> Cents:
    """9.7, second paragraph: the prizes that never grow downwards, and are closest to the others.

    Each is the least, over every category above, of the greatest mean from there down to any
    category below: joining neighbours in whichever order comes to the same.
    """

    def mean(first: int, last: int) -> Fraction:
        part = won[first : last + 1]
        return Fraction(sum(amounts[c] for c in part), sum(winners[c] for c in part))

    places = range(len(won))
    return {
        won[i]: min(max(mean(a, b) for b in places if b >= i) for a in places if a <= i)
        for i in places
    }


def groups(amounts: Cents, prizes: Cents, won: list[int], winners: Cents) -> list[list[int]]:
    """The categories that one prize came to, of two and more."""
    found: list[list[int]] = []
    group: list[int] = []
    for category in won:
        group.append(category)
        if sum(amounts[c] for c in group) == prizes[category] * sum(winners[c] for c in group):
            found.append(group)
            group = []
    return [each for each in found if len(each) > 1]


def figures(rules: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Every figure of a settlement, from takings, winners, jackpot_in, reserve_in, lapsed_in."""
    winners = {int(c): n for c, n in sorted(given["winners"].items(), key=lambda e: -int(e[0]))}
    categories = list(winners)
    top = categories[0]
    takings, jackpot, reserve = given["takings"], given["jackpot_in"], given["reserve_in"]
    pool = ceil(takings * Fraction(str(rules["prize_percent"])) / 100)
    tested = jackpot + given["lapsed_in"]
    above = tested > rules["jackpot_threshold_cents"]
    percents = rules["shares_above" if above else "shares_below"]
    shares = {c: floor(pool * Fraction(str(percents[str(c)])) / 100) for c in categories}
    to_reserve = floor(pool * Fraction(str(percents["reserve"])) / 100)
    shares[top] = pool - to_reserve - sum(shares[c] for c in categories[1:])
    falling, cascaded = 0, {top: shares[top]}
    for category in categories[1:]:
        falling += shares[category]
        cascaded[category] = falling if winners[category] else 0
        falling = 0 if winners[category] else falling
    won = [c for c in categories if winners[c]]
    paid_out = reserve if winners[top] else 0
    before = cascaded | {top: cascaded[top] + tested + paid_out}
    amounts = dict(before)
    halved = halve(amounts, won, winners)
    halves = {c: amounts[c] for c in won}
    exact = joined_prizes(amounts, won, winners)
    joined = groups(amounts, exact, won, winners)
    after = {c: exact[c] * winners[c] if c in exact else before[c] for c in categories}
    step = rules["payout_step_cents"]
    each = {c: floor(exact[c] / step) * step for c in won}
    total = sum(each[c] * winners[c] for c in won)
    rest = sum(before[c] for c in won) - total
    return {
        "takings": takings, "winners": table(winners), "jackpot_in": jackpot,
        "reserve_in": reserve, "lapsed_in": given["lapsed_in"], "prize_pool": pool,
        "organiser_share": takings - pool, "tested_jackpot": tested,
        "regime": "9.3" if above else "9.2",
        "shares": table(shares) | {"reserve": to_reserve},
        "after_cascade": table(cascaded), "unwon_to_reserve": falling,
        "reserve_paid_out": paid_out, "before_correction": table(before),
        "correction": {"halved": halved, "after_halving": table(halves), "joined": joined},
        "after_correction": table(after), "prize_each": table(each), "prizes_total": total,
        "rounding_remainder": rest, "jackpot_out": 0 if winners[top] else before[top],
        "reserve_out": reserve - paid_out + to_reserve + falling + rest,
    }  # fmt: skip


def check_money(certificate: dict[str, Any]) -> None:
    rules, given = certificate["rules"], certificate["figures"]
    need(len(certificate["races"]) == rules["legs"], "certificate.races", "another number of races")
    categories = [c for c in rules["shares_below"] if c != "reserve"]
    need(set(given.get("winners", ())) == set(categories), "certificate.figures.winners",
         "not the categories of the rules")  # fmt: skip
    for shares in (rules["shares_below"], rules["shares_above"]):
        whole = sum(Fraction(str(percent)) for percent in shares.values())
        need(whole == 100, "certificate.rules", "shares that are not the whole")
    made = figures(rules, given)
    for name in sorted(made.keys() | given.keys()):
        need(name in made and name in given, f"certificate.figures.{name}", "missing or not known")
        need(given[name] == made[name], f"certificate.figures.{name}", f"should be {made[name]}")
    lapsed = sum(each["cents"] for each in certificate["lapsed_from"])
    need(lapsed == given["lapsed_in"], "certificate.lapsed_from", f"not {given['lapsed_in']}")
    organiser, share = certificate["organiser"], given["organiser_share"]
    parts = {
        name: floor(share * Fraction(percent) / 100)
        for name, percent in organiser["percents"].items()
    }
    parts["remainder"] += share - sum(parts.values())
    need(organiser["parts"] == parts, "certificate.organiser", f"the parts should be {parts}")


# --- Tickets --------------------------------------------------------------------------------------


def leaves(name: str, races: int) -> Iterator[tuple[bytes, list[bytes]]]:
    """The leaves of a file of tickets one after the other, and the fields of each."""
    sizes = (None, None, 8, 4, 8, *[4] * races, 32)
    with Path(name).open("rb") as file:
        while first := file.read(4):
            leaf, parts = b"", []
            for size in sizes:
                start = first or file.read(4)
                length = int.from_bytes(start, "big")
                part = file.read(min(length, 100))
                whole = len(start) == 4 and len(part) == length and size in (None, length)
                need(whole, "TICKETS", "a ticket that is not one")
                leaf, first = leaf + start + part, b""
                parts.append(part)
            yield leaf, parts


def root_and(hashes: Iterator[bytes]) -> bytes:
    """The Merkle root (RFC 9162, 2.1.1) of leaves, in the memory of its height."""
    stack: list[tuple[int, bytes]] = []
    for leaf in hashes:
        size, node = 1, leaf
        while stack and stack[-1][0] == size:
            node = hashlib.sha256(b"\1" + stack.pop()[1] + node).digest()
            size *= 2
        stack.append((size, node))
    node = stack.pop()[1] if stack else hashlib.sha256().digest()
    while stack:
        node = hashlib.sha256(b"\1" + stack.pop()[1] + node).digest()
    return node


def winning_bets(masks: list[int], right: list[int], lowest: int) -> dict[int, int]:
    """Of a ticket's bets, how many have so many races right, from `lowest` up."""
    ways = {0: 1}
    for mask, good in zip(masks, right, strict=True):
        hit, miss = (mask & good).bit_count(), (mask & ~good).bit_count()
        more: dict[int, int] = {}
        for hits, bets in ways.items():
            more[hits] = more.get(hits, 0) + bets * miss
            more[hits + 1] = more.get(hits + 1, 0) + bets * hit
        ways = more
    return {hits: bets for hits, bets in ways.items() if bets and hits >= lowest}


def check_tickets(certificate: dict[str, Any], tickets: str, seal: Any, voided: set[int]) -> None:
    """Count the sealed tickets again, but for those that amendments list."""
    right = [sum(1 << (n - 1) for n in race["right"]) for race in certificate["races"]]
    categories = {int(c): 0 for c in certificate["figures"]["winners"]}
    price, sums = certificate["price_cents"], dict.fromkeys(("tickets", "bets", "takings_cents"), 0)
    totals, winning = dict(sums), 0

    def hashes() -> Iterator[bytes]:
        nonlocal winning
        for place, (leaf, parts) in enumerate(leaves(tickets, len(right))):
            bets, cents = struct.unpack("!iq", parts[3] + parts[4])
            masks = [struct.unpack("!i", part)[0] for part in parts[5:-1]]
            whole = 1
            for mask in masks:
                whole *= mask.bit_count()
            need((bets, cents) == (whole, whole * price), "TICKETS",
                 f"ticket {place} has other bets or another price than its marks")  # fmt: skip
            counted = (sums,) if place in voided else (sums, totals)
            for each in counted:
                each["tickets"] += 1
                each["bets"] += bets
                each["takings_cents"] += cents
            if place not in voided:
                won = winning_bets(masks, right, min(categories))
                winning += bool(won)
                for hits, number in won.items():
                    categories[hits] += number
            yield hashlib.sha256(b"\0" + leaf).digest()

    root = root_and(hashes()).hex()
    need(seal["root"] == root, "seal.root", "TICKETS are not the tickets that were sealed")
    for name, sealed in sums.items():
        need(seal[name] == sealed, f"seal.{name}", f"the tickets have {sealed}")
    given = certificate["figures"]
    need(certificate["tickets"] == totals["tickets"], "certificate.tickets", "not as many")
    need(certificate["bets"] == totals["bets"], "certificate.bets", "not as many")
    need(given["takings"] == totals["takings_cents"], "certificate.figures.takings",
         f"the tickets have {totals['takings_cents']}")  # fmt: skip
    counted_winners = {str(c): n for c, n in categories.items()}
    need(given["winners"] == counted_winners, "certificate.figures.winners",
         f"the tickets have {counted_winners}")  # fmt: skip
    need(certificate["winning_tickets"] == winning, "certificate.winning_tickets", f"are {winning}")


def voided_places(certificate: dict[str, Any], entries: list[Any], key: bytes) -> set[int]:
    places: set[int] = set()
    for entry in entries:
        amendment = document(entry, key, "lototrot.amendment", "amendment")
        need(digest(entry) in certificate["amendments"], "amendment", "not one of the certificate")
        need(amendment["contest"] == certificate["contest"], "amendment.contest", "another contest")
        places |= {each["place"] for each in amendment["voided"]}
    need(len(entries) == len(certificate["amendments"]), "AMENDMENT", "every one is needed")
    return places


def check_previous(certificate: dict[str, Any], name: str, key: bytes) -> None:
    """What the meeting before carried out is carried in here (9.5, 9.8)."""
    entry = read(name)
    before = document(entry, key, "lototrot.settlement", "previous")
    need(certificate["previous"] == digest(entry), "certificate.previous", "another certificate")
    for carried in ("jackpot", "reserve"):
        out, into = before["figures"][f"{carried}_out"], certificate["figures"][f"{carried}_in"]
        need(out == into, f"certificate.figures.{carried}_in", f"{out} was carried out before")


def check(key: str, name: str, *words: str) -> str:
    more = [word for word in words if not word.startswith("previous=")]
    public_key = unhex(key, 32, "KEY")
    entry = read(name)
    fields(entry.get("document"), NAMES, "certificate")
    certificate = document(entry, public_key, "lototrot.settlement", "certificate")
    need(certificate["format"] == "lototrot-settlement-1", "certificate.format", "not known")
    need(entry["subject"] == certificate["settlement"], "certificate.subject", "another settlement")
    draws = {each["race"]: each for each in certificate["draws"]}
    for race in certificate["races"]:
        check_race(race, draws, f"certificate.races.{race['position']}")
    check_money(certificate)
    for word in words:
        if word.startswith("previous="):
            check_previous(certificate, word.removeprefix("previous="), public_key)
    given = certificate["figures"]
    sums = f"{given['takings']} cents taken, {given['prizes_total']} in prizes"
    found = f"The settlement holds: {sums}"
    if not more:
        return found + "; without TICKETS, its winners are as the operator counted them."
    need(len(more) > 1, "SEAL", "needed with TICKETS")
    sealed = read(more[1])
    seal = document(sealed, public_key, "lototrot.seal", "seal")
    need(certificate["seal"]["entry"] == digest(sealed), "certificate.seal", "another seal")
    for field, value in certificate["seal"].items():
        need(field == "entry" or value == seal[field], f"certificate.seal.{field}", "not as sealed")
    voided = voided_places(certificate, [read(each) for each in more[2:]], public_key)
    check_tickets(certificate, more[0], seal, voided)
    return found + f", counted again over {seal['tickets']} sealed tickets."


if __name__ == "__main__":
    usage = "settlement.py KEY CERTIFICATE [previous=CERTIFICATE] [TICKETS SEAL [AMENDMENT ...]]"
    main(check, usage)
