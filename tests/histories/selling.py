"""Sell, annul, close, seal and settle one contest from several places at once."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from core.database import clock
from core.kernel import codes
from core.kernel.request_uuids import RANDOM_BITS, request_uuid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.stops import SalesStop
from lototrot.services.contest import closing
from lototrot.services.contest.facts import contest_facts
from lototrot.services.races.starts import start_report
from lototrot.services.seal import sealing
from lototrot.services.settlement import settling
from lototrot.services.tickets import annulment, selling
from tests.histories.clients import Ending, Played, Step, ended_after, pauses, run
from tests.histories.contest import ContestModel
from tests.histories.history import Answer, Recorder
from tests.support import factories, rounds
from tests.support.factories import Point

CLIENTS, TICKETS, PRICE_CENTS = 5, 6, 100
ENDS = (
    ["close"],
    ["clock", "sweep"],
    ["sweep", "close", "sweep"],
    ["clock"],
    ["stop", "confirm"],
    ["stop", "read", "reject", "close"],
    ["stop", "reject", "confirm", "close"],
    ["stop", "clock", "confirm"],
)
"""The acts that end the sales, in their order."""
READ = """
SELECT CASE WHEN c.state = 'closed' AND EXISTS (
                SELECT FROM lototrot_seal s WHERE s.contest_id = c.id) THEN 'sealed'
            ELSE c.state END,
       coalesce((SELECT array_agg(t.uuid) FROM lototrot_ticket t WHERE t.contest_id = c.id
                  AND NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id)), '{}'),
       coalesce((SELECT array_agg(t.uuid) FROM lototrot_ticket t WHERE t.contest_id = c.id
                  AND EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id)), '{}'),
       (SELECT max(t.sold_at) FROM lototrot_ticket t WHERE t.contest_id = c.id),
       coalesce((SELECT -sum(e.cents) FROM ledger_entry e
                  WHERE e.account_id = c.takings_account_id), 0)::bigint
  FROM lototrot_contest c WHERE c.id = %s
"""
"""The phase of a contest, its tickets, those that are void, its newest sale, and its takings."""


@dataclass(slots=True)
class SellingGround:
    """One contest on sale, its terminals, and the names of the tickets."""

    random: Random
    serial: int
    contest: Contest = field(init=False)
    race: Race = field(init=False)
    stewards: tuple[StaffActor, StaffActor] = field(init=False)
    points: list[Point] = field(init=False)
    idents: dict[str, UUID] = field(init=False)
    names: dict[UUID, str] = field(init=False)

    def __post_init__(self) -> None:
        meeting = factories.meeting(races=2, numbers=(1, 2, 3))
        rules = rounds.record(rounds.rules(**rounds.TWO_LEGS | {"code": f"hist-{self.serial}"}))
        self.contest = factories.contest(
            meeting, rules=rules, correction_window_s=36_000, price_cents=PRICE_CENTS
        )
        self.race = factories.races_of(self.contest)[0]
        self.stewards = factories.two_stewards()
        self.points = [factories.point() for _ in range(2)]
        for point in self.points:
            factories.acknowledge(self.contest, point)
        self.idents = {
            f"T{n}": request_uuid(clock.now(), self.random.getrandbits(RANDOM_BITS))
            for n in range(1, TICKETS + 1)
        }
        self.names = {ident: name for name, ident in self.idents.items()}

    def point(self, name: str) -> Point:
        """Return the terminal that sells a ticket."""
        return self.points[int(name[1:]) % len(self.points)]

    def sell(self, name: str, ident: UUID | None = None) -> Answer:
        """Sell the ticket, or get the first answer again."""
        request = selling.SaleRequest(
            ident or self.idents[name], self.contest.pk, ((1,), (1,)), PRICE_CENTS, PRICE_CENTS
        )
        sold = selling.ticket_sell(credentials=self.point(name).credentials, request=request)
        return Answer(
            "sold", {"ticket": self.names.get(sold.uuid, str(sold.uuid)), "at": sold.sold_at}
        )

    def sell_again(self, name: str) -> Answer:
        """Ask again for a ticket after no answer: by the same request, as every terminal does."""
        return self.sell(name)

    def annul(self, name: str) -> Answer:
        """Annul the ticket against its paper."""
        facts, ident = contest_facts(self.contest.pk), self.idents[name]
        code = codes.issue(codes.TICKET, ident, facts.secret, settings.CODE_KEYS, day=facts.day)
        void = annulment.ticket_annul(
            by=self.point(name).actor,
            ident=ident,
            presented_code=code.grouped,
            reason="Wrong number",
        )
        return Answer("annulled", {"at": void.voided_at})

    def close(self) -> Answer:
        """Close early, by the organiser."""
        is_closer = closing.contest_close(contest_id=self.contest.pk, cause=Contest.Cause.ORGANISER)
        return self._closing(is_closer)

    def sweep(self) -> Answer:
        """Record the closing if it is due, as the sweeper does."""
        return self._closing(closing.contest_close_due(contest_id=self.contest.pk))

    def _closing(self, is_closer: bool) -> Answer:
        closed_at = Contest.objects.values_list("closed_at", flat=True).get(pk=self.contest.pk)
        if closed_at is None:
            return Answer("not_due")
        return Answer("closed" if is_closer else "was_closed", {"at": closed_at})

    def stop(self) -> Answer:
        """Report the start of the first race, which stops sales."""
        report = start_report(by=self.stewards[0], race_id=self.race.pk, source="Starter")
        stop = SalesStop.objects.filter(proposal=report).first()
        return Answer("stopped", {"at": stop.stopped_at if stop else None})

    def confirm(self) -> Answer:
        """Confirm the start that was reported, which closes the contest."""
        if (reported := self._reported()) is None:
            return Answer("nothing_reported")
        two_persons.confirm(proposal=reported, by=self.stewards[1])
        closed_at = Contest.objects.values_list("closed_at", flat=True).get(pk=self.contest.pk)
        return Answer("confirmed", {"at": closed_at})

    def reject(self) -> Answer:
        """Reject the start that was reported: sales go on."""
        if (reported := self._reported()) is None:
            return Answer("nothing_reported")
        two_persons.reject(proposal=reported, by=self.stewards[1], reason="It was not")
        return Answer("rejected")

    def _reported(self) -> UUID | None:
        reports = Proposal.objects.filter(kind="lototrot.start", subject=f"race:{self.race.pk}")
        return reports.values_list("uuid", flat=True).first()

    def clock(self) -> Answer:
        """Move the clock to the scheduled closing."""
        factories.time_on_to(self.contest.scheduled_close_at)
        return Answer("moved")

    def seal(self) -> Answer:
        """Seal the contest, as a worker does."""
        seal = sealing.contest_seal(contest_id=self.contest.pk)
        return Answer("sealed", {"tickets": seal.tickets, "cents": seal.takings_cents})

    def settle(self) -> Answer:
        """Settle the contest, as a worker does."""
        settled = settling.contest_settle(contest_id=self.contest.pk)
        return Answer("settled", {"tickets": settled.tickets, "cents": settled.takings_cents})

    def read(self) -> Answer:
        """Read what is committed, at one instant."""
        with connection.cursor() as cursor:
            cursor.execute(READ, [self.contest.pk])
            phase, live, void, newest, takings_cents = cursor.fetchone()
        return Answer(
            "read",
            {
                "phase": phase,
                "live": [self.names.get(ident, str(ident)) for ident in live],
                "void": [self.names.get(ident, str(ident)) for ident in void],
                "newest": newest,
                "takings_cents": takings_cents,
            },
        )

    def step(self, kind: str, name: str = "", *, kills: bool = True) -> Step:
        """Return an act at a moment and with a fault that the seed decides."""
        act = {"sweep": self.sweep}.get(kind) or getattr(self, kind)
        doing = (lambda: act(name)) if name else act
        is_killed = kills and kind not in ("read", "clock")
        insists = kind != "stop" and self.random.random() < 0.7
        again = (lambda: self.sell_again(name)) if kind == "sell" else doing
        return Step(
            doing,
            "close" if kind == "sweep" else kind,
            name,
            pause_ms=pauses(self.random, 12),
            ended_after_ms=ended_after(self.random, 0.2, 8) if is_killed else None,
            is_lost=is_killed and self.random.random() < 0.1,
            again=again if insists else None,
        )

    def on_sale(self) -> list[list[Step]]:
        """Return the scripts of the clients while the contest is on sale, and of what ends it."""
        ends = self.random.choice(ENDS)
        scripts = [self._client() for _ in range(CLIENTS - 1)]
        if self.random.random() < 0.4:
            scripts[0].append(self.step("sweep"))
        if "stop" in ends:
            scripts[1].append(self.step(self.random.choice(("confirm", "reject", "close"))))
        first = replace(self.step("read"), pause_ms=self.random.uniform(0, 40))
        return [*scripts, [first, *[self.step(kind) for kind in ends], self.step("read")]]

    def _client(self) -> list[Step]:
        """Return the script of a client that sells, annuls some of that, and reads."""
        kinds = ["sell", *self.random.choices(("sell", "annul", "read"), (4, 3, 3), k=3)]
        names = [self.random.choice([*self.idents]) for _ in range(2)]
        return [self.step(k, self.random.choice(names) if k != "read" else "") for k in kinds]

    def afterwards(self) -> list[list[Step]]:
        """Return the scripts once it is closed: workers seal and settle, terminals still ask."""
        choose, names = self.random.choice, list(self.idents)
        workers = [[self.step("seal"), self.step("settle"), self.step("seal")] for _ in range(2)]
        late = [
            [self.step(choose(("sell", "annul")), choose(names)), self.step("read")]
            for _ in range(2)
        ]
        return [*workers, *late]

    def finish(self) -> list[list[Step]]:
        """Return the last acts, which nothing disturbs."""
        kinds = ("seal", "settle", "read")
        return [[self.step(kind, kills=False) for kind in kinds]]


def play(seed: int, serial: int, ending: Ending) -> Played:
    """Play the selling of a contest by a seed, and return its history."""
    ground, recorder = SellingGround(Random(f"selling {seed}"), serial), Recorder()
    closes_at = ground.contest.scheduled_close_at
    if ground.random.random() < 0.5:
        factories.time_on_to(closes_at - timedelta(minutes=10))
    run(ground.on_sale(), ending, recorder)
    run([[ground.step("clock"), ground.step("sweep", kills=False)]], ending, recorder)
    _results(ground.contest)
    run(ground.afterwards(), ending, recorder)
    run(ground.finish(), ending, recorder)
    model: Any = ContestModel(closes_at, PRICE_CENTS)
    return Played(recorder.acts, {"the contest": (model, recorder.acts)})


def _results(contest: Contest) -> None:
    """Put the results of the races on record, and let the time to print again be over."""
    factories.prints_ended(contest)
    factories.time_pass(minutes=1)
    for race in factories.races_of(contest):
        factories.classified(race, {1})
