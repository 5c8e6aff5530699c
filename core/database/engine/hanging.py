"""Drop the connections to a database server that hangs while its machine still answers.

The kernel of such a machine keeps every connection alive, as behind a disk that does not come back,
so no timeout of TCP ends a call that waits for an answer. A server that hangs takes no new
connection either. So one is tried, and the waiting calls are cut off and repeated elsewhere.
"""

import os
import socket
import threading
from typing import Any
from weakref import WeakSet

import psycopg

PATIENCE_S = 3
_open: WeakSet["psycopg.Connection[Any]"] = WeakSet()
_registering = threading.Lock()
Address = tuple[str, int]


def note(connection: "psycopg.Connection[Any]") -> None:
    """Note a new connection of this process, as long as it is open."""
    with _registering:
        _open.add(connection)


def leave_hanging(parameters: dict[str, Any]) -> list[str]:
    """Cut off every connection of this process to a server that hangs; return those servers.

    `parameters` are those of a new connection. Servers at a path of this machine are not asked.
    """
    connected: dict[Address, list[psycopg.Connection[Any]]] = {}
    with _registering:
        present = list(_open)
    for connection in present:
        if not connection.closed and connection.info.hostaddr:
            address = connection.info.hostaddr, connection.info.port
            connected.setdefault(address, []).append(connection)
    left = []
    for (host, port), connections in connected.items():
        if _hangs({**parameters, "host": host, "port": port}):
            left.append(host)
            for connection in connections:
                _cut(connection)
    return left


def _hangs(parameters: dict[str, Any]) -> bool:
    """Return whether a server leaves a new connection without an answer. A refusal is an answer."""
    patient = {**parameters, "connect_timeout": PATIENCE_S, "target_session_attrs": "any"}
    try:
        psycopg.connect(**patient).close()
    except psycopg.errors.ConnectionTimeout:
        return True
    except psycopg.Error:
        return False
    return False


def _cut(connection: "psycopg.Connection[Any]") -> None:
    # The thread that waits for an answer holds the connection: it is told by the socket's end.
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)
    except (OSError, psycopg.Error):
        return
