"""Say what processes the program has, how each is started and what it needs, in one table.

Units of systemd, containers, manifests, `make cluster` and `make up` are made from it. Which keys a
process has is said by its kind in core/kernel/holding.py.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from core.kernel.holding import HELD, PUBLISHING

CONNECTIONS: Final = 8192  # of one process: terminals and boards keep theirs open
OPEN_FILES: Final = 2 * CONNECTIONS
STOP_WITHIN_S: Final = 60
THREADS: Final = 6  # of each process that answers
TERMINAL_THREADS: Final = 16
"""Of a process for terminals and plays: what waits for one statement works at nothing
(docs/adr/0056, docs/adr/0076)."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the program.

    `words` are its command. `{address}` and `{port}` say where it listens, `{processes}` and
    `{threads}` with how many, `{signer}` is the signer's socket. `node` are the words by which
    units name it among the workers of all machines. `weight` is its share of a busy processor,
    where others have 100.
    """

    name: str
    kind: str
    title: str
    purpose: str
    words: tuple[str, ...]
    port: int | None = None
    processes: int = 1
    threads: int = THREADS
    metrics_port: int | None = None
    role: str = ""
    weight: int | None = None
    node: str = ""

    @property
    def keys(self) -> list[str]:
        """Return the names of the keys that it holds, such as `secret_key`, in one order."""
        return [key.lower() for key in _KEYS if key in HELD[self.kind]]

    @property
    def publishes(self) -> bool:
        """Return whether the signer signs for it."""
        return self.kind in PUBLISHING

    @property
    def answers(self) -> bool:
        """Return whether it answers requests with the program; `live` only gives files out."""
        return "core.config.serving" in self.words

    @property
    def works(self) -> bool:
        """Return whether it takes tasks from a queue."""
        return "worker" in self.words

    def command(self, **changes: object) -> list[str]:
        """Return its command with `address`, `signer`, and others where they are not as usual."""
        usual = {"port": self.port, "processes": self.processes, "threads": self.threads}
        return [word.format_map({**usual, **changes}) for word in self.words]


_KEYS: Final = (
    *("SECRET_KEY", "CODE_KEYS", "DATA_KEYS", "TOKEN_KEYS", "SEED_KEYS"),
    "SIGNING_KEYS",
)
_CELERY: Final = ("celery", "--app", "core.config.celery")
_ALONE: Final = ("--concurrency", "1", "--without-gossip", "--without-mingle")
# Its backpressure is a number of connections, idle ones included; each terminal keeps one open.
# HTTP/2 is off because there is no TLS here.
_SERVING: Final = (
    *("python", "-m", "core.config.serving", "--interface", "wsgi"),
    *("--host", "{address}", "--port", "{port}"),
    *("--workers", "{processes}", "--blocking-threads", "{threads}"),
    *("--respawn-failed-workers", "--workers-kill-timeout", "20"),
    *("--http", "1", "--no-ws", "--backlog", "4096", "--backpressure", str(CONNECTIONS)),
    "core.config.wsgi:application",
)


def working(*queues: str) -> tuple[str, ...]:
    """Return the command of a worker of these queues, by default of all."""
    chosen = ("--queues", ",".join(queues)) if queues else ()
    return (*_CELERY, "worker", *chosen, *_ALONE)


PROCESSES: Final[Mapping[str, Process]] = {
    each.name: each
    for each in (
        Process(
            name="sales",
            kind="web",
            title="web for terminals",
            purpose="What terminals ask for. Everybody else has processes of their own: `web`.",
            words=_SERVING,
            port=8000,
            processes=2,
            threads=TERMINAL_THREADS,
            role="sales",
            weight=1000,
        ),
        Process(
            name="web",
            kind="web",
            title="web for staff and the public",
            purpose="What staff and the public ask for; terminals have `sales`.",
            words=_SERVING,
            port=8002,
            processes=2,
            weight=100,
        ),
        Process(
            name="play",
            kind="play",
            title="plays and emissions",
            purpose="Plays and emissions: of the web servers it alone can read the seed of an"
            " emission on sale.",
            words=_SERVING,
            port=8003,
            threads=TERMINAL_THREADS,
        ),
        Process(
            name="signer",
            kind="signer",
            title="signer of the public log",
            purpose="On each machine with web, play or worker processes. It alone signs, for those"
            " that may open its socket.",
            words=("python", "manage.py", "signer", "{signer}"),
        ),
        Process(
            name="worker",
            kind="worker",
            title="worker",
            purpose="For all but the nights and what takes long. As many as wanted.",
            words=working("quick"),
            metrics_port=9100,
            node="worker-%i@%H",
        ),
        Process(
            name="night",
            kind="worker",
            title="the nights",
            purpose="A worker for the nights, which delay nothing else. On two machines or more:"
            " one does the work.",
            words=working("nights"),
            metrics_port=9112,
            node="night@%H",
        ),
        Process(
            name="long",
            kind="worker",
            title="long work",
            purpose="A worker for what somebody asks for that takes hours, such as an audit of all"
            " of the past. No night waits for it.",
            words=working("long"),
            metrics_port=9113,
            node="long@%H",
        ),
        Process(
            name="live",
            kind="live",
            title="publisher of the boards' files",
            purpose="On each machine whose proxy serves the boards' files, from this process or"
            " from its folder.",
            words=("python", "manage.py", "live", "--listen", "{address}:{port}"),
            port=8001,
            metrics_port=9111,
        ),
        Process(
            name="beat",
            kind="beat",
            title="beat",
            purpose="On two machines or more: what is sent twice is done once.",
            words=(*_CELERY, "beat", "--pidfile="),
            metrics_port=9110,
        ),
    )
}
"""The processes by name, in the order in which they are read."""

MIGRATE: Final = Process(
    name="migrate",
    kind="migrate",
    title="migration",
    purpose="Before the others, at each new version.",
    words=("python", "manage.py", "migrate", "--database", "owner", "--no-input"),
)


def here(words: Sequence[str]) -> list[str]:
    """Return a command with the programs of this Python instead of those on the path."""
    first = {"python": [sys.executable], "celery": [sys.executable, "-m", "celery"]}
    return [*first[words[0]], *words[1:]]
