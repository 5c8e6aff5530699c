import http.client
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from core.tools.embedded.valkey import Valkey
from tests.support.databases import Database
from tests.support.servers import migrate

Eventually = Callable[..., None]
MARK = "LOTOTROT_TEST_MARK"
SUPERVISOR = """
import signal
import sys
from pathlib import Path
from core.tools.embedded.stack import Stack
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
works = sys.argv[2] == "whole"
with Stack(workers=int(works), beat=works, migrate=False, folder=Path(sys.argv[1])) as stack:
    print("ready", stack.port, stack.postgres is not None, flush=True)
    stack.wait()
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="counts processes through /proc, and relies on PDEATHSIG"
)


def status(port: int, path: str) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except ConnectionError:
        return None
    finally:
        connection.close()


def marked(mark: str) -> list[str]:
    """The processes that inherited our mark, and the servers below them."""
    processes, parents = [], set()
    for entry in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            command = (entry / "cmdline").read_text().replace("\0", " ")
            environment = (entry / "environ").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        except PermissionError:  # another account's
            environment = b""
        if command and (f"{MARK}={mark}".encode() in environment or parent in parents):
            parents.add(entry.name)
            processes.append(f"{entry.name} {command}")
    return processes


@pytest.fixture
def mark(bare_environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A mark on every process started from here on; none may be left at the end."""
    for name in set(os.environ) - set(bare_environment):
        monkeypatch.delenv(name)
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    yield mark
    assert marked(mark) == []


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    Postgres(tmp_path / "postgres").destroy()
    Valkey(tmp_path / "valkey").destroy()


def test_a_system_runs_recovers_and_leaves_nothing_behind(
    mark: str, folder: Path, eventually: Eventually, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock():
        migrate(Postgres(folder / "postgres"))  # its own `migrate` finds nothing to do
    lines: list[str] = []
    stack = Stack(workers=2, folder=folder, report=lines.append)
    with stack:
        assert stack.names == ["signer", "web", "worker-1", "worker-2", "live", "beat"]
        assert status(stack.port, "/readyz") == 200
        assert len(marked(mark)) > len(stack.names) + 2
        for name, keys in (("live", 0), ("beat", 0), ("worker-1", 1), ("signer", 1), ("web", 5)):
            environment = Path(f"/proc/{stack.pid(name)}/environ").read_text()
            assert len(re.findall("_KEYS?_FILE=", environment)) == keys, name

        # A worker that dies is reported and started again; one that a test kills stays dead.
        first = stack.pid("worker-1")
        os.kill(first, signal.SIGKILL)
        eventually(lambda: stack.pid("worker-1") != first)
        assert "worker-1 died" in lines[0]
        stack.kill("worker-2")
        stack.revive("worker-2")

        # PostgreSQL is back by itself after a crash, and so is the web server with it.
        assert stack.postgres is not None
        stack.postgres.crash()
        eventually(lambda: status(stack.port, "/readyz") == 200)

        # Dying by itself the web server is started again; killed by a test it stays dead.
        os.killpg(stack.pid("web"), signal.SIGKILL)
        eventually(lambda: any("web died" in line for line in lines))
        eventually(lambda: status(stack.port, "/readyz") == 200)
        stack.kill("web")
        assert status(stack.port, "/readyz") is None
    assert stack.postgres.pid is None


def supervised(folder: Path, size: str, **environment: str) -> tuple[subprocess.Popen[str], int]:
    """Start a system under a supervisor, and return it with the port of the web server.

    PostgreSQL is the system's own unless the environment names another.
    """
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(folder), size],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert supervisor.stdout is not None
    words = supervisor.stdout.readline().split()
    assert words[:1] == ["ready"], supervisor.communicate()
    assert words[2] == str("DATABASE_URL" not in environment)
    return supervisor, int(words[1])


@pytest.mark.parametrize(
    ("number", "size"),
    [
        (signal.SIGKILL, "whole"),
        # It ends it in order: the first test of this module ends a whole system so.
        (signal.SIGTERM, "without workers"),
    ],
)
def test_whatever_ends_the_supervisor_ends_the_system(
    mark: str,
    folder: Path,
    number: signal.Signals,
    size: str,
    eventually: Eventually,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    with django_db_blocker.unblock():
        migrate(Postgres(folder / "postgres"))  # a system whose data stand from another day
    supervisor, port = supervised(folder, size)
    supervisor.send_signal(number)
    supervisor.communicate(timeout=120)
    codes = {signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}
    assert supervisor.returncode == codes[number]
    assert status(port, "/readyz") is None or number == signal.SIGKILL
    eventually(lambda: marked(mark) == [])


def test_it_uses_a_database_that_is_named_and_ctrl_c_ends_it(
    mark: str, folder: Path, own_database: Database, eventually: Eventually
) -> None:
    supervisor, port = supervised(folder, "without workers", **own_database.environment)
    assert status(port, "/readyz") == 200
    with psycopg.connect(own_database.app_url) as connection:
        names = connection.execute(
            "SELECT usename FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
        ).fetchall()
    assert set(names) == {("lototrot_app",)}  # the web server is not the owner
    supervisor.send_signal(signal.SIGINT)
    supervisor.communicate(timeout=120)
    assert supervisor.returncode == -signal.SIGINT
    assert status(port, "/readyz") is None
    eventually(lambda: marked(mark) == [])


def test_a_system_that_cannot_start_says_why_and_leaves_nothing(mark: str, folder: Path) -> None:
    broken = {"PROFILE": "nonsense"}
    with pytest.raises(EmbeddedError, match="PROFILE"), Stack(folder=folder, environment=broken):
        pass
