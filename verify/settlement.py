"""Check every figure of a settlement (docs/proofs.md, "Settlements").

    python settlement.py LOG KEYS SETTLEMENT [TICKETS]

LOG and KEYS are those of public_log.py, SETTLEMENT is the id of one. Every figure is computed again
by the regulation's rules (money.py), from results whose draws hold (draw.py), balances carried over
from the settlement before, and tickets: as the operator counted them, or, with TICKETS, the file of
the sealed tickets, as they are (tickets.py).
"""

from collections import Counter
from typing import Any

from draw import draw_holds
from entry import digest, main, same
from forms import need
from money import check_organiser, figures
from public_log import Log
from races import check_numbers, check_order, right_numbers, starters
from tickets import KIND, check_tickets, voided_places

REVERSAL, END = "lototrot.settlement_reversal", "lototrot.end"
Document = dict[str, Any]


def check_race(log: Log, race: Document, place: str) -> None:
    """Check a race: its winners ran, or are those of its draw (5.4.2, 5.4.3), and the right numbers
    are those of bets on a winner, on any of a dead heat (9.9)."""
    check_numbers(race, place)
    possible = set(starters(race, race["outcome"])) - set(race["disqualified"])
    if race["outcome"] != "run":
        need(race["draw"], f"{place}.draw", "missing, and the race was not run")
        draw = race["draw"]["draw"]
        minutes = draw_holds(log, draw)
        same(minutes, {"kind": "lototrot.race"}, "draws.minutes")
        same(race["draw"], {"minutes": log.digest("draws.minutes", draw)}, f"{place}.draw")
        facts = {name: minutes["facts"][name] for name in ("race", "programme", "withdrawn")}
        drawn = {
            "outcome": minutes["facts"]["declaration"],
            "winners": [int(minutes["order"][0])],
            "official_at": minutes["certified_at"],
        }
        same(race, facts | drawn, place)
    else:
        need(race["draw"] is None, f"{place}.draw", "of a race that was run")
        need(set(race["winners"]) <= possible, f"{place}.winners", "one cannot have won")
    once = race["winners"] == sorted(set(race["winners"]))
    need(race["winners"] and once, f"{place}.winners", "none, or one twice")
    same(race, {"right": right_numbers(race)}, place)


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


def check_carried(log: Log, certificate: Document) -> None:
    """Check that jackpot and reserve are those that the previous meeting left (9.5, 9.8) [A4], with
    what was sent here since."""
    code, since = certificate["rules"]["code"], 0
    out = dict.fromkeys(("jackpot_out", "reserve_out"), 0)
    if certificate["previous"]:
        earlier = [
            each
            for (kind, _), each in log.entries.items()
            if kind == KIND and digest(each) == certificate["previous"]
        ]
        need(earlier, f"{KIND}.previous", "not in the log")
        before, since = earlier[0]["document"], earlier[0]["sequence"]
        need(before["rules"]["code"] == code, f"{KIND}.previous", "another")
        stands = not log.has(REVERSAL, before["settlement"]) and before["day"] < certificate["day"]
        need(stands, f"{KIND}.previous", "reversed, or not of an earlier day")
        out = before["figures"]
    own = log.entry(KIND, certificate["settlement"])["sequence"]
    sent = sent_here(log, code, since, own)
    carried = {f"{name}_in": out[f"{name}_out"] + sent[name] for name in ("jackpot", "reserve")}
    same(certificate["figures"], carried, f"{KIND}.figures")


def check_end(log: Log, certificate: Document) -> None:
    """Check that a bet type that ended sent on what its last settlement left, to the cent [A21]."""
    code, own = certificate["rules"]["code"], log.entry(KIND, certificate["settlement"])["sequence"]
    if not log.has(END, code):
        return
    end, until = log.document(END, code), log.entry(END, code)["sequence"]
    same(end, {"bet_type": code}, END)
    need(own < until, END, "the bet type is settled after its end")
    of_it = [each for each in log.all(KIND) if each["rules"]["code"] == code]
    last = max(of_it, key=lambda each: (each["day"], each["number"]))
    if certificate == last:
        held = sent_here(log, code, own, until)
        for name in ("jackpot", "reserve"):
            moved = sum(move["cents"] for move in end["moves"] if move["source"] == name)
            held[name] += certificate["figures"][f"{name}_out"]
            need(moved == held[name], f"{END}.moves", f"{moved} of the {name}, not {held[name]}")


def check(log_file: str, keys: str, settlement: str, tickets: str = "") -> str:
    log = Log(log_file, keys)
    certificate = log.document(KIND, settlement)
    rules, money_figures = certificate["rules"], certificate["figures"]
    same(certificate, {"settlement": settlement}, KIND)
    replaced = certificate["replaces"] is None or log.has(REVERSAL, certificate["replaces"])
    need(replaced, f"{KIND}.replaces", "was never reversed")
    need(len(certificate["races"]) == rules["legs"], f"{KIND}.races", f"not {rules['legs']}")
    for number, race in enumerate(certificate["races"]):
        same(race, {"position": number + 1}, f"{KIND}.races[{number}]")
        check_race(log, race, f"{KIND}.races[{number}]")
    voided = voided_places(log, certificate)
    check_carried(log, certificate)
    check_end(log, certificate)
    lapsed = sum(each["cents"] for each in certificate["lapsed_from"])
    same(money_figures, {"lapsed_in": lapsed}, f"{KIND}.figures")
    same(money_figures, figures(rules, money_figures), f"{KIND}.figures")
    check_organiser(certificate["organiser"], money_figures["organiser_share"], f"{KIND}.organiser")
    result = f"{money_figures['takings']} cents taken, {money_figures['prizes_total']} in prizes"
    if tickets:
        counted = check_tickets(certificate, tickets, voided)
        result += f", counted again over {counted} sealed tickets"
    else:
        result += "; without TICKETS, its winners are as the operator counted them"
    result += check_order(log, certificate)
    stands = "REVERSED since" if log.has(REVERSAL, settlement) else "The settlement holds"
    return f"{stands}: {result}."


if __name__ == "__main__":
    main(check, "settlement.py LOG KEYS SETTLEMENT [TICKETS]")
