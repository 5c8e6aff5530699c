"""Tests of the networks: addresses, and a cable that can be pulled where namespaces are allowed."""

import os
import subprocess
import sys

import pytest

from core.tools.cluster.network import Loopback
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.server import ROOT

PULLED = """
import socket
from core.tools.cluster.network import enter_own_network, network
from core.tools.embedded.processes import EmbeddedError
enter_own_network()
made = network()
if made.words != "network namespaces":
    raise SystemExit("not allowed")
import subprocess, sys, time
address = made.join("one", 1)
serve = "import socket; s = socket.create_server(('" + address + "', 8000))"
serve += "; [s.accept() for _ in range(9)]"
child = subprocess.Popen([*made.enter("one"), sys.executable, "-c", serve])
try:
    for _ in range(1200):
        try:
            outside = (made.outside(3), 0)
            socket.create_connection((address, 8000), timeout=60, source_address=outside)
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    for lose in (made.cut, made.mute, made.deafen):
        lose("one")
        try:
            socket.create_connection((address, 8000), timeout=0.3)
        except OSError as error:
            print(type(error).__name__)
        made.mend("one")
        socket.create_connection((address, 8000), timeout=60)
        print("mended")
finally:
    child.kill()
    child.wait()
"""


def test_loopback_addresses_are_of_one_network_and_have_no_cable() -> None:
    network = Loopback()
    first, second = network.join("a", 1), network.join("b", 2)
    assert first.rpartition(".")[0] == second.rpartition(".")[0] != "127.0.0"
    assert network.outside(3) not in (first, second)
    assert network.enter("a") == []
    for act in (network.cut, network.mute, network.deafen, network.mend):
        with pytest.raises(EmbeddedError, match="cable"):
            act("a")


def test_a_cable_pulled_or_cut_in_one_direction_is_silent_and_can_be_plugged_in_again() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PULLED],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "not allowed" in done.stderr:
        pytest.skip("network namespaces are not allowed here")
    assert done.stdout.split() == ["TimeoutError", "mended"] * 3, done.stderr
