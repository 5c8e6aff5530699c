"""Race and kill public draws on real commits: each keeps one commitment and one order."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database.locks import Lock
from core.draws import abandoning, conducting, method, services
from core.draws.models import Commitment, Draw, Outcome
from core.proofs.models import LogEntry
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart
from lototrot.selectors.draws import subject_of
from lototrot.services.seal.sealing import contest_seal
from tests.support import factories, rounds
from tests.support.concurrency import stopping
from tests.support.concurrency.forking import stopped
from tests.support.concurrency.sales import PATIENCE_S, eventually, together, waiting_for
from tests.support.databases import Database
from tests.support.lototrot.starting import declare, start

DICE = "3161425364"
OTHER = "6666666666"


class Hall:
    """A race declared not run, its contest sealed, an inspector present."""

    def __init__(self) -> None:
        factories.time_to(rounds.NOON)
        self.contest: Contest = factories.contest()
        self.race: Race = factories.races_of(self.contest)[0]
        factories.central_office()
        self.organiser: StaffActor = factories.staff(Role.ORGANISER)
        self.inspector: StaffActor = factories.staff(Role.INSPECTOR)
        declare(self.race)
        contest_seal(contest_id=self.contest.pk)
        self.draw: Draw = Draw.objects.get(subject=subject_of(self.race.pk))
        services.draw_attend(by=self.inspector, draw=self.draw.uuid)
        factories.announced_time(self.draw)

    def commit(self) -> Any:
        return conducting.draw_commit(
            by=self.organiser, draw=self.draw.uuid, source="dice", pieces=len(DICE)
        )

    def enter(self, text: str = DICE) -> Any:
        return conducting.draw_enter(
            by=self.inspector, draw=self.draw.uuid, source="dice", text=text, witness="Player"
        )

    def certify(self) -> Any:
        return conducting.draw_certify(by=self.inspector, draw=self.draw.uuid)

    def start(self) -> Any:
        return start(self.race)


@pytest.fixture
def hall(own_database: Database) -> Hall:
    return Hall()


@pytest.mark.article("14.III.5.4.4")
def test_two_entropies_at_once_give_one_order(hall: Hall) -> None:
    commitments = together(hall.commit, hall.commit, hall.commit)
    assert len({each.pk for each in commitments}) == 1
    outcomes = together(
        hall.enter, lambda: hall.enter(OTHER), hall.enter, lambda: hall.enter(OTHER)
    )
    assert Outcome.objects.count() == 1
    won = [each for each in outcomes if isinstance(each, Outcome)]
    assert len(won) == 2 and all(
        isinstance(each, conducting.EntropyGiven) for each in outcomes if each not in won
    )
    certified = together(hall.certify, hall.certify)
    assert len({each.pk for each in certified}) == 1
    assert LogEntry.objects.filter(kind__startswith="draws.").count() == 3


def test_the_same_race_without_the_draw_s_lock_is_seen_by_the_harness(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: nothing but the row's lock keeps the second witness from being computed, too."""
    hall.commit()
    both = threading.Barrier(2)
    order = method.order

    def at_once(*arguments: Any) -> Any:
        both.wait(PATIENCE_S)
        return order(*arguments)

    def unlocked(ident: Any, *, certified: bool = False) -> Draw:
        return Draw.objects.get(uuid=ident)

    monkeypatch.setattr(method, "order", at_once)
    monkeypatch.setattr(conducting, "draw_held", unlocked)
    outcomes = together(hall.enter, lambda: hall.enter(OTHER))
    assert sorted(type(each).__name__ for each in outcomes) == ["IntegrityError", "Outcome"]
    assert any(isinstance(each, IntegrityError) for each in outcomes)
    assert Outcome.objects.count() == 1, "the database alone keeps the second out"


@pytest.mark.parametrize("attempt", range(4))
def test_a_start_and_a_commitment_at_once_never_both_count(hall: Hall, attempt: int) -> None:
    """[B13, B16]: either the race was run and nothing is drawn, or its draw stands."""
    outcomes = dict(zip(("commit", "start"), together(hall.commit, hall.start), strict=True))
    state = Draw.objects.get(pk=hall.draw.pk).state
    if state == Draw.State.COMMITTED:
        assert isinstance(outcomes["start"], services.DrawBegun)
        assert not RaceStart.objects.exists()
    else:
        assert state == Draw.State.CALLED_OFF
        assert isinstance(outcomes["commit"], services.DrawOver)
        assert not Commitment.objects.exists() and RaceStart.objects.count() == 1


@pytest.mark.parametrize("attempt", range(4))
def test_a_witness_and_an_abandonment_at_once_never_both_count(hall: Hall, attempt: int) -> None:
    """[B16]: either the order is known, or the secret is published without one."""
    hall.commit()
    proposal = abandoning.abandonment_propose(
        by=hall.inspector, draw=hall.draw.uuid, reason="Power cut"
    )

    def abandon() -> Any:
        return two_persons.confirm(proposal=proposal.uuid, by=hall.organiser)

    outcomes = dict(zip(("enter", "abandon"), together(hall.enter, abandon), strict=True))
    state = Draw.objects.get(pk=hall.draw.pk).state
    if state == Draw.State.DRAWN:
        assert isinstance(outcomes["abandon"], abandoning.NotCommitted)
        assert Outcome.objects.count() == 1 and Draw.objects.count() == 1
    else:
        assert state == Draw.State.ABANDONED
        assert isinstance(outcomes["enter"], services.DrawOver)
        assert not Outcome.objects.exists() and Draw.objects.count() == 2


# --- kill -9 --------------------------------------------------------------------------------------


@contextmanager
def killed_at(
    database: Database, hall: Hall, step: str, place: str, folder: Path
) -> Iterator[None]:
    """A process that takes a step and is killed after `place` in it, before its commit."""
    by = hall.organiser if step == "commit" else hall.inspector
    work = (stopping.draw, step, place, str(hall.draw.uuid), str(by.session_id))
    with stopped(*work, environment=database.environment, output=folder / "worker"):
        yield


@pytest.mark.article("14.III.5.4.4")
def test_a_draw_killed_at_every_step_goes_on_with_the_same_commitment(
    own_database: Database, hall: Hall, tmp_path: Path
) -> None:
    """Each step is killed twice: once with its row written, once with its entry published."""
    for place in ("state_move", "publish"):
        with killed_at(own_database, hall, "commit", place, tmp_path):
            pass
        assert not Commitment.objects.exists()
        assert not LogEntry.objects.filter(kind="draws.commitment").exists()
    kept = hall.commit()
    for place in ("state_move", "publish"):
        with killed_at(own_database, hall, "enter", place, tmp_path):
            pass
        assert not Outcome.objects.exists()
        assert Draw.objects.get(pk=hall.draw.pk).state == Draw.State.COMMITTED
    assert hall.commit() == kept
    outcome = hall.enter()
    for place in ("state_move", "publish"):
        with killed_at(own_database, hall, "certify", place, tmp_path):
            pass
        assert Draw.objects.get(pk=hall.draw.pk).state == Draw.State.DRAWN
    assert hall.certify().draw_id == hall.draw.pk
    field = hall.draw.field
    assert outcome.order == method.order(
        bytes(outcome.secret), bytes(kept.digest), outcome.entropy, field.entries, field.places
    )


@pytest.mark.article("14.III.5.3", "14.III.5.4.3")
def test_a_declaration_waits_for_the_classification_and_is_refused(own_database: Database) -> None:
    """[B17]: a program that takes no lock would leave both, and choose later."""
    race = factories.meeting(races=1).races.get()
    factories.started(race)
    written = threading.Event()

    @transaction.atomic
    def classify() -> None:
        factories.classified(race, [1])
        written.set()
        eventually(lambda: waiting_for((Lock.MEETING, race.meeting_id)) > 0)

    def declare() -> None:
        assert written.wait(PATIENCE_S)
        factories.declared(race, RaceDeclaration.Kind.SUSPENDED)

    classified, declared = together(classify, declare)
    assert classified is None
    assert isinstance(declared, IntegrityError), declared
    assert not RaceDeclaration.objects.exists()
