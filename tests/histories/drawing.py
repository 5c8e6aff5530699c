"""Commit, enter, certify and call off one public draw from several places at once."""

from dataclasses import dataclass, field
from random import Random

from core.draws import conducting, services
from core.draws.models import Draw, Outcome
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.programme import Race
from lototrot.selectors.draws import subject_of
from lototrot.services.seal.sealing import contest_seal
from tests.histories.clients import Ending, Played, Step, ended_after, pauses, run
from tests.histories.draw import DrawModel
from tests.histories.history import Answer, Recorder
from tests.support import factories, rounds
from tests.support.lototrot.starting import declare, start

CLIENTS = 4
DICE = {"A": "3161425364", "B": "6666666666"}


@dataclass(slots=True)
class DrawingGround:
    """A race declared not run, its contest sealed, its draw announced and attended."""

    random: Random
    serial: int
    race: Race = field(init=False)
    organiser: StaffActor = field(init=False)
    inspector: StaffActor = field(init=False)
    draw: Draw = field(init=False)

    def __post_init__(self) -> None:
        rules = rounds.record(rounds.rules(**rounds.TWO_LEGS | {"code": f"draw-{self.serial}"}))
        contest = factories.contest(factories.meeting(races=2), rules=rules)
        self.race = factories.races_of(contest)[0]
        factories.central_office()
        self.organiser = factories.staff(Role.ORGANISER)
        self.inspector = factories.staff(Role.INSPECTOR)
        declare(self.race)
        contest_seal(contest_id=contest.pk)
        self.draw = Draw.objects.get(subject=subject_of(self.race.pk))
        services.draw_attend(by=self.inspector, draw=self.draw.uuid)
        factories.announced_time(self.draw)

    def commit(self) -> Answer:
        """Commit to the field and a secret."""
        commitment = conducting.draw_commit(
            by=self.organiser, draw=self.draw.uuid, source="dice", pieces=len(DICE["A"])
        )
        return Answer("committed", {"digest": bytes(commitment.digest).hex()[:8]})

    def enter(self, entropy: str) -> Answer:
        """Enter the witness's entropy."""
        drawn = conducting.draw_enter(
            by=self.inspector,
            draw=self.draw.uuid,
            source="dice",
            text=DICE[entropy],
            witness="Player",
        )
        return Answer("drawn", {"order": _numbers(drawn)})

    def certify(self) -> Answer:
        """Certify the draw."""
        conducting.draw_certify(by=self.inspector, draw=self.draw.uuid)
        return Answer("certified")

    def start(self) -> Answer:
        """Report and confirm that the race was run after all."""
        start(self.race)
        return Answer("started")

    def read(self) -> Answer:
        """Read what is committed of the draw, at one instant."""
        draw = Draw.objects.select_related("outcome").get(pk=self.draw.pk)
        outcome = getattr(draw, "outcome", None)
        phase = str(draw.state)
        return Answer("read", {"phase": phase, "order": _numbers(outcome) if outcome else ()})

    def step(self, kind: str, *, kills: bool = True) -> Step:
        """Return an act at a moment and with a fault that the seed decides."""
        inputs, act = {}, getattr(self, kind)
        is_killed = kills and kind != "read"
        insists = kind != "start" and self.random.random() < 0.7
        if kind == "enter":
            entropy = self.random.choice([*DICE])
            inputs, act = {"entropy": entropy}, lambda: self.enter(entropy)
        return Step(
            act,
            kind,
            "",
            inputs,
            pause_ms=pauses(self.random, 20),
            ended_after_ms=ended_after(self.random, 0.2, 15) if is_killed else None,
            is_lost=is_killed and self.random.random() < 0.1,
            again=act if insists else None,
        )

    def scripts(self) -> list[list[Step]]:
        """Return the scripts of those who conduct, watch, and start the race after all."""
        kinds = ("commit", "enter", "certify", "read")
        scripts = [
            [self.step(kind) for kind in self.random.choices(kinds, (3, 4, 2, 2), k=4)]
            for _ in range(CLIENTS)
        ]
        if self.random.random() < 0.3:
            scripts[0].insert(self.random.randrange(3), self.step("start"))
        return scripts

    def finish(self) -> list[list[Step]]:
        """Return the last acts, which nothing disturbs."""
        kinds = ("read", "commit", "enter", "certify", "read")
        return [[self.step(kind, kills=False) for kind in kinds]]


def _numbers(drawn: Outcome) -> tuple[str, ...]:
    return tuple(map(str, drawn.order))


def play(seed: int, serial: int, ending: Ending) -> Played:
    """Play a public draw by a seed, and return its history."""
    ground, recorder = DrawingGround(Random(f"drawing {seed}"), serial), Recorder()
    run(ground.scripts(), ending, recorder)
    run(ground.finish(), ending, recorder)
    return Played(recorder.acts, {"the draw": (DrawModel(), recorder.acts)})
