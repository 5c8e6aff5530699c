"""The day after: a race that is not run, its public draw, and an outsider who checks it all."""

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.tools.raceday.api import ApiProblem
from core.tools.raceday.outside import Outsider
from core.tools.raceday.show import heading, step
from core.tools.raceday.stage import Stage, need
from lototrot.raceday import meeting as office
from lototrot.raceday import selling, show
from lototrot.raceday.meeting import Day
from lototrot.sample import facts
from lototrot.sample.facts import RaceFacts

SALES = selling.Mix(singles=300, multiples=120, quick_picks=60)
DICE = "3 1 6 1 4 2 5 3 6 4 2 2"
PLACE = "Oficina Central de Pagament de Premis, Palma"


def tell(stage: Stage) -> None:
    raceday = facts.load(facts.MANACOR)
    morning = min(race.started_at for race in raceday.races) - timedelta(hours=3)
    stage.another_day(morning, "the next day's meeting")
    day = Day(raceday, stage.staff)
    tickets = _sell(stage, day)
    *run, called_off = raceday.races
    for place, race in enumerate(run):
        office.start(day, race)
        if not place:
            sealed = office.seal_wait(day)
            step(f"{sealed['document']['tickets']} tickets sealed, log entry {sealed['sequence']}")
        office.classify(day, race)
    step(f"{len(run)} races run and classified")
    drawn = _draw(stage, day, called_off)
    show.settlement(office.settlement_wait(day))
    office.payment_order(day)
    step("payment ordered by two persons")
    with TemporaryDirectory() as folder:
        _look_from_outside(stage, day, Outsider(stage.api, Path(folder)), drawn, tickets)


def _sell(stage: Stage, day: Day) -> list[dict[str, Any]]:
    office.programme_enter(day, facts.MANACOR)
    show.programme(day.meeting)
    office.contest_put_on_sale(day)
    selling.display_acknowledge(day, stage.sellers)
    withdrawn = day.facts.withdrawals
    for each in withdrawn:
        office.withdraw(day, each.racecourse, each.race, each.number)
    sold = selling.sell_many(day, stage.sellers, 3, SALES, withdrawn)
    need(not sold.refusals, f"sales refused: {dict(sold.refusals)}")
    step(f"{len(sold.tickets)} tickets sold on contest {day.contest}")
    return sold.tickets


def _draw(stage: Stage, day: Day, race: RaceFacts) -> str:
    """Declare the race not run and draw it, with an inspector and a player's dice; its id."""
    heading(f"Race {race.race} is not run: a public draw (14.III.5.4.2)")
    organiser, inspector = day.staff["org1"], day.staff["int1"]
    office.clock_move(day.staff, race.started_at, "the storm")
    race_id = day.race_ids[race.racecourse, race.race]
    day.staff["com1"].post(
        f"lototrot/races/{race_id}/declaration",
        {"kind": "not_run", "reason": "Tempesta: la pista és impracticable", "draw_place": PLACE},
    )
    (told,) = stage.sellers[0].api.get("lototrot/terminal/contests")["draws"]
    step(f"announced on every terminal: {told['place']}, by {told['due_at']} at the latest")
    path = f"draws/{told['draw']}"
    inspector.post(f"{path}/attendance")
    committed = organiser.post(f"{path}/commitment")
    step(f"{', '.join(committed['entries'])} in the draw; committed to {committed['commitment']}")
    given = {"source": "dice", "text": DICE, "witness": "Una jugadora del públic"}
    drawn = organiser.post(f"{path}/entropy", given)
    step(f"her dice {DICE} give the order {', '.join(drawn['order'])}")
    try:
        organiser.post(f"{path}/entropy", given | {"text": DICE[::-1]})
    except ApiProblem as problem:
        need(problem.code == "entropy_given", f"other dice were refused as {problem.code}")
        step("other dice are refused: nothing is drawn twice")
    else:
        need(False, "the race was drawn a second time")
    certified = inspector.post(f"{path}/certificate", {"observations": "Sense incidències"})
    need(certified["late"] is False, "the draw is late")
    for language in ("ca", "es"):
        paper = stage.api.raw("GET", f"{path}/minutes.pdf", query={"lang": language})
        need(paper.startswith(b"%PDF"), "the minutes are no PDF")
    step(f"certified by {certified['inspectors'][0]['name']}; minutes in Catalan and Spanish")
    return str(told["draw"])


def _look_from_outside(
    stage: Stage, day: Day, outsider: Outsider, drawn: str, tickets: list[dict[str, Any]]
) -> None:
    """Check a ticket, the draw, the settlement, the log; then change one thing in each."""
    heading("Seen from outside, with the scripts of verify/ alone")
    key, log, ticket = outsider.key, outsider.log(), tickets[0]
    proof = stage.api.post("lototrot/proofs", {"code": ticket["code"]})
    certificate = stage.api.get(f"lototrot/contests/{day.contest}/certificate")
    settlement: str = certificate["document"]["settlement"]
    sealed = day.staff["aud1"].raw("GET", f"lototrot/contests/{day.contest}/sealed-tickets")
    file = outsider.keep("tickets", sealed)
    outsider.check("ticket.py", outsider.keep("proof.json", proof), ticket["code"], key)
    outsider.check("draw.py", log, key, drawn)
    outsider.check("settlement.py", log, key, settlement, file)
    outsider.check("public_log.py", log, key)

    proof["ticket"]["amount_cents"] += 100
    other = outsider.keep("other-proof.json", proof)
    outsider.refuse("a ticket made dearer", "ticket.py", other, ticket["code"], key)
    order = outsider.log_changed("draws.minutes", drawn, "order", lambda found: found[::-1])
    outsider.refuse("another order", "draw.py", order, key, drawn)
    less = outsider.log_changed("lototrot.settlement", settlement, "bets", lambda bets: bets - 1)
    outsider.refuse("a bet less", "settlement.py", less, key, settlement)
    flipped = bytearray(sealed)
    flipped[len(sealed) // 2] ^= 1
    one_bit = outsider.keep("other-tickets", bytes(flipped))
    outsider.refuse("a bit of the tickets", "settlement.py", log, key, settlement, one_bit)
