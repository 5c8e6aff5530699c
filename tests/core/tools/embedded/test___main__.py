import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import alive
from core.tools.embedded.server import ROOT

SHOW = """
import os, psycopg
who = "SELECT current_user"
for name in ("DATABASE_URL", "DATABASE_OWNER_URL"):
    print(psycopg.connect(os.environ[name]).execute(who).fetchone()[0])
print(os.environ["BROKER_URL"].partition("://")[0], os.environ["VAR_DIR"])
"""


def embedded(
    environment: Mapping[str, str], *words: str | Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "core.tools.embedded", *map(str, words)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory, bare_environment: Mapping[str, str]
) -> Iterator[Path]:
    """A folder whose servers each test starts and stops; the data of the first one stay in it."""
    folder = tmp_path_factory.mktemp("embedded") / "var"
    yield folder
    assert embedded(bare_environment, "destroy", "--folder", folder).returncode == 0
    assert not (folder / "postgres").exists()


def test_a_command_runs_with_both_servers(
    folder: Path, bare_environment: Mapping[str, str]
) -> None:
    words = ["run", "--folder", folder, "--", sys.executable, "-c", SHOW]
    done = embedded(bare_environment, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["lototrot_app", "lototrot_owner", "redis+socket", str(folder)]
    assert Postgres(folder / "postgres").pid is None


def test_the_code_of_the_command_is_returned(
    folder: Path, bare_environment: Mapping[str, str]
) -> None:
    for command, code in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137)):
        assert (
            embedded(bare_environment, "run", "--folder", folder, "--", *command).returncode == code
        )
    missing = embedded(bare_environment, "run", "--folder", folder, "--", "no-such-command")
    assert missing.returncode == 1
    assert "no-such-command" in missing.stderr


def test_servers_that_are_named_are_not_started(
    tmp_path: Path, bare_environment: Mapping[str, str]
) -> None:
    named = {**bare_environment, "DATABASE_URL": "postgresql://h/n", "BROKER_URL": "amqp://h"}
    var = tmp_path / "var"
    words = ["run", "--folder", var, "--", "sh", "-c", "echo $DATABASE_URL $BROKER_URL"]
    assert embedded(named, *words).stdout.split() == ["postgresql://h/n", "amqp://h"]
    assert not var.exists()


def test_production_has_no_embedded_server(
    tmp_path: Path, bare_environment: Mapping[str, str]
) -> None:
    production = {**bare_environment, "PROFILE": "production", "BROKER_URL": "amqp://h"}
    done = embedded(production, "run", "--folder", tmp_path, "--", "true")
    assert done.returncode == 1
    assert "Production needs DATABASE_URL" in done.stderr


def test_sigterm_ends_the_command_and_the_servers(
    folder: Path, bare_environment: Mapping[str, str]
) -> None:
    words = ["run", "--folder", str(folder), "--", "sh", "-c", "echo ready; exec sleep 600"]
    running = subprocess.Popen(
        [sys.executable, "-m", "core.tools.embedded", *words],
        cwd=ROOT,
        env=bare_environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    pid = Postgres(folder / "postgres").pid
    assert pid is not None
    os.kill(running.pid, signal.SIGTERM)
    running.communicate(timeout=120)
    assert running.returncode == 128 + signal.SIGTERM
    assert not alive(pid)
