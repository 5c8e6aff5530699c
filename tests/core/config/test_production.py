"""Check each refusal of the production profile by its message, and that it starts otherwise."""

import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from django.test import Client

from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.provision import provided
from core.tools.embedded.server import ROOT
from tests.support.databases import Database
from tests.support.factories.clocks import clock_given_up

KEYS = json.dumps({"current": "1", "keys": {"1": [secrets.token_hex(32), secrets.token_hex(32)]}})
DATA = json.dumps({"current": "1", "keys": {"1": secrets.token_hex(32)}})
COMPLETE = {
    "PROFILE": "production",
    "SECRET_KEY": secrets.token_urlsafe(48),
    "CODE_KEYS": KEYS,
    "DATA_KEYS": DATA,
    "TOKEN_KEYS": DATA,
    "SEED_KEYS": DATA,
    "SIGNING_KEYS": DATA,
    "ALLOWED_HOSTS": "lototrot.example",
    "DATABASE_URL": "postgresql://lototrot_app:secret@db.example/lototrot",
    "DATABASE_OWNER_URL": "postgresql://lototrot_owner:secret@db.example/lototrot",
    "BROKER_URL": "redis://:secret@broker.example:6379/0",
    "LOG_RECEIVERS": "https://log.example/trot",
    "WITHOUT_SECOND_MACHINE": "true",
}
SETTINGS = {*COMPLETE, "DEBUG", "SIMULATED_TIME", "VAR_DIR", "CSRF_TRUSTED_ORIGINS"}


def complete(folder: Path, changes: Mapping[str, str | None]) -> dict[str, str]:
    """Return a complete production environment with `changes` (None: unset)."""
    wanted = {**COMPLETE, "VAR_DIR": str(folder), **changes}
    environment = {key: value for key, value in os.environ.items() if key not in SETTINGS}
    environment |= {key: value for key, value in wanted.items() if value is not None}
    return environment | {"DJANGO_SETTINGS_MODULE": "core.config.settings"}


def run(
    folder: Path, changes: Mapping[str, str | None], *command: str
) -> subprocess.CompletedProcess[str]:
    """Run `python COMMAND` in a complete production environment with `changes`."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=complete(folder, changes),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    return done.stderr.strip().splitlines()[-1]


# For each environment, a line of JSON, it sets the program up in a fork and says how that ended.
# What reads no setting is imported once.
_SETTING_UP = """
import json
import os
import sys
import tempfile
import traceback

import django
import django.db.models
import psycopg

for line in sys.stdin:
    with tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if child == 0:
            os.dup2(errors.fileno(), 2)
            os.environ.clear()
            os.environ.update(json.loads(line))
            try:
                django.setup()
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
                os._exit(1)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        errors.seek(0)
        print(json.dumps([code, errors.read()]), flush=True)
"""


@pytest.fixture(scope="module")
def setting_up() -> Iterator[Callable[[dict[str, str]], subprocess.CompletedProcess[str]]]:
    """`setting_up(environment)` sets the program up in a process that has it, and nothing else."""
    with subprocess.Popen(
        [sys.executable, "-c", _SETTING_UP],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def ended(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(environment) + "\n")
            process.stdin.flush()
            code, errors = json.loads(process.stdout.readline())
            return subprocess.CompletedProcess([], code, "", errors)

        yield ended


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"PROFILE": "staging"}, "PROFILE must be development or production, not 'staging'"),
        ({"SECRET_KEY": None}, "production needs SECRET_KEY"),
        ({"SECRET_KEY": ""}, "production needs SECRET_KEY"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY is shorter than 32 characters"),
        ({"CODE_KEYS": None}, "production needs CODE_KEYS"),
        ({"CODE_KEYS": "{}"}, "CODE_KEYS is not a key ring"),
        ({"DATA_KEYS": None}, "production needs DATA_KEYS"),
        ({"DATA_KEYS": "[]"}, "DATA_KEYS is not a key ring"),
        ({"TOKEN_KEYS": None}, "production needs TOKEN_KEYS"),
        ({"SIGNING_KEYS": None}, "production needs SIGNING_KEYS"),
        ({"PROFILE": None, "SECRET_KEY": None}, "production needs SECRET_KEY"),
        ({"BROKER_URL": "redis://h/0"}, "production needs a BROKER_URL with a password"),
        ({"LOG_RECEIVERS": None}, "production needs LOG_RECEIVERS with an http(s) address on an"),
        ({"LOG_RECEIVERS": "/srv/log,http://[::1]/"}, "production needs LOG_RECEIVERS with an"),
        ({"LOG_RECEIVERS": "https://db.example/log"}, "production needs LOG_RECEIVERS with an"),
        (
            {"LOG_RECEIVERS": "file:///x"},
            "LOG_RECEIVERS must be absolute paths or http(s) addresses",
        ),
        ({"DEBUG": "1"}, "production refuses DEBUG and SIMULATED_TIME"),
        ({"SIMULATED_TIME": "1"}, "production refuses DEBUG and SIMULATED_TIME"),
        ({"DATABASE_URL": None}, "production needs DATABASE_URL"),
        ({"BROKER_URL": None}, "production needs BROKER_URL"),
        ({"ALLOWED_HOSTS": None}, "production needs ALLOWED_HOSTS"),
    ],
)
def test_it_refuses_what_is_fit_for_a_demonstration_only(
    tmp_path: Path,
    changes: Mapping[str, str | None],
    message: str,
    setting_up: Callable[[dict[str, str]], subprocess.CompletedProcess[str]],
) -> None:
    done = setting_up(complete(tmp_path, changes))
    assert done.returncode == 1
    assert last_line(done).startswith(f"django.core.exceptions.ImproperlyConfigured: {message}"), (
        done.stderr
    )
    assert list(tmp_path.iterdir()) == []  # and no secret was made up


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("READING_LIMIT_S", "0.0004", "must be from 0.001 to 86400 seconds, not 0.0004"),
        ("NIGHT_LIMIT_S", "99999999999", "must be from 0.001 to 86400 seconds"),
        ("SWEEP_EVERY_S", "99999999999", "must be from 0.1 to 20 seconds"),
        ("MAIL_PORT", "70000", "must be at most 65535"),
        ("MAIL_FROM", "lototrot", "must be an address"),
        ("LONG_WORK_FILE_DAYS", "9999999999", "must be at most 36525"),
        ("PAYEE_KEPT_DAYS", "9999999999", "must be at most 36525"),
        ("IMAGE_KEPT_DAYS", "9999999999", "must be at most 36525"),
        ("TICKETS_LIVE_DAYS", "9999999999", "must be at most 36525"),
        ("LEDGER_KEPT_DAYS", "9999999999", "must be at most 36525"),
        ("STAFF_NAMES_KEPT_DAYS", "9999999999", "must be at most 36525"),
        ("OPERATOR_NAMES_KEPT_DAYS", "9999999999", "must be at most 36525"),
        ("LOG_LEVEL", "info", "must be DEBUG or INFO or WARNING or ERROR, not 'info'"),
        ("TRUSTED_PROXIES", "10.0.0.1,proxy", "must be addresses or networks: 'proxy'"),
        ("TRUSTED_PROXIES", "10.0.0.1/8", "must be addresses or networks: '10.0.0.1/8'"),
        ("NTP_SERVER", "clock.example:99999", "must be HOST or HOST:PORT"),
        ("METRICS_LISTEN", "127.0.0.1:99999", "must be HOST:PORT"),
        ("METRICS_LISTEN", "*:9100", "must be HOST:PORT (0.0.0.0:PORT or [::]:PORT for every"),
        ("PROMETHEUS_MULTIPROC_DIR", "/nowhere", "/nowhere takes no megabyte of this process"),
        ("SIGNER", "run/signer/socket", "must be an absolute path of 107 characters at most"),
        ("SIGNER", "/run/" + "x" * 110, "must be an absolute path of 107 characters at most"),
        ("LIVE_URL", "live.example", "must be a path or an http(s) address without ? and #"),
        ("LIVE_URL", "https://x:hush@live.example/live", "must be a path or an http(s) address"),
        ("LIVE_URL", "https://live.example:99999/live", "must be a path or an http(s) address"),
        ("LIVE_URL", "/live; script-src *", "must be a path or an http(s) address"),
        ("MAIL_HOST", "mail.example:587", "must be a host, without its port: that is MAIL_PORT"),
        ("MAIL_HOST", "smtp://x:hush@mail.example", "must be a host, without its port"),
        ("MAIL_HOST", "[2001:db8::25]", "must be a host, without its port"),
        ("DEALER", "127.0.0.1:8000", "must be http://HOST:PORT"),
        ("DEALER", "https://play.example:8000", "must be http://HOST:PORT"),
        ("CHECK_URL", "https://:99999/check", "must be an http(s) address without ? and #"),
        ("BROKER_URL", "http://:hush@broker.example", "must be redis://, rediss:// or amqp://"),
        ("BROKER_URL", "redis://:hush@broker.example:port/0", "must be redis://, rediss:// or"),
        ("BROKER_URL", "redis://:hu[sh]@broker.example/0", "must be redis://, rediss:// or"),
        ("LIMITS_URL", "redis://:hush@limits.example:99999", "must be redis://, rediss:// or"),
        ("LOG_RECEIVERS", "https://log.example,http://", "must be absolute paths or http(s)"),
        ("LOG_RECEIVERS", "https://log.example,http://log:x/", "must be absolute paths or http(s)"),
        ("LOG_RECEIVERS", "https://log.example/" + "x" * 300, "must be absolute paths or http(s)"),
        ("LOG_RECEIVERS", "https://log.example/é", "must be absolute paths or http(s)"),
        ("CSRF_TRUSTED_ORIGINS", "lototrot.example", "must be http(s) addresses"),
    ],
)
def test_a_value_that_would_fail_at_night_is_refused_at_the_start(
    tmp_path: Path,
    name: str,
    value: str,
    message: str,
    setting_up: Callable[[dict[str, str]], subprocess.CompletedProcess[str]],
) -> None:
    done = setting_up(complete(tmp_path, {name: value}))
    expected = f"django.core.exceptions.ImproperlyConfigured: {name} {message}"
    assert last_line(done).startswith(expected), done.stderr
    assert done.returncode == 1
    assert "hu[sh]" not in done.stderr and "hush" not in done.stderr


@pytest.mark.servers
def test_it_starts_when_all_is_given(tmp_path: Path) -> None:
    done = run(tmp_path, {}, "-c", "import django; django.setup()")
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LIVE_URL", "https://live.example"),
        ("LIVE_URL", "https://live.example:8443/"),
        ("LIVE_URL", "/boards/live"),
        ("MAIL_HOST", "2001:db8::25"),
        ("MAIL_HOST", "mail_relay"),
    ],
)
def test_it_takes_every_form_of_an_address(
    tmp_path: Path,
    name: str,
    value: str,
    setting_up: Callable[[dict[str, str]], subprocess.CompletedProcess[str]],
) -> None:
    done = setting_up(complete(tmp_path, {name: value}))
    assert (done.returncode, done.stderr) == (0, "")


PROXYS = {"security.W005", "security.W008", "security.W021"}
"""Other hosts of the domain, and plain HTTP: what the proxy in front decides."""

BY_NAME = {"security.W002", "security.W003"}
"""Looked for by the names of Django's classes; ours are subclasses, and tried below."""


def test_djangos_own_checks_for_deployment_find_nothing_that_is_not_done_elsewhere(
    tmp_path: Path, own_database: Database
) -> None:
    done = run(
        tmp_path,
        own_database.environment,
        "manage.py",
        "check",
        "--deploy",
        "--database",
        "default",
    )
    assert done.returncode == 0, done.stderr
    matches = set(re.findall(r"\(([\w.]+\.[A-Z]\d+)\)", done.stderr))
    assert matches == PROXYS | BY_NAME, done.stderr


@pytest.mark.django_db
def test_screens_are_in_no_frame_and_take_no_form_from_elsewhere() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.get("/admin/login/").headers["X-Frame-Options"] == "DENY"
    assert client.post("/admin/login/", {"username": "a", "password": "b"}).status_code == 403


SEATED = """
import core.config.wsgi as web
from core.database import together
from core.traffic.seats import SEATS
assert together._leave_seat == SEATS.leave
SEATS.take, SEATS.leave = lambda: print("taken"), lambda: print("left")
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/livez"}
web.application(environ, lambda status, _headers: print(status.partition(" ")[0]))
"""


def test_it_serves_as_the_applications_role_and_not_as_the_owner(
    tmp_path: Path, own_database: Database, machine_clock: None
) -> None:
    load = ("-c", "import core.config.wsgi")
    refused = run(tmp_path, own_database.environment, *load)
    assert "the application may move the clock" in last_line(refused)
    clock_given_up()
    without_pages = own_database.environment | {"PROCESS_ROLE": "sales"}
    assert "run collectstatic" in last_line(run(tmp_path, own_database.environment, *load))
    served = run(tmp_path, without_pages, "-c", SEATED)
    assert served.returncode == 0, served.stderr
    assert served.stdout.split() == ["taken", "200", "left"]
    alone = own_database.environment | {"WITHOUT_SECOND_MACHINE": None}
    assert "on one machine only: no synchronous standby" in last_line(run(tmp_path, alone, *load))
    owner = own_database.environment | {"DATABASE_URL": own_database.owner_url}
    refused = run(tmp_path, owner, *load)
    assert refused.returncode == 1
    assert "the application connects as the owner of its tables" in last_line(refused)


def test_web_and_worker_do_not_start_with_keys_of_their_own(
    tmp_path: Path, own_database: Database, machine_clock: None
) -> None:
    clock_given_up()
    web = own_database.environment | {"PROCESS_ROLE": "sales"}
    assert run(tmp_path, web, "-c", "import core.config.wsgi").returncode == 0
    other = KEYS.replace(json.loads(KEYS)["keys"]["1"][0], secrets.token_hex(32))
    refused = run(tmp_path, web | {"CODE_KEYS": other}, "-c", "import core.config.wsgi")
    assert refused.returncode == 1
    assert "refused to start: CODE_KEYS: version 1 is another key" in last_line(refused)
    names = ("SECRET_KEY", "CODE_KEYS", "DATA_KEYS", "TOKEN_KEYS", "SIGNING_KEYS")
    worker = own_database.environment | dict.fromkeys(names)
    worker |= {"PROCESS": "worker", "SIGNER": "/run/signer/socket"}
    begin = (
        "import django; from core.config import celery; django.setup(); "
        "celery._verify_server(); print('begun')"
    )
    begun = run(tmp_path, worker, "-c", begin)
    assert "begun" in begun.stdout, begun.stderr
    seeds = json.dumps({"current": "1", "keys": {"1": secrets.token_hex(32)}})
    refused = run(tmp_path, worker | {"SEED_KEYS": seeds}, "-c", begin)
    assert refused.returncode == 1
    assert "refused to start: SEED_KEYS: version 1 is another key" in last_line(refused)


def test_no_embedded_server_is_started_for_it(tmp_path: Path) -> None:
    environment = {"PROFILE": "production", "DATABASE_URL": COMPLETE["DATABASE_URL"]}
    with pytest.raises(EmbeddedError, match="BROKER_URL"), provided(tmp_path, environment):
        pass
    assert list(tmp_path.iterdir()) == []
