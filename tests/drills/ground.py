"""The cluster that is drilled, what is on sale on it, its terminals, and the audits of a round."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import psycopg

from core.tools.cluster.cluster import DATABASES, HOSTS, Cluster
from core.tools.cluster.network import Namespaces, Network
from core.tools.deploying.patroni import REST_PORT
from core.tools.embedded.processes import EmbeddedError
from tests.drills.crowd import Crowd, Goods
from tests.drills.outcomes import Outcome, counted

if TYPE_CHECKING:
    from promotrot.models.game import Game

KINDS = ("signer", "sales", "play", "live", "worker", "beat")
"""The processes of each host in a drill: `web` for staff would only take this machine's time."""
CONNECTIONS = 32
_AT_ONCE = 100
GAME = "lap-of-honour"
_READY_WITHIN_S = 120.0
_NO_TIMEOUTS = "connect_timeout=0&keepalives=0&tcp_user_timeout=0"
_ROWS = {
    "sale": "SELECT uuid FROM lototrot_ticket",
    "play": "SELECT uuid FROM promotrot_playticket",
    "act": "SELECT t.uuid FROM promotrot_playend e JOIN promotrot_playticket t"
    " ON t.id = e.ticket_id",
    "payment": "SELECT uuid FROM payoffice_payment",
}
AnyCrowd = TypeVar("AnyCrowd", bound=Crowd)
AUDITS = ("ledger_rebuild", "journal_verify", "seals_verify")


class Ground:
    """A running cluster with goods on sale and a crowd of terminals."""

    def __init__(self, folder: Path, network: Network, seed: int) -> None:
        self.random = Random(seed)
        self.seed = seed
        self.cluster = Cluster(folder, network, kinds=KINDS, environment={"LOG_LEVEL": "WARNING"})
        self.crowd: Crowd
        self._game: Game
        self._emissions: list[tuple[int, int]] = []
        self._before: dict[str, set[UUID]] = {}

    def prepare(self) -> None:
        """Put a contest and two emissions on sale, and enrol the terminals.

        The settings of this process must name the cluster's database and keys.
        """
        from tests.support import emitting

        self._game = emitting.approved(emitting.document(GAME, code=GAME))
        emissions = [emitting.opened(self._game) for _ in range(2)]
        self._emissions = [(each.pk, each.price_cents) for each in emissions]
        self.crowd = self.crowd_of(CONNECTIONS)

    def crowd_of(
        self, number: int, *, kind: type[AnyCrowd] = Crowd, closes_in_s: float = 0
    ) -> AnyCrowd:
        """Return so many new terminals with a new contest, which closes then; by default late."""
        from django.db import transaction

        from core.database import clock
        from core.kernel.days import natural_day
        from tests.bench.parts.sale import Sales
        from tests.bench.store import credentials, free_day
        from tests.support import factories

        points = list[factories.Point]()
        while len(points) < number:
            with transaction.atomic():  # each commit waits for a second disk
                points += [factories.point() for _ in range(min(_AT_ONCE, number - len(points)))]
        now = clock.now()
        contest = factories.contest(
            factories.meeting(numbers=range(1, 16), day=free_day(natural_day(now), step_days=1)),
            closes_at=now + timedelta(seconds=closes_in_s) if closes_in_s else None,
        )
        with transaction.atomic():
            for point in points:
                factories.acknowledge(contest, point)
        bodies = Sales(contest, points, seed=self.seed)._bodies
        crowd = kind(
            self.cluster.base_url,
            credentials(points),
            Goods(bodies, self._emissions),
            [self.cluster.network.outside(number) for number in range(CONNECTIONS)],
            certificate=self.cluster.environment["SSL_CERT_FILE"],
            seed=self.seed,
        )
        if contest.scheduled_close_at:
            left = contest.scheduled_close_at - clock.now()
            crowd.closes_s = time.monotonic() + left.total_seconds()
        return crowd

    def publish_something(self) -> None:
        """Add entries to the public log: those of a new emission."""
        from django.db import connections

        from tests.support import emitting

        connections.close_all()  # a fault may have taken the server that they lead to
        emitting.opened(self._game)

    @contextmanager
    def instead(self, crowd: Crowd) -> Iterator[None]:
        """Count by the answers of another crowd inside the block."""
        usual, self.crowd = self.crowd, crowd
        try:
            yield
        finally:
            self.crowd = usual

    @contextmanager
    def selling(self) -> Iterator[Crowd]:
        """Run the crowd inside the block, which begins when the crowd sells."""
        self.crowd.start()
        try:
            self.crowd.wait_sales()
            yield self.crowd
        finally:
            self.crowd.pause()

    def audit(self, outcome: Outcome, *, commands: bool = True) -> None:
        """Count what was lost and invented; verify ledger, journal and seals. Sales are paused."""
        lost, invented = self.counted()
        outcome.lost += lost
        outcome.invented += invented
        if lost or invented:
            outcome.notes.append(f"{lost} answered acts are missing, {invented} nobody asked for")
        for command in AUDITS if commands else ():
            try:
                self.cluster.command(command)
            except EmbeddedError as fault:
                outcome.lost += 1
                outcome.notes.append(f"{command}: {str(fault)[-300:]}")

    def note_refusals(self, outcome: Outcome) -> bool:
        """Note what was repeated and refused; return whether anything was refused for good."""
        answers = self.crowd.answers
        refused = answers.refused_for_good
        outcome.figures |= {"repeated": float(answers.faults.total()), "refused": refused.total()}
        if answers.faults or refused:
            outcome.notes.append(
                f"tries repeated: {counted(answers.faults)}; refused: {counted(refused)}"
            )
        return bool(refused)

    def note_alarm(self, outcome: Outcome) -> None:
        """Note how many servers follow the primary, as its metrics tell; a fault if all seem to.

        With fewer than before the alarm ReplicaMissing is due. A machine must be away.
        """
        from django.db import connections

        from core.database.machines import machines

        connections.close_all()  # a fault may have taken the server that they lead to
        replicas = machines().replicas
        outcome.figures["replicas_meanwhile"] = replicas
        if replicas >= len(DATABASES) - 1:
            outcome.lost += 1
            outcome.notes.append("no metric told that a machine was away")

    def counted(self) -> tuple[int, int]:
        """Return how many answered acts have no row, and how many rows nobody asked for."""
        missing, invented = self.missing(self.cluster.environment["DATABASE_OWNER_URL"])
        return len(missing), invented

    def missing(self, url: str) -> tuple[list[float], int]:
        """Return when those acts were answered that a database lacks, and how many rows nobody
        asked for.
        """
        missing: list[float] = []
        invented, answers = 0, self.crowd.answers
        with psycopg.connect(url) as session:
            for kind, query in _ROWS.items():
                rows = {UUID(str(ident)) for (ident,) in session.execute(query).fetchall()}
                missing += [at for ident, at in answers.answered[kind].items() if ident not in rows]
                invented += len(rows - answers.asked[kind] - self._before.get(kind, set()))
        return missing, invented

    def sold_twice(self) -> int:
        """Return how many tickets were sold to players who had one, by renewed requests."""
        with psycopg.connect(self.cluster.environment["DATABASE_OWNER_URL"]) as session:
            rows = {UUID(str(ident)) for (ident,) in session.execute(_ROWS["sale"]).fetchall()}
        return sum(max(0, len(rows & set(idents)) - 1) for idents in self.crowd.answers.renewed)

    @contextmanager
    def renewing(self) -> Iterator[Crowd]:
        """Run a crowd inside the block that repeats sales under new UUIDs, as no terminal may."""
        self.begin_anew()
        self.crowd.renews = True
        try:
            with self.selling() as crowd:
                yield crowd
        finally:
            self.crowd.renews = False

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Let the program wait for a database, in the block, as long as the operating system does.

        Its processes on all hosts are killed and started again, before and after.
        """
        usual = self.cluster.environment["DATABASE_URL"]
        self._restart_hosts(f"{usual}&{_NO_TIMEOUTS}")
        try:
            yield
        finally:
            self._restart_hosts(usual)

    def _restart_hosts(self, database_url: str) -> None:
        hosts = [self.cluster.machines[name] for name in HOSTS]
        for host in hosts:
            host.kill()
            for child in host.children.values():
                if "DATABASE_URL" in child.environment:
                    child.environment["DATABASE_URL"] = database_url
            host.start()
        for host in hosts:
            host.wait_ready(_READY_WITHIN_S)

    def begin_anew(self) -> None:
        """Take what is in the database now as given, and forget what was told."""
        self.crowd.forget()
        with psycopg.connect(self.cluster.environment["DATABASE_OWNER_URL"]) as session:
            self._before = {
                kind: {UUID(str(ident)) for (ident,) in session.execute(query).fetchall()}
                for kind, query in _ROWS.items()
            }

    def synchronous(self, mode: str) -> None:
        """Set Patroni's replication to "quorum", or to "off": not before the answer; wait for it.

        A standby is promoted only if etcd says that it is a synchronous one, which it does last.
        """
        leader = self.configure(
            {"synchronous_mode": mode, "synchronous_mode_strict": mode != "off"}
        )
        deadline = time.monotonic() + 60
        wanted = (False, 0) if mode == "off" else (True, len(DATABASES) - 1)
        while self._synchronous_standbys(leader) != wanted:
            if time.monotonic() > deadline:
                raise EmbeddedError(f"the primary did not become synchronous={mode}")
            time.sleep(0.2)

    def _synchronous_standbys(self, leader: str) -> tuple[bool, int]:
        """Return whether the primary waits for standbys, and how many etcd calls synchronous."""
        waits = bool(self._setting(leader, "synchronous_standby_names"))
        connection = HTTPConnection(self.cluster.machines[leader].address, REST_PORT, timeout=10)
        connection.request("GET", "/cluster")
        members = json.loads(connection.getresponse().read())["members"]
        return waits, sum(each["role"] in ("sync_standby", "quorum_standby") for each in members)

    def commits(self, mode: str) -> None:
        """Set `synchronous_commit` of every server to "on" or "off"; wait for it."""
        leader = self.configure({"postgresql": {"parameters": {"synchronous_commit": mode}}})
        deadline = time.monotonic() + 60
        while self._setting(leader, "synchronous_commit") != mode:
            if time.monotonic() > deadline:
                raise EmbeddedError(f"the primary did not take synchronous_commit={mode}")
            time.sleep(0.2)

    def configure(self, change: dict[str, Any]) -> str:
        """Change what Patroni keeps for all machines; return the machine that leads."""
        leader = self.cluster.wait_primary()
        connection = HTTPConnection(self.cluster.machines[leader].address, REST_PORT, timeout=10)
        connection.request(
            "PATCH", "/config", json.dumps(change), {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        if answer.status != 200:
            raise EmbeddedError(f"Patroni refused {change}: {answer.read()!r}")
        return leader

    def recover(self) -> None:
        """Start every machine again, after a drill that did not end."""
        for machine in self.cluster.machines.values():
            if isinstance(self.cluster.network, Namespaces):
                self.cluster.network.mend(machine.name)
            machine.thaw()
            machine.start()
        self.cluster.wait_standbys()

    def _setting(self, leader: str, name: str) -> str:
        with psycopg.connect(self.cluster.superuser_url(leader)) as session:
            row: Any = session.execute("SELECT current_setting(%s)", [name]).fetchone()
        return str(row[0])


@contextmanager
def ground(folder: Path, network: Network, seed: int) -> Iterator[Ground]:
    """Start the cluster and prepare it; set up Django in this process for it."""
    started = Ground(folder, network, seed)
    with started.cluster:
        names = ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL", "VAR_DIR", "PROFILE")
        os.environ |= {name: started.cluster.environment[name] for name in names}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
        import django

        django.setup()
        from core.journal.acting import name_process

        name_process("command:drill")
        started.prepare()
        started.cluster.wait_standbys()
        yield started
