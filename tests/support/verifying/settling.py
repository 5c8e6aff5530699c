"""Settle a contest with tickets of all sorts, and give its certificate to verify/settlement.py."""

import random
from pathlib import Path
from typing import Any

from core.staff.powers import Role
from lototrot.engine.races import Outcome, Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.services.settlement import certificate
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.api import staff_api
from tests.support.verifying.forging import Entries, public_key, written
from tests.support.verifying.load import verifier

settlement = verifier("settlement")
PROGRAMME = tuple(range(1, 9))


def sold(point: factories.Point, number: int = 60) -> Contest:
    """A contest of seven races with tickets of all sorts."""
    new_contest = rounds.contest(rounds.rules(), [PROGRAMME] * 7)
    chance = random.Random(7)  # the same tickets in every run
    tickets = [
        [
            sum(1 << (n - 1) for n in chance.sample(range(1, 4), chance.choice((1, 1, 2))))
            for _ in range(7)
        ]
        for _ in range(number)
    ]
    rounds.sell(new_contest, point, tickets)
    return new_contest


FACTS = [
    Race(PROGRAMME, withdrawn=frozenset({1}), winners=frozenset({2})),
    Race(PROGRAMME, winners=frozenset({1, 2})),
    Race(PROGRAMME, withdrawn=frozenset({3}), winners=frozenset({1}), outcome=Outcome.NOT_RUN),
    *[Race(PROGRAMME, winners=frozenset({1}))] * 4,
]


def settled(point: factories.Point) -> Settlement:
    contest = sold(point)
    rounds.run(contest, FACTS)
    return contest_settle(contest_id=contest.pk)


def published_of(of: Settlement) -> dict[str, Any]:
    return certificate.certificate_of(of).published()


def sealed_tickets(folder: Path, of: Settlement) -> str:
    response = staff_api(Role.AUDITOR).get(f"lototrot/contests/{of.contest_id}/sealed-tickets")
    assert response.status_code == 200
    file = folder / "tickets"
    file.write_bytes(response.getvalue())
    return str(file)


def run(folder: Path, log: Entries, of: Settlement, *tickets: str) -> str:
    """Verify a settlement by that log, with the file of its tickets if that is given."""
    file = written(folder, "log.jsonl", log)
    answer: str = settlement.check(file, public_key(), str(of.uuid), *tickets)
    return answer


def digest_of(of: Settlement) -> str:
    """Return the digest of a settlement's certificate in the log."""
    return bytes(certificate.certificate_of(of).digest).hex()
