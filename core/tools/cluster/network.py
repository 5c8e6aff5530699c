"""Addresses for machines: network namespaces where these are allowed, else loopback addresses.

With namespaces each machine has an interface of its own, whose cable can be pulled. Packets to and
from it are then lost without an error, as with a broken switch. Loopback has no such cable.
"""

import os
import socket
import subprocess
import sys
from collections import defaultdict
from typing import Protocol

from core.tools.embedded.processes import EmbeddedError

_INSIDE = "CLUSTER_NETWORK"
_BRIDGE = "lototrot0"
_ETCD_PORT = 2379


class Network(Protocol):
    """Gives each machine its address, and starts processes there."""

    words: str
    range: str
    proxies: list[str]

    def join(self, name: str, number: int) -> str:
        """Connect a machine; return its address."""

    def enter(self, name: str) -> list[str]:
        """Return the words before a command that run it on the machine."""

    def outside(self, number: int) -> str:
        """Return an address for a terminal or a board, which is on no machine."""

    def cut(self, name: str) -> None:
        """Pull the cable of a machine. Raise EmbeddedError where there is none."""

    def mute(self, name: str) -> None:
        """Lose all that a machine sends; it hears. Raise EmbeddedError where that cannot be."""

    def deafen(self, name: str) -> None:
        """Lose all that is sent to a machine; it is heard."""

    def mend(self, name: str) -> None:
        """Plug it in again, in both directions."""


class Loopback:
    """Addresses 127.0.N.x, of which no other cluster on this computer has the same N."""

    words = "loopback addresses"

    def __init__(self) -> None:
        self._net = next(net for net in range(11, 250) if _is_free(f"127.0.{net}.1"))
        self.range = "127.0.0.0/8"
        self.proxies = ["127.0.0.1"]  # the kernel sends what goes to loopback from here

    def join(self, name: str, number: int) -> str:
        return f"127.0.{self._net}.{number}"

    def enter(self, name: str) -> list[str]:
        return []

    def outside(self, number: int) -> str:
        return f"127.0.{self._net}.{100 + number}"

    def cut(self, name: str) -> None:
        raise EmbeddedError("a loopback address has no cable: network namespaces are not allowed")

    def mute(self, name: str) -> None:
        self.cut(name)

    def deafen(self, name: str) -> None:
        self.cut(name)

    def mend(self, name: str) -> None:
        self.cut(name)


class Namespaces:
    """A bridge in a network of our own, and behind it a namespace for each machine."""

    words = "network namespaces"

    def __init__(self) -> None:
        self.range = "10.77.0.0/24"
        self.proxies = ["10.77.0.0/24"]
        self._whole_again: defaultdict[str, list[list[str]]] = defaultdict(list)
        _run("mount", "-t", "tmpfs", "cluster", "/run")
        _run("mkdir", "/run/netns")
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", _BRIDGE, "type", "bridge")
        _run("ip", "link", "set", _BRIDGE, "up")
        for number in range(50):
            _run("ip", "address", "add", f"{self.outside(number)}/24", "dev", _BRIDGE)

    def join(self, name: str, number: int) -> str:
        address = f"10.77.0.{number}"
        cable = f"to-{name}"
        _run("ip", "netns", "add", name)
        _run("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
        _run("ip", "link", "set", cable, "master", _BRIDGE, "up")
        _run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0")
        for interface in ("lo", "eth0"):
            _run("ip", "-n", name, "link", "set", interface, "up")
        return address

    def enter(self, name: str) -> list[str]:
        return ["nsenter", f"--net=/run/netns/{name}", "--"]

    def outside(self, number: int) -> str:
        return f"10.77.0.{100 + number}"

    def cut(self, name: str) -> None:
        # The end at the bridge: to the machine the cable looks whole, as behind a dead switch.
        _run("ip", "link", "set", f"to-{name}", "nomaster")

    def mute(self, name: str) -> None:
        self._lose(name, ["tc", "-n", name, "qdisc"], "eth0")

    def deafen(self, name: str) -> None:
        self._lose(name, ["tc", "qdisc"], f"to-{name}")

    def mend(self, name: str) -> None:
        _run("ip", "link", "set", f"to-{name}", "master", _BRIDGE)
        for words in self._whole_again.pop(name, []):
            _run(*words)

    def _lose(self, name: str, tc: list[str], device: str) -> None:
        _run(*tc, "add", "dev", device, "root", "pfifo", "limit", "0")  # a queue without room
        self._whole_again[name].append([*tc, "del", "dev", device, "root"])


def network() -> Network:
    """Return the network of this process, as `enter_own_network` left it."""
    return Namespaces() if os.environ.get(_INSIDE) == "namespaces" else Loopback()


def enter_own_network() -> None:
    """Run this command again in a network of its own if that is allowed; else go on.

    CLUSTER_NETWORK=loopback asks for loopback addresses. The network ends with its last process.
    """
    if os.environ.get(_INSIDE):
        return
    way = ["unshare", "--mount", "--net", "--propagation", "private"]
    if os.geteuid() != 0:
        way[1:1] = ["--user", "--map-current-user", "--keep-caps"]
    trial = "mount -t tmpfs trial /run && ip link add trial type bridge && command -v nsenter"
    try:
        tried = subprocess.run([*way, "sh", "-c", trial], capture_output=True, check=False)
    except FileNotFoundError:
        return
    if tried.returncode == 0:
        os.environ[_INSIDE] = "namespaces"
        os.execvp(way[0], [*way, "--", sys.executable, *sys.orig_argv[1:]])  # noqa: S606


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise EmbeddedError(f"{' '.join(words)}: {done.stderr.strip()}")


def _is_free(address: str) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((address, _ETCD_PORT))
        except OSError:
            return False
    return True
