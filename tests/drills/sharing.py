"""A drill of histories: terminals ask for the same tickets and vouchers while a primary dies.

All tries are recorded, with those that got no answer. The sequential models of `tests/histories`
must explain every answer, across the promotion of another database.
"""

import json
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import psycopg

from core.tools.raceday.api import SERVER_CLOCK
from tests.drills.crowd import PAYMENTS, SALES, Crowd, _Line
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome
from tests.histories.checker import fault_in_words
from tests.histories.contest import ContestModel
from tests.histories.document import DocumentModel
from tests.histories.history import Act, Answer, Recorder

TERMINALS, TICKETS, VOUCHERS = 8, 60, 12
CLOSES_IN_S, AFTER_S, WITHIN_S = 60.0, 5.0, 120.0


def histories(ground: Ground, rounds: int) -> Outcome:
    """Kill the primary's server and delete its data while terminals share what they ask for."""
    outcome = Outcome()
    for _ in range(rounds):
        _round(ground, outcome)
        outcome.rounds += 1
        ground.cluster.wait_standbys()
    outcome.passed = not outcome.lost
    return outcome


@dataclass(frozen=True, slots=True)
class _Shared:
    """A round's goods: a body of a sale, vouchers with their cents, and UUIDs by name."""

    sale: dict[str, Any]
    vouchers: Sequence[tuple[str, int]]
    idents: dict[str, uuid.UUID]


def _round(ground: Ground, outcome: Outcome) -> None:
    vouchers = _vouchers(ground)
    crowd = ground.crowd_of(TERMINALS, closes_in_s=CLOSES_IN_S)
    began = time.monotonic()
    idents = {f"T{n}": SERVER_CLOCK.request_uuid() for n in range(TICKETS)}
    shared = _Shared(crowd._goods.sales[0], vouchers, idents)
    recorder, stop = Recorder(), threading.Event()
    threads = [
        threading.Thread(target=_terminal, args=(crowd, n, shared, recorder, stop), daemon=True)
        for n in range(TERMINALS)
    ]
    for thread in threads:
        thread.start()
    pause_s = 1 + ground.random.random()  # of the drill's seed
    time.sleep(pause_s)
    lost = ground.cluster.wait_primary()
    ground.cluster.machines[lost].signal_programs("postgres", "KILL")
    ground.cluster.delete_data(lost)
    ground.cluster.wait_primary(but=lost)
    time.sleep(max(0.0, began + CLOSES_IN_S + AFTER_S - time.monotonic()))
    stop.set()
    for thread in threads:
        thread.join()
    _judge(ground, shared, recorder, outcome)
    ground.cluster.new_disk(lost)


def _judge(ground: Ground, shared: _Shared, recorder: Recorder, outcome: Outcome) -> None:
    """Check the history of the contest, and that of each voucher."""
    closes_at, read = _read(ground, shared)
    recorder.do(0, "read", lambda: read)
    acts = recorder.acts
    # The clock and the sweeper close by themselves, at an instant that nobody recorded. A sale
    # without an answer whose ticket is not there in the end has never happened.
    unseen = [Act(0, kind, "", 0.0) for kind in ("clock", "close", "seal")]
    sales = [
        act
        for act in acts
        if act.kind == "read"
        or (act.kind == "sell" and (act.answer is not None or act.subject in read.live))
    ]
    model: Any = ContestModel(closes_at, shared.sale["amount_cents"])
    objects = {"the contest": (model, sales + unseen)}
    for number in range(len(shared.vouchers)):
        paid = [act for act in acts if act.subject == f"V{number}"]
        objects[f"voucher V{number}"] = (DocumentModel(closes_at + timedelta(days=20)), paid)
    for name, (of_object, its_acts) in objects.items():
        if words := fault_in_words(of_object, its_acts, name):
            outcome.lost += 1
            outcome.notes.append(words)
    outcome.figures["acts"] = outcome.figures.get("acts", 0) + len(acts)
    unanswered = sum(act.answer is None for act in acts)
    outcome.figures["unanswered"] = outcome.figures.get("unanswered", 0) + unanswered


def _read(ground: Ground, shared: _Shared) -> tuple[datetime, Answer]:
    """Return when the contest was to close, and what the promoted database has of it."""
    from tests.histories.selling import READ

    contest = shared.sale["contest"]
    names = {ident: name for name, ident in shared.idents.items()}
    with psycopg.connect(ground.cluster.environment["DATABASE_OWNER_URL"]) as session:
        row: Any = session.execute(READ, [contest]).fetchone()
        closing: Any = session.execute(
            "SELECT scheduled_close_at FROM lototrot_contest WHERE id = %s", [contest]
        ).fetchone()
    phase, live, void, newest, takings_cents = row
    facts = {
        "phase": phase,
        "live": [names.get(ident, str(ident)) for ident in live],
        "void": [str(ident) for ident in void],
        "newest": newest,
        "takings_cents": takings_cents,
    }
    return closing[0], Answer("read", facts)


def _vouchers(ground: Ground) -> list[tuple[str, int]]:
    """Play until there are vouchers to be paid."""
    crowd, rng = ground.crowd, Random(ground.random.random())
    line = _Line(crowd, 0)
    crowd._stop.clear()
    deadline = time.monotonic() + WITHIN_S
    while len(crowd._vouchers) < VOUCHERS:
        if time.monotonic() > deadline:
            raise TimeoutError("no vouchers to be paid")
        line.do(crowd._play(rng))
    line.close()
    vouchers = list(crowd._vouchers)[:VOUCHERS]
    crowd._vouchers.clear()
    return vouchers


def _terminal(
    crowd: Crowd, number: int, shared: _Shared, recorder: Recorder, stop: threading.Event
) -> None:
    """Sell this terminal's own tickets, again and again, and pay vouchers as all others do."""
    rng, line = Random(f"{crowd._seed} {number}"), _Line(crowd, number)
    own = [name for name in shared.idents if int(name[1:]) % TERMINALS == number]
    requests = {n: SERVER_CLOCK.request_uuid() for n in range(VOUCHERS)}
    while not stop.wait(rng.uniform(0, 0.4)):
        if rng.random() < 0.6:
            name = rng.choice(own)
            body = {"uuid": str(shared.idents[name]), **shared.sale}
            recorder.do(number, "sell", lambda b=body: _sold(line, b, shared), subject=name)
        else:
            chosen = rng.randrange(len(shared.vouchers))
            code, cents = shared.vouchers[chosen]
            ident = str(requests[chosen])
            body = {"uuid": ident, "code": code, "amount_cents": cents, "intact": True}
            recorder.do(
                number, "pay", lambda b=body: _paid(line, b), subject=f"V{chosen}", request=ident
            )
    line.close()


def _answer(line: _Line, path: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return the code of a refusal, or nothing and the content; None for no certain answer."""
    status, content = line._try(f"/api/v1/{path}", json.dumps(body).encode())
    if status in (200, 201):
        return "", content
    if not status or status >= 500 or content.get("transient"):
        return None
    return str(content.get("code", status)), content


def _sold(line: _Line, body: dict[str, Any], shared: _Shared) -> Answer | None:
    answered = _answer(line, SALES, body)
    if answered is None or answered[0]:
        return Answer(answered[0]) if answered else None
    names = {str(ident): name for name, ident in shared.idents.items()}
    card = answered[1]
    at = datetime.fromisoformat(card["sold_at"])
    return Answer("sold", {"ticket": names.get(card["uuid"], card["uuid"]), "at": at})


def _paid(line: _Line, body: dict[str, Any]) -> Answer | None:
    answered = _answer(line, PAYMENTS, body)
    if answered is None or answered[0]:
        return Answer(answered[0]) if answered else None
    return Answer("paid", {"at": datetime.fromisoformat(answered[1]["paid_at"])})
