"""Two web servers and three workers on one database and one broker, while some of them die.

Terminals sell through both servers, a worker is killed, the broker is killed, stays away until
after the closing, and comes back empty: every answered sale is there once, and closing and
settlement happen once.
"""

import http.client
import itertools
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.db import connection

from core.ledger.models import Transfer
from core.premises.requests import new_uuid
from core.tools.embedded.stack import Stack
from core.tools.embedded.valkey import binary
from core.tools.embedded.web import free_port
from core.tools.raceday.api import Api, ApiProblem
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.factories import Point

TERMINALS_EACH = 2
ENOUGH = 15
"""Sales of a terminal before, and again after, something is killed."""

RACES = ([1, 2, 3], [2, 1, 4])
BETS = 9


def wait_for(condition: Callable[[], object]) -> None:
    """Return when `condition` holds; the bound says only when to call it a failure."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.05)


@dataclass
class Broker:
    """A Valkey of the test's own, which nobody starts again."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                str(binary()),
                "--port",
                str(self.port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--dir",
                str(self.folder),
                "--appendonly",
                "yes",
                "--loglevel",
                "warning",
            ]
        )

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def forget(self) -> None:
        """Lose its disk: no message, queue or binding is left."""
        shutil.rmtree(self.folder / "appendonlydir")


@dataclass
class Till:
    """A terminal that sells through one web server until told to stop."""

    point: Point
    base_url: str
    contest: Contest
    answered: list[dict[str, Any]] = field(default_factory=list)

    def api(self, base_url: str = "") -> Api:
        headers = {
            "Authorization": f"Terminal {self.point.token}",
            "X-Operator-Session": self.point.session_token,
        }
        return Api(base_url or self.base_url, headers)

    def body(self) -> dict[str, Any]:
        return {
            "uuid": str(new_uuid()),
            "contest": self.contest.pk,
            "price_cents": 100,
            "amount_cents": BETS * 100,
            "races": RACES,
        }

    def sell(self, until: threading.Event) -> None:
        api = self.api()
        try:
            while not until.is_set():
                body = self.body()
                card = api.post("lototrot/tickets", body)
                assert card["uuid"] == body["uuid"]
                self.answered.append(body | {"code": card["code"]})
        finally:
            connection.close()  # the thread's own, which tells it the time for UUIDs


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    stopped = Broker(tmp_path)
    stopped.start()
    yield stopped
    stopped.kill()


@pytest.fixture
def stacks(own_database: Database, broker: Broker, tmp_path: Path) -> Iterator[tuple[Stack, Stack]]:
    """Two machines: a web server and two workers with the beat, a web server and a worker."""
    environment = own_database.environment | {"BROKER_URL": broker.url, "SWEEP_EVERY_S": "1"}
    environment |= {"VAR_DIR": os.environ["VAR_DIR"]}  # secrets are shared, as in production
    common: dict[str, Any] = {"migrate": False, "environment": environment}
    first = Stack(workers=2, folder=tmp_path / "first", port=free_port(), **common)
    second = Stack(workers=1, beat=False, folder=tmp_path / "second", port=free_port(), **common)
    # The children of a thread live as long as it does; here, as long as the pool.
    with ThreadPoolExecutor(1) as other:
        starting = other.submit(second.start)
        with first:
            try:
                starting.result()
                yield first, second
            finally:
                stopping = other.submit(second.stop)
        stopping.result()


def readiness(base_url: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(base_url.removeprefix("http://"), timeout=60)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())["status"]
    finally:
        connection.close()


@pytest.mark.article("14.III.4")
@pytest.mark.article("14.III.9.6")
def test_deaths_delay_work_and_lose_nothing(stacks: tuple[Stack, Stack], broker: Broker) -> None:
    first, second = stacks
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [range(1, 9), range(1, 9)])
    tills = []
    for stack in stacks * TERMINALS_EACH:
        point = factories.point()
        factories.acknowledge(contest, point)
        tills.append(Till(point, stack.base_url, contest))

    stop = threading.Event()
    with ThreadPoolExecutor(len(tills)) as pool:
        selling = [pool.submit(till.sell, stop) for till in tills]
        try:
            all_sell(tills, selling)
            first.kill("worker-1")
            all_sell(tills, selling)
            broker.kill()
            all_sell(tills, selling)
            for stack in stacks:  # asked again every five seconds
                wait_for(lambda stack=stack: readiness(stack.base_url) == (200, "degraded"))
            all_sell(tills, selling)
        finally:
            stop.set()
        for each in selling:
            each.result()
    replayed_elsewhere(tills, stacks)
    sold = {body["uuid"] for till in tills for body in till.answered}
    assert {str(ident) for ident in Ticket.objects.values_list("uuid", flat=True)} == sold

    # The clock closes the sale by itself, with the broker away; a worker records it half a minute
    # later if the broker stays away (tests/core/config/test_sweeping.py).
    scheduled = contest.scheduled_close_at
    factories.time_to(scheduled)
    for till in tills:
        with pytest.raises(ApiProblem) as refused:
            till.api().post("lototrot/tickets", till.body())
        assert refused.value.code == "contest_closed"

    # The broker is back, empty; for two workers of the three the sweeper finds what is due.
    broker.forget()
    broker.start()
    wait_for(lambda: Contest.objects.get(pk=contest.pk).state != Contest.State.OPEN)
    contest.refresh_from_db()
    assert (contest.state, contest.closed_at) == (Contest.State.CLOSED, scheduled)
    factories.prints_ended(contest)

    first.revive("worker-1")
    settled_once(contest, first, second, broker)
    assert len(sold) * BETS * 100 == Settlement.objects.get().figures["takings"]
    rounds.books_agree()


def all_sell(tills: list[Till], selling: list[Future[None]]) -> None:
    """Wait until every till has sold some more; one that fails says why."""
    enough = [len(till.answered) + ENOUGH for till in tills]

    def sold() -> bool:
        for each in selling:
            if each.done():
                each.result()
        return all(len(till.answered) >= n for till, n in zip(tills, enough, strict=True))

    wait_for(sold)


def replayed_elsewhere(tills: list[Till], stacks: tuple[Stack, Stack]) -> None:
    """Either server answers a sale's replay with the same ticket and the same code."""
    for till, stack in itertools.product(tills, stacks):
        body = dict(till.answered[0])
        code = body.pop("code")
        assert till.api(stack.base_url).post("lototrot/tickets", body)["code"] == code


def settled_once(contest: Contest, first: Stack, second: Stack, broker: Broker) -> None:
    """Every worker is told many times over to settle, the sweeper too, and one of them is shot."""
    for race in factories.races_of(contest):
        factories.classified(race, [1])
    celery = Celery(broker=broker.url, set_as_current=False)
    with celery.connection_for_write() as connection:
        for _ in range(12):
            celery.send_task(
                "lototrot.tasks.settle",
                [contest.pk],
                connection=connection,
                ignore_result=True,
                queue="quick",
            )
        first.kill("worker-2")
        wait_for(lambda: Contest.objects.get(pk=contest.pk).state == Contest.State.SETTLED)
        with connection.channel() as channel:
            wait_for(lambda: channel.client.llen("quick") == 0)
    settlement = Settlement.objects.get()
    assert (settlement.number, settlement.in_force) == (1, True)
    assert settlement.tickets == Ticket.objects.count()
    lines = Transfer.objects.filter(reference=settlement.uuid).values_list("line", flat=True)
    assert sorted(lines) == list(range(len(lines)))
