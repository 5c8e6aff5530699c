"""Show a cluster: play a race day on it, print what runs where, and kill machines in turn."""

import os
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import NoReturn, Self

from core.tools.cluster.cluster import DATABASES, PROXY, Cluster
from core.tools.cluster.network import Network
from core.tools.embedded.processes import EmbeddedError
from core.tools.raceday import show
from core.tools.raceday.api import Api, ApiProblem
from core.tools.raceday.management.commands.raceday import need_nothing_of_others
from core.tools.raceday.stage import Amiss, Stage, play
from core.tools.raceday.surroundings import settings_of_a_race_day

KILL_EVERY_S, DEAD_S = 20.0, 15.0


class Showing:
    """A cluster with simulated time, its race day, and what it prints. Used with `with`."""

    def __init__(self, folder: Path, network: Network) -> None:
        need_nothing_of_others(os.environ)
        words = settings_of_a_race_day() | {"LIVE_URL": "/live"}
        self.cluster = Cluster(folder, network, environment=words)
        self.stage: Stage | None = None
        self._running = ExitStack()

    def __enter__(self) -> Self:
        show.heading("Starting the machines")
        show.step(f"Eight machines on this one, by {self.cluster.network.words}")
        with show.console.watched():
            show.doing("starting three databases, two hosts, broker, proxy and receiver")
            self._running.enter_context(self.cluster)
        os.environ["SSL_CERT_FILE"] = self.cluster.environment["SSL_CERT_FILE"]
        return self

    def __exit__(self, *_: object) -> None:
        with show.console.watched():
            show.doing("stopping the machines")
            self._running.close()

    def race_day(self) -> None:
        """Play the race day through the proxy. Raise EmbeddedError if something is wrong."""
        url = self.cluster.base_url
        try:
            with show.console.watched():
                self.stage, _ = play(url, url, self.cluster.environment)
        except (Amiss, ApiProblem) as fault:
            logs = self.cluster.folder / "log"
            raise EmbeddedError(f"{fault} (logs: {logs})") from fault

    def where(self) -> None:
        """Print the machines, and what has come to the receiver."""
        show.heading("What runs where")
        show.table(("machine", "address", "now", "runs"), self.cluster.rows())
        show.step(f"The receiver has {self.cluster.received()} entries of the public log")
        show.step(f"The proxy answers at {self.cluster.base_url}")

    def stay(self) -> NoReturn:
        """Wait until Ctrl-C."""
        show.step("Ctrl-C stops everything")
        while True:
            time.sleep(1)

    def kill_as_it_goes(self, random: Random, kills: int = 0) -> None:
        """Kill a machine, wait for an answer through the proxy, start it again, and so on.

        `kills` is how many machines are killed, 0 for no end.
        """
        show.heading("Killing machines; Ctrl-C stops everything")
        done = 0
        while not kills or done < kills:
            self.kill_one(random.choice(sorted(self.cluster.machines)))
            rest_s = KILL_EVERY_S * random.random()
            done += 1
            time.sleep(0 if done == kills else rest_s)

    def kill_one(self, name: str) -> None:
        """Kill a machine with the data folder of its database; say when the proxy answers."""
        machine = self.cluster.machines[name]
        was = "primary" if name == self.cluster.primary() else machine.purpose
        show.step(f"{name} ({was}, {machine.address}) is killed")
        machine.kill()
        if name in DATABASES:
            self.cluster.delete_data(name)
        if name == PROXY:
            machine.start()
        began = time.monotonic()
        while not self._answers():
            if time.monotonic() > began + 120:
                raise EmbeddedError(f"no sale since {name} was killed: {self.cluster.describe()}")
            time.sleep(0.2)
        show.note(f"the terminals' processes are ready {time.monotonic() - began:.1f} s later")
        time.sleep(max(0.0, DEAD_S - (time.monotonic() - began)))
        machine.start()
        if name in DATABASES:
            self.cluster.wait_standbys()
        show.note(f"{name} is back")

    def _answers(self) -> bool:
        """Return whether a terminal can ask for its contests, which needs the database."""
        if self.stage is None:
            return True
        api = self.stage.sellers[0].api
        try:
            Api(self.cluster.base_url, api.headers).get("terminal/account")
        except ApiProblem as problem:
            return problem.status < 500
        except OSError:
            return False
        return True
