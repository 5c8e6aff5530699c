"""Check every figure of a settlement (docs/proofs.md, "Settlements").

    python settlement.py LOG KEYS SETTLEMENT [TICKETS]

LOG and KEYS are those of public_log.py, SETTLEMENT is the id of one. Every figure is computed again
by the regulation's rules (money.py), from results whose draws hold (draw.py), balances carried over
from the settlement before, and tickets: as the operator counted them, or, with TICKETS, the file of
the sealed tickets, as they are (tickets.py).
"""

from fractions import Fraction
from math import floor
from typing import Any

from draw import draw_holds
from entry import digest, main, same
from forms import need
from money import figures
from public_log import Log
from races import check_numbers, check_order, right_numbers, starters
from tickets import check_tickets

KIND, REVERSAL = "lototrot.settlement", "lototrot.settlement_reversal"
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


def voided_places(log: Log, certificate: Document) -> set[int]:
    """Check that the tickets are those of the seal without those voided by published amendments.

    All published amendments count. Return the places of the voided tickets.
    """
    contest = f"contest:{certificate['contest']}"
    seal, left = log.document("lototrot.seal", contest), log.document("lototrot.seal", contest)
    same(seal, {"contest": certificate["contest"]}, "lototrot.seal")
    same(certificate, {"day": seal["day"], "programme_sha256": seal["programme"]}, KIND)
    same(certificate["rules"], {"code": seal["bet_type"], "legs": seal["races"]}, f"{KIND}.rules")
    sealed = {name: seal[name] for name in ("root", "tickets", "bets", "takings_cents")}
    entry = log.digest("lototrot.seal", contest)
    same(certificate, {"seal": {"entry": entry, **sealed}}, KIND)
    places: set[int] = set()
    entries: list[str] = []
    while log.has("lototrot.amendment", f"{contest}:{len(entries) + 1}"):
        subject = f"{contest}:{len(entries) + 1}"
        amendment = log.document("lototrot.amendment", subject)
        after = {name: left[name] - amendment["taken"][name] for name in amendment["taken"]}
        expected = {"contest": seal["contest"], "number": len(entries) + 1, "seal": entry}
        same(amendment, expected | {"left": after}, "lototrot.amendment")
        voided = {each["place"] for each in amendment["voided"]} - places
        good = len(voided) == len(amendment["voided"]) == amendment["taken"]["tickets"]
        need(good, "lototrot.amendment.voided", "not so many tickets, each once")
        places, left = places | voided, after
        entries.append(log.digest("lototrot.amendment", subject))
    counted = {"amendments": entries, "tickets": left["tickets"], "bets": left["bets"]}
    same(certificate, counted, KIND)
    same(certificate["figures"], {"takings": left["takings_cents"]}, f"{KIND}.figures")
    takings = certificate["price_cents"] * left["bets"]
    need(takings == left["takings_cents"], f"{KIND}.price_cents", "not that of so many bets")
    return places


def check_carried(log: Log, certificate: Document) -> None:
    """Check that jackpot and reserve are those that the previous meeting left (9.5, 9.8) [A4]."""
    carried = {"jackpot_in": 0, "reserve_in": 0}
    if certificate["previous"]:
        earlier = [
            each
            for (kind, _), each in log.entries.items()
            if kind == KIND and digest(each) == certificate["previous"]
        ]
        need(earlier, f"{KIND}.previous", "not in the log")
        before = earlier[0]["document"]
        need(before["rules"]["code"] == certificate["rules"]["code"], f"{KIND}.previous", "another")
        stands = not log.has(REVERSAL, before["settlement"]) and before["day"] < certificate["day"]
        need(stands, f"{KIND}.previous", "reversed, or not of an earlier day")
        out = before["figures"]
        carried = {"jackpot_in": out["jackpot_out"], "reserve_in": out["reserve_out"]}
    same(certificate["figures"], carried, f"{KIND}.figures")


def organiser_parts(share: int, percents: dict[str, Any]) -> dict[str, int]:
    """Divide the organiser's share into parts, rounded down; the remainder takes the rest (6.1)."""
    parts = {name: floor(share * Fraction(each) / 100) for name, each in percents.items()}
    parts["remainder"] = parts.get("remainder", 0) + share - sum(parts.values())
    return parts


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
    lapsed = sum(each["cents"] for each in certificate["lapsed_from"])
    same(money_figures, {"lapsed_in": lapsed}, f"{KIND}.figures")
    same(money_figures, figures(rules, money_figures), f"{KIND}.figures")
    organiser = certificate["organiser"]
    whole = sum(Fraction(each) for each in organiser["percents"].values())
    need(whole == 100, f"{KIND}.organiser.percents", "does not add up to 100")
    parts = organiser_parts(money_figures["organiser_share"], organiser["percents"])
    same(organiser, {"parts": parts}, f"{KIND}.organiser")
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
