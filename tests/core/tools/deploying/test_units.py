"""The units of systemd: one for each process, closed, with the keys of its kind."""

import re
import shlex

import pytest

from core.tools.deploying.processes import PROCESSES, Process
from core.tools.deploying.units import BACKUPS, units


def unit(process: Process) -> str:
    return units()[f"lototrot-{process.name}{'@' if process.name == 'worker' else ''}.service"]


@pytest.mark.parametrize("process", PROCESSES.values(), ids=lambda each: each.name)
def test_a_unit_starts_what_the_table_says(process: Process) -> None:
    (line,) = re.findall(r"^ExecStart=(.*)$", unit(process), re.MULTILINE)
    words = shlex.split(line.removeprefix("/opt/lototrot/.venv/bin/"))
    wanted = process.command(address="127.0.0.1", signer="/run/lototrot-signer/socket")
    assert words[: len(wanted)] == wanted
    assert words[len(wanted) :] == (["--hostname", process.node] if process.node else [])


@pytest.mark.parametrize("process", PROCESSES.values(), ids=lambda each: each.name)
def test_a_unit_is_given_its_own_keys_as_credentials(process: Process) -> None:
    text = unit(process)
    assert re.findall(r"^LoadCredential=(\w+):", text, re.MULTILINE) == process.keys
    assert ("lototrot-signer.service" in text) == process.publishes


def test_several_workers_of_a_machine_have_names_ports_and_folders_of_their_own() -> None:
    text = unit(PROCESSES["worker"])
    for line in ("METRICS_LISTEN=127.0.0.1:910%i", "RuntimeDirectory=lototrot-worker-%i"):
        assert line in text
    assert "--hostname worker-%i@%H" in text


def test_the_signer_has_no_network_and_a_user_of_its_own() -> None:
    text = unit(PROCESSES["signer"])
    assert "PrivateNetwork=yes" in text and "User=lototrot-signer\n" in text
    assert "AF_INET" not in text


def test_what_a_timer_starts_is_not_started_with_the_machine() -> None:
    for each in BACKUPS:
        text = units()[f"lototrot-{each.name}.service"]
        assert ("WantedBy=multi-user.target" in text) == (each.name == "archive")
        assert ("Type=oneshot" in text) == (each.name != "archive")
