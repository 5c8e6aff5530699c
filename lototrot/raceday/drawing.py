"""Play a meeting with a race that is not run: its public draw, and the checks from outside."""

from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.outside import Check, Outsider
from core.tools.raceday.show import counted, doing, heading, listed, note, step
from core.tools.raceday.stage import Stage, need
from lototrot.raceday import meeting as office
from lototrot.raceday import selling, show
from lototrot.raceday.meeting import Day
from lototrot.sample import facts
from lototrot.sample.facts import RaceFacts

SALES = selling.Mix(singles=100, multiples=120, quick_picks=20)
TERMINALS = 16
"""Terminals that sell on this day; each signs its operator on again."""
DICE = "3 1 6 1 4 2 5 3 6 4 2 2"
MEANS = {"source": "dice", "pieces": 12}


def tell(stage: Stage) -> None:
    """Play a meeting whose last race is not run, and check it from outside."""
    raceday = facts.load(facts.MANACOR)
    morning = min(race.started_at for race in raceday.races) - timedelta(hours=3)
    stage.move_to(morning, "the next day's meeting")
    day = Day(raceday, stage.staff)
    tickets = _sell(stage, day)
    *run, called_off = raceday.races
    for place, race in enumerate(run):
        doing(f"running race {race.race}")
        office.start(day, race)
        if not place:
            sealed = office.seal_wait(day)
            count = counted(sealed["document"]["tickets"], "ticket")
            step(f"The first start closes the contest; {count} sealed")
        office.classify(day, race)
    step(f"{counted(len(run), 'race')} are run and their results confirmed")
    unprinted = office.unprinted_stand(day, "The player has the paper in hand.")
    need(unprinted == 1, f"{unprinted} tickets are without a confirmed print")
    step("Every print was confirmed but one; two persons let that ticket stand")
    drawn = _draw(stage, day, called_off)
    show.settlement(office.settlement_wait(day), day.meeting["day"])
    office.payment_order(day)
    step("Two persons order the payment of the prizes")
    with TemporaryDirectory() as folder:
        _look_from_outside(stage, day, Outsider(stage.api, Path(folder)), drawn, tickets)


def _sell(stage: Stage, day: Day) -> list[dict[str, Any]]:
    office.programme_enter(day, facts.MANACOR)
    show.programme(day.meeting)
    office.contest_put_on_sale(day)
    sellers = stage.sellers[:TERMINALS]
    selling.display_acknowledge(day, sellers)
    withdrawn = day.facts.withdrawals
    for scratched in withdrawn:
        office.withdraw(day, scratched.racecourse, scratched.race, scratched.number)
    doing(f"selling at {TERMINALS} terminals")
    sold = selling.sell_many(day, sellers, 3, SALES, withdrawn)
    need(not sold.refusals, f"sales refused: {dict(sold.refusals)}")
    step(f"{counted(len(sold.tickets), 'ticket')} sold at {TERMINALS} terminals:")
    selling.show_kinds(sold)
    selling.prints_confirm(sellers, sold.tickets[:-1])
    return sold.tickets


def _draw(stage: Stage, day: Day, race: RaceFacts) -> str:
    """Declare the race not run and draw it with a player's dice; return the draw's id."""
    heading(f"Race {race.race} is not run: a public draw (14.III.5.4.2)")
    organiser, inspector = day.staff["org1"], day.staff["int1"]
    office.clock_move(day.staff, race.started_at, "the storm")
    race_id = day.race_ids[race.racecourse, race.race]
    declared = day.staff["com1"].post(
        f"lototrot/races/{race_id}/declaration",
        {"kind": "not_run", "reason": "Tempesta: la pista és impracticable"},
    )
    office.confirm(day.staff["com2"], declared["proposal"])
    (announced,) = stage.sellers[0].api.get("lototrot/terminal/contests")["draws"]
    planned = selling.clock_time(announced["planned_at"])
    step(f"Every terminal announces the draw, at {planned}: {announced['place']}")
    path = f"draws/{announced['draw']}"
    inspector.post(f"{path}/attendance")
    _need_refused(organiser, f"{path}/commitment", MEANS, "draw_before_announced")
    step("Before that time it cannot begin")
    planned_at = datetime.fromisoformat(announced["planned_at"])
    office.clock_move(day.staff, planned_at, "the announced time of the draw")
    committed = organiser.post(f"{path}/commitment", MEANS)
    step(f"Numbers {listed(committed['entries'])} take part; the program commits itself to")
    note(f"a secret, of which it publishes the digest {committed['commitment'][:16]}…")
    entropy = {"source": "dice", "text": DICE, "witness": "Una jugadora del públic"}
    drawn = inspector.post(f"{path}/entropy", entropy)
    step(f"A player from the public throws the dice {DICE}")
    note(f"Secret and dice together give the order {listed(drawn['order'])}.")
    other = entropy | {"text": DICE[::-1]}
    _need_refused(inspector, f"{path}/entropy", other, "entropy_given")
    step("Other dice are refused: nothing is drawn twice")
    certified = inspector.post(f"{path}/certificate", {"observations": "Sense incidències"})
    need(certified["late"] is False, "the draw is late")
    for language in ("ca", "es"):
        paper = stage.api.raw("GET", f"{path}/minutes.pdf", query={"lang": language})
        need(paper.startswith(b"%PDF"), "the minutes are no PDF")
    step(
        f"{certified['inspectors'][0]['name']}, inspector, certifies the draw and signs its minutes"
    )
    return str(announced["draw"])


def _need_refused(by: Api, path: str, body: dict[str, Any], code: str) -> None:
    try:
        by.post(path, body)
    except ApiProblem as problem:
        need(problem.code == code, f"{path} was refused as {problem.code}, not {code}")
    else:
        need(False, f"{path} was not refused")


def _look_from_outside(
    stage: Stage, day: Day, outsider: Outsider, drawn: str, tickets: list[dict[str, Any]]
) -> None:
    """Check a ticket, the draw, the settlement and the log; then change one thing in each."""
    heading("Checked from outside, with the scripts of verify/ alone")
    key, log, ticket = outsider.key, outsider.log(), tickets[0]
    proof = stage.api.post("lototrot/proofs", {"code": ticket["code"]})
    certificate = stage.api.get(f"lototrot/contests/{day.contest}/certificate.json")
    settlement: str = certificate["document"]["settlement"]
    sealed = day.staff["aud1"].raw("GET", f"lototrot/contests/{day.contest}/sealed-tickets")
    file = outsider.keep("tickets", sealed)
    outsider.check_all(
        [
            Check("ticket.py", (outsider.keep("proof.json", proof), ticket["code"], key, log)),
            Check("contests.py", (log, key)),
            Check("draw.py", (log, key, drawn)),
            Check("settlement.py", (log, key, settlement, file)),
            Check("public_log.py", (log, key)),
        ]
    )
    here, code = stage.api.base_url, ticket["code"]
    step(f"Its holder does the same with: python verify/fetch.py {here} mine {code}")
    step("Now somebody changes one thing in each document:")
    proof["ticket"]["amount_cents"] += 100
    dearer = outsider.keep("other-proof.json", proof)
    order = outsider.log_changed("draws.minutes", drawn, "order", lambda order: order[::-1])
    fewer = outsider.log_changed(
        "lototrot.settlement", settlement, "bets", lambda bets: bets - 1, name="fewer-log.jsonl"
    )
    flipped = bytearray(sealed)
    flipped[len(sealed) // 2] ^= 1
    one_bit = outsider.keep("other-tickets", bytes(flipped))
    outsider.check_all(
        [
            Check("ticket.py", (dearer, ticket["code"], key), "a ticket that cost more"),
            Check("draw.py", (order, key, drawn), "another order of the draw"),
            Check("settlement.py", (fewer, key, settlement), "a settlement with one bet less"),
            Check("settlement.py", (log, key, settlement, one_bit), "one bit of the tickets"),
        ]
    )
