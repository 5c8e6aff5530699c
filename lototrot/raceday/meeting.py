"""Acts of the organiser and the stewards on a race day, through the API."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any

from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.people import Staff
from core.tools.raceday.stage import need, wait_for
from lototrot.sample.facts import Outcome, RaceDay, RaceFacts, programme_file

PRICE_CENTS = 100
MAX_BETS = 10_000
CORRECTION_WINDOW_S = 120
SETTLED_WITHIN_S = 60
SEALED_WITHIN_S = 60
RULES = {
    "ca": "Encerteu el guanyador de cada cursa. Es paguen quatre categories.",
    "es": "Acierte el ganador de cada carrera. Se pagan cuatro categorías.",
    "en": "Pick the winner of every race. Four categories are paid.",
}


@dataclass(slots=True)
class Day:
    """A meeting under way: its facts, its contest, and their ids in the API."""

    facts: RaceDay
    staff: Staff
    meeting: dict[str, Any] = field(default_factory=dict)
    contest: int = 0
    race_ids: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def first_start(self) -> datetime:
        """Return the scheduled start of the first race."""
        return min(race.scheduled_start for race in self.facts.programme.races)


def clock_move(staff: Staff, instant: datetime, why: str) -> None:
    """Move simulated time; a system already past that instant stays where it is."""
    try:
        staff["org1"].post("clock", {"now": instant.isoformat(), "reason": why})
    except ApiProblem as problem:
        if problem.code != "clock_backwards":
            raise


def confirm(by: Api, proposal: str) -> None:
    """Confirm another person's proposal."""
    by.post(f"proposals/{proposal}/confirmation")


def rules_record(organiser: Api) -> None:
    """Record the authorised bet type, and the ticket model with the digest of its layout."""
    document = json.loads(files("lototrot").joinpath("bet_types", "lototrot.json").read_text())
    organiser.post("lototrot/bet-types", {"document": document, "authorisation": "DGJ 1/2027"})
    organiser.post(
        "lototrot/ticket-models",
        {
            "code": "roll-80",
            "version": 1,
            "authorisation": "DGJ 2/2027",
            "authorised_on": "2027-01-11",
            "multiple": True,
            "layout": organiser.get("lototrot/ticket-layout")["sha256"],
        },
    )


def programme_enter(day: Day, name: str) -> None:
    """Import the official programme; record the Federation's approval and the internal bets."""
    organiser = day.staff["org1"]
    meeting = json.loads(
        organiser.raw(
            "POST",
            "lototrot/programmes",
            programme_file(name),
            {"Content-Type": "application/json"},
        )
    )
    now = organiser.get("clock")["now"]
    organiser.post(
        f"lototrot/meetings/{meeting['id']}/approval",
        {"approved_by": "Federació Balear de Trot", "approved_at": now, "reference": f"FBT {name}"},
    )
    organiser.post(
        f"lototrot/meetings/{meeting['id']}/internal-bets",
        {
            "types": [{"code": "gemela", "name": "Gemela"}],
            "source": "Explotació de l'hipòdrom",
            "dated_on": now[:10],
        },
    )
    day.meeting = organiser.get(f"lototrot/meetings/{meeting['id']}")
    day.race_ids = {(r["racecourse"], r["number"]): r["id"] for r in day.meeting["races"]}


def contest_put_on_sale(day: Day) -> dict[str, Any]:
    """Prepare, publish and open the contest; return it."""
    organiser = day.staff["org1"]
    contest = organiser.post(
        "lototrot/contests",
        {
            "meeting": day.meeting["id"],
            "bet_type": {"code": "lototrot", "version": 1},
            "ticket_model": {"code": "roll-80", "version": 1},
            "races": [day.race_ids[race.racecourse, race.race] for race in day.facts.races],
            "price_cents": PRICE_CENTS,
            "max_bets": MAX_BETS,
            "scheduled_close_at": day.first_start.isoformat(),
            "correction_window_s": CORRECTION_WINDOW_S,
            "correction_approval": "DGJ 3/2027",
        },
    )
    day.contest = contest["id"]
    organiser.post(f"lototrot/contests/{day.contest}/publication", {"rules": RULES})
    opening = organiser.post(f"lototrot/contests/{day.contest}/opening")
    day.staff["org2"].post(f"proposals/{opening['proposal']}/confirmation")
    return dict(organiser.get(f"lototrot/contests/{day.contest}"))


def withdraw(day: Day, racecourse: str, race: int, number: int) -> None:
    """Enter a withdrawal, which takes effect at once, and have another steward confirm it."""
    entered = day.staff["com1"].post(
        f"lototrot/races/{day.race_ids[racecourse, race]}/withdrawals",
        {"number": number, "source": "Secretaria de l'hipòdrom"},
    )
    confirm(day.staff["com2"], entered["proposal"])


def start(day: Day, race: RaceFacts, delay_s: int = 20) -> None:
    """Report the start of a race some seconds after it happened, and have another confirm it."""
    confirm(day.staff["com2"], start_report(day, race, delay_s))


def start_report(day: Day, race: RaceFacts, delay_s: int = 20) -> str:
    """Report the start of a race, which stops sales. Return the proposal to confirm."""
    clock_move(
        day.staff, race.started_at + timedelta(seconds=delay_s), f"start of race {race.race}"
    )
    reported = day.staff["com1"].post(
        f"lototrot/races/{day.race_ids[race.racecourse, race.race]}/start",
        {"actual_start_at": race.started_at.isoformat(), "source": "Jutge de sortida"},
    )
    return str(reported["proposal"])


def closing_postpone(day: Day, race: RaceFacts, to_at: datetime) -> None:
    """Announce a delayed start, and move the closing to it: organiser and stewards' desk."""
    day.staff["com1"].post(
        f"lototrot/races/{day.race_ids[race.racecourse, race.race]}/announced-start",
        {"start_at": to_at.isoformat(), "source": "Comissaris"},
    )
    later = day.staff["org1"].post(
        f"lototrot/contests/{day.contest}/schedule/postponement",
        {"scheduled_close_at": to_at.isoformat(), "reason": "Sortida endarrerida"},
    )
    confirm(day.staff["com1"], later["proposal"])


def stop(day: Day, race: RaceFacts) -> int:
    """Stop the sales of every contest on a race, by one steward. Return the stop."""
    stopped = day.staff["com1"].post(
        f"lototrot/races/{day.race_ids[race.racecourse, race.race]}/stop",
        {"source": "Jutge de sortida"},
    )
    return int(stopped["id"])


def stop_lift(day: Day, stop_id: int) -> None:
    """Lift a stop, by two stewards: sales go on."""
    lifting = day.staff["com2"].post(
        f"lototrot/stops/{stop_id}/lifting", {"reason": "Sortida falsa"}
    )
    confirm(day.staff["com1"], lifting["proposal"])


def classify(day: Day, race: RaceFacts) -> None:
    """Enter the classification that the stewards announced, and have another confirm it."""
    clock_move(day.staff, race.started_at + timedelta(minutes=6), f"result of race {race.race}")
    now = day.staff["com1"].get("clock")["now"]
    proposal = day.staff["com1"].post(
        f"lototrot/races/{day.race_ids[race.racecourse, race.race]}/classification",
        {
            "runners": [
                _entry(runner.number, runner.outcome, runner.place) for runner in race.runners
            ],
            "announced_text": f"Cursa {race.race}: guanya {' i '.join(map(str, race.winners))}.",
            "announced_at": now,
            "author": "Comissaris de Son Pardo",
        },
    )
    confirm(day.staff["com2"], proposal["proposal"])


def _entry(number: int, outcome: Outcome, place: int | None) -> dict[str, Any]:
    if outcome is Outcome.PLACED and place == 1:
        return {"number": number, "outcome": "winner", "place": 1}
    if outcome is Outcome.PLACED:
        return {"number": number, "outcome": "started", "place": place}
    ran = (Outcome.UNPLACED, Outcome.PULLED_UP)
    return {"number": number, "outcome": "started" if outcome in ran else str(outcome)}


def entries_of(day: Day, kind: str) -> list[dict[str, Any]]:
    """Return the contest's entries of a kind in the public log: one, or none yet."""
    subject = f"contest:{day.contest}"
    return list(day.staff["org1"].get("log", kind=kind, subject=subject)["items"])


def seal_wait(day: Day) -> dict[str, Any]:
    """Wait until the closed contest is sealed; return the seal's entry in the public log."""

    def look() -> dict[str, Any] | None:
        return next(iter(entries_of(day, "lototrot.seal")), None)

    return wait_for(look, f"the seal of contest {day.contest}", within_s=SEALED_WITHIN_S)


def unprinted_stand(day: Day, reason: str) -> int:
    """Wait for the list of tickets without a confirmed print; let all stand, by two persons [E11].

    Return their number.
    """
    path = f"lototrot/contests/{day.contest}/unprinted"
    organiser = day.staff["org1"]
    wait_for(lambda: organiser.get(path)["items"] or None, "the prints", within_s=SEALED_WITHIN_S)
    proposal = organiser.post(f"{path}/decision", {"verdict": "stand", "reason": reason})
    confirm(day.staff["org2"], proposal["proposal"])
    return int(proposal["content"]["tickets"])


def breach_void(day: Day) -> list[dict[str, Any]]:
    """Void all tickets sold after the first start, by two persons; return them."""
    breaches = list(day.staff["org1"].pages(f"lototrot/contests/{day.contest}/breaches"))
    if breaches:
        proposal = day.staff["org1"].post(f"lototrot/contests/{day.contest}/breaches/void")
        confirm(day.staff["org2"], proposal["proposal"])
    return breaches


def settlement_wait(day: Day) -> dict[str, Any]:
    """Ask for the settlement and wait until a worker has stored it."""
    organiser = day.staff["org1"]
    answer = organiser.post(f"lototrot/contests/{day.contest}/settlement")
    need(answer["sent"] or answer["state"] != "closed", "no worker was asked to settle")

    def look() -> dict[str, Any] | None:
        try:
            return dict(organiser.get(f"lototrot/contests/{day.contest}/settlement"))
        except ApiProblem as problem:
            if problem.code != "settlement_unknown":
                raise
        return None

    what = f"the settlement of contest {day.contest}"
    return wait_for(look, what, within_s=SETTLED_WITHIN_S)


def payment_order(day: Day) -> None:
    """Order the payment of the prizes, by two persons."""
    proposal = day.staff["org1"].post(f"lototrot/contests/{day.contest}/payment-order")
    confirm(day.staff["org2"], proposal["proposal"])
