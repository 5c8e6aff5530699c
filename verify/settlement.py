"""Check every figure of a settlement (docs/proofs/settlements.md).

    python settlement.py LOG KEYS SETTLEMENT [TICKETS]

LOG and KEYS are those of public_log.py, SETTLEMENT is the id of one. Every figure is computed again
by the regulation's rules (money.py), from results whose draws hold (draw.py), balances carried over
from the settlement before, and tickets: as the operator counted them, or, with TICKETS, the file of
the sealed tickets, as they are (tickets.py).
"""

from typing import Any

from chain import (
    SEAL,
    check_alone,
    check_carried,
    check_end,
    check_sold,
    check_waited,
)
from chance import MINUTES, OUTCOME
from draw import draw_holds
from entry import digest_of, euros, main, same
from forms import need
from money import check_organiser, figures
from public_log import Log
from races import (
    REVERSAL,
    check_numbers,
    check_order,
    is_corrected,
    known_at,
    right_numbers,
    sales_limit,
    starters,
)
from tickets import KIND, check_tickets, voided_places

Document = dict[str, Any]


def check_race(log: Log, race: Document, place: str) -> None:
    """Check a race: its winners ran, or are those of its draw (5.4.2, 5.4.3), it started before its
    result, and the right numbers are those of bets on a winner, on any of a dead heat (9.9)."""
    check_numbers(race, place)
    possible = set(starters(race, race["outcome"])) - set(race["disqualified"])
    if race["outcome"] != "run":
        need(race["draw"], f"{place}.draw", "missing, and the race was not run")
        draw = race["draw"]["draw"]
        minutes = draw_holds(log, draw)
        same(minutes, {"kind": "lototrot.race"}, MINUTES)
        same(race["draw"], {"minutes": log.digest(MINUTES, draw)}, f"{place}.draw")
        names = ("race", "programme", "withdrawn", "left")
        facts = {name: minutes["facts"][name] for name in names}
        drawn = {
            "outcome": minutes["facts"]["declaration"],
            "winners": [int(minutes["order"][0])],
            "official_at": minutes["certified_at"],
        }
        same(race, facts | drawn, place)
        before = not race["started_at"] or race["started_at"] < minutes["declared_at"]
        need(before, f"{place}.started_at", "not before the declaration that the race is drawn")
    else:
        need(race["draw"] is None, f"{place}.draw", "of a race that was run")
        need(set(race["winners"]) <= possible, f"{place}.winners", "one cannot have won")
    started = (race["outcome"] == "not_run") == (race["started_at"] is None)
    need(started, f"{place}.started_at", "missing, or of a race that was not run")
    before = not race["started_at"] or race["started_at"] < race["official_at"]
    need(before, f"{place}.started_at", "not before the result")
    once = race["winners"] == sorted(set(race["winners"]))
    need(race["winners"] and once, f"{place}.winners", "none, or one twice")
    same(race, {"right": right_numbers(race)}, place)


def check_drawn(log: Log, certificate: Document, race: Document, place: str) -> None:
    """Check that a race with an order of a draw has no other result (5.4.2), and that the contest
    was among those whose tickets were sealed before the draw."""
    if race["outcome"] == "run":
        of_it = {"kind": "lototrot.race", "subject": f"race:{race['race']}"}
        for each in log.all(OUTCOME):
            is_drawn = all(each[name] == value for name, value in of_it.items())
            need(not is_drawn, f"{place}.outcome", f"run, and {each['draw']} drew it")
        return
    sealed = {"contest": certificate["contest"], "seal": certificate["seal"]["entry"]}
    contests = log.document(MINUTES, race["draw"]["draw"])["facts"]["contests"]
    need(sealed in contests, f"{MINUTES}.facts.contests", "without the contest and its seal")


def check_terms(log: Log, certificate: Document) -> None:
    """Check that races, fields, price and rules are those that were sealed with the tickets, before
    there was any result, and with which the contest was put on sale."""
    check_sold(log, certificate["contest"])
    legs = [{name: race[name] for name in ("race", "programme")} for race in certificate["races"]]
    terms = {"legs": legs, "races": len(legs), "price_cents": certificate["price_cents"]}
    rules = {"rules": digest_of(certificate["rules"])}
    same(log.document(SEAL, f"contest:{certificate['contest']}"), terms | rules, SEAL)


def check(log_file: str, keys: str, settlement: str, tickets: str = "") -> str:
    log = Log(log_file, keys)
    certificate = log.document(KIND, settlement)
    rules, money_figures = certificate["rules"], certificate["figures"]
    same(certificate, {"settlement": settlement}, KIND)
    log.dated(KIND, settlement, "settled_at")
    check_alone(log, certificate)
    need(len(certificate["races"]) == rules["legs"], f"{KIND}.races", f"not {rules['legs']}")
    for number, race in enumerate(certificate["races"]):
        same(race, {"position": number + 1}, f"{KIND}.races[{number}]")
        check_race(log, race, f"{KIND}.races[{number}]")
        check_drawn(log, certificate, race, f"{KIND}.races[{number}]")
    voided = voided_places(log, certificate)
    check_terms(log, certificate)
    check_waited(log, certificate)
    check_carried(log, certificate)
    check_end(log, certificate)
    lapsed = sum(each["cents"] for each in certificate["lapsed_from"])
    same(money_figures, {"lapsed_in": lapsed}, f"{KIND}.figures")
    same(money_figures, figures(rules, money_figures), f"{KIND}.figures")
    check_organiser(certificate["organiser"], money_figures["organiser_share"], f"{KIND}.organiser")
    taken, prizes = (euros(money_figures[name]) for name in ("takings", "prizes_total"))
    result = f"{taken} taken, {prizes} in prizes"
    if tickets:
        limit = sales_limit(log, certificate)
        result += f", {check_tickets(certificate, tickets, voided, limit)}"
    else:
        result += "; without TICKETS, its winners are as the operator counted them"
    corrected = sum(is_corrected(log, race) for race in certificate["races"])
    result += f"; STARTS CORRECTED AFTER THE DRAW BEGAN: {corrected}" if corrected else ""
    result += check_order(log, certificate)
    sealed_at = log.published_at(SEAL, f"contest:{certificate['contest']}")
    if sealed_at > min(known_at(log, race) for race in certificate["races"]):
        result += "; SEALED ONLY AFTER A RESULT"
    stands = "REVERSED since" if log.has(REVERSAL, settlement) else "The settlement holds"
    return f"{stands}: {result}."


if __name__ == "__main__":
    main(check, "settlement.py LOG KEYS SETTLEMENT [TICKETS]")
