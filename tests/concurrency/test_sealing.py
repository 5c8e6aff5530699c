"""Sealing under fire: killed at its worst moments, and two workers at once."""

import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connections

from core.kernel.errors import DomainError
from core.proofs import keys, merkle
from core.proofs.models import LogEntry
from lototrot.models.contest import Contest
from lototrot.models.sealing import Seal
from lototrot.services.seal import sealing
from lototrot.services.seal.sealing import contest_seal, seals_due
from tests.support import factories, rounds
from tests.support.concurrency import stopping
from tests.support.concurrency.forking import stopped
from tests.support.concurrency.meeting import Meeting
from tests.support.databases import Database
from tests.support.verifying.load import verifier

WAIT_S = 60
RULES = rounds.rules(**rounds.TWO_LEGS)


@pytest.fixture
def contest(own_database: Database) -> Contest:
    new_contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(new_contest, factories.point(), [(1, 1), (1, 2), (2, 4)])
    return factories.contest_closed(new_contest, sealed=False)


@pytest.mark.parametrize(
    ("place", "kept"),
    [(("merkle", "root"), 0), (("log", "publish"), 0), (("tasks", "contest_seal"), 1)],
)
def test_a_worker_killed_leaves_a_whole_seal_or_none(
    own_database: Database, contest: Contest, place: tuple[str, str], kept: int, tmp_path: Path
) -> None:
    work = (stopping.seal, contest.pk, *place)
    environment, output = own_database.environment, tmp_path / "worker"
    with stopped(*work, environment=environment, output=output) as worker:
        assert worker.kill() == -signal.SIGKILL
        assert Seal.objects.count() == kept
        assert LogEntry.objects.filter(kind="lototrot.seal").count() == kept
        assert seals_due() == [contest.pk][kept:]
        seal = _when_free(contest)
    assert (seal.tickets, Seal.objects.count()) == (3, 1)
    log = [each.published() for each in LogEntry.objects.order_by("sequence")]
    assert verifier("public_log").log_holds(log, [keys.current_public()]).startswith("WHOLE: 3")


def _when_free(contest: Contest) -> Seal:
    """The server may take a moment to see that a killed client is gone."""
    for _ in range(WAIT_S):
        try:
            return contest_seal(contest_id=contest.pk)
        except sealing.SealBusy:
            continue  # it waited a second for the lock
    raise AssertionError("still busy")


def both_at_once(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the outcomes of two workers, each of which waits for the other to read the tickets
    too.
    """
    meeting, root = Meeting(), merkle.root

    def together(hashes: Any) -> bytes:
        meeting.come()
        return root(hashes)

    def run() -> str:
        try:
            return type(contest_seal(contest_id=contest.pk)).__name__
        except (DomainError, DatabaseError) as error:
            return type(error).__name__
        finally:
            meeting.end()
            connections.close_all()

    monkeypatch.setattr(merkle, "root", together)
    with ThreadPoolExecutor(2) as pool:
        return sorted(pool.map(lambda _: run(), range(2)))


def test_of_two_workers_one_seals_and_the_other_finds_it_busy(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert both_at_once(contest, monkeypatch) == ["Seal", "SealBusy"]


def test_without_the_lock_the_two_workers_collide(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: the constraint still keeps a second seal out, but only by an error."""
    monkeypatch.setattr(sealing, "hold_for_long", lambda *_, **__: None)
    assert both_at_once(contest, monkeypatch) == ["IntegrityError", "Seal"]
    assert LogEntry.objects.filter(kind="lototrot.seal").count() == 1
