"""Start each kind of process wrongly, as an administrator may: it says why in a sentence."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from core.tools.embedded.server import ROOT
from core.tools.embedded.web import free_port
from tests.deployment.test_deploy import SERVICES, environment, here, of_kind, served, server

__all__ = ("environment", "served", "server")  # fixtures

# Each starts whole processes of the program, which take a sixth of the time of all quick tests.
pytestmark = pytest.mark.servers

MANAGE = [sys.executable, "manage.py"]


def refused(command: list[str], surroundings: dict[str, str]) -> str:
    """Return what a command says that must end by itself, without a trace."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    refusal = done.stdout + done.stderr
    assert done.returncode != 0, refusal
    assert "Traceback" not in refusal
    return refusal


def command_of(kind: str) -> list[str]:
    words = list(SERVICES[kind]["command"])
    if "--port" in words:
        words[words.index("--port") + 1] = str(free_port())
    return here(words)


@pytest.mark.parametrize("kind", ["web", "worker", "beat", "live", "signer"])
def test_a_variable_that_is_missing_is_named(environment: dict[str, str], kind: str) -> None:
    without = of_kind(kind, environment) | {"DATABASE_URL": ""}
    assert "production needs DATABASE_URL" in refused(command_of(kind), without)


def test_a_worker_with_a_key_of_the_web_says_which(environment: dict[str, str]) -> None:
    keys = {"SECRET_KEY_FILE": f"{environment['KEYS']}/secret_key"}
    refusal = refused(command_of("worker"), of_kind("worker", environment) | keys)
    assert "a process of the kind worker must not have SECRET_KEY" in refusal


@pytest.mark.parametrize("kind", ["web", "worker"])
def test_a_database_that_is_away_is_named(environment: dict[str, str], kind: str) -> None:
    assert "the database does not answer" in refused(command_of(kind), of_kind(kind, environment))


def test_before_migrate_and_with_a_wrong_password_nothing_ends_in_a_trace(
    served: dict[str, str],
) -> None:
    for kind in ("web", "worker", "live"):
        refusal = refused(command_of(kind), of_kind(kind, served))
        assert re.search(r"^refused to start: .*run migrate", refusal, re.MULTILINE)
    console = served | {
        f"{name.upper()}_FILE": str(Path(served["KEYS"], name))
        for name in (
            *("secret_key", "code_keys", "data_keys", "token_keys", "seed_keys", "signing_keys"),
        )
    }
    first = ["staff_create", "adm", "--full-name", "Maria Riera", "--role", "administrator"]
    assert "is not migrated" in refused([*MANAGE, *first], console)
    migrating = of_kind("migrate", served)
    nowhere = migrating | {"DATABASE_URL": served["DATABASE_URL"].replace("host=", "host=%2Fno")}
    assert "does not answer" in refused([*MANAGE, "showmigrations"], nowhere)


def test_a_second_process_at_the_same_address_of_metrics_is_refused(
    environment: dict[str, str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        listening = {"METRICS_LISTEN": place}
        Path(environment["VAR_DIR"]).mkdir()
        for kind in ("beat", "live"):
            refusal = refused(command_of(kind), of_kind(kind, environment) | listening)
            assert f"METRICS_LISTEN {place} cannot be served" in refusal


def test_beat_names_the_file_that_it_cannot_write(environment: dict[str, str]) -> None:
    refusal = refused(command_of("beat"), of_kind("beat", environment))
    assert "celerybeat-schedule cannot be written" in refusal


def test_beat_does_not_wait_for_ever_where_the_disk_is_full(environment: dict[str, str]) -> None:
    Path(environment["VAR_DIR"]).mkdir()
    command = ["prlimit", "--fsize=20000", *command_of("beat")]
    refusal = refused(command, of_kind("beat", environment))
    assert "celerybeat-schedule cannot be written" in refusal
