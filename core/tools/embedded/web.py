"""Say how the web server is run, and look whether one answers."""

import http
import http.client
import os
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

from core.tools.deploying.processes import PROCESSES, here
from core.tools.embedded.processes import EmbeddedError


def web_command(port: int, processes: int, *, name: str = "web") -> list[str]:
    """Return the command of the HTTP server: $WEB_SERVER is granian or gunicorn.

    Each process has $WEB_THREADS threads, or as many as the one of that name in production.
    """
    web = PROCESSES[name]
    threads = os.environ.get("WEB_THREADS") or str(web.threads)
    need_number("WEB_THREADS", threads, least=1, most=1000)
    server = os.environ.get("WEB_SERVER") or "granian"
    if server == "granian":
        return here(
            web.command(address="127.0.0.1", port=port, processes=processes, threads=threads)
        )
    if server == "gunicorn":
        return [
            sys.executable,
            "-m",
            "gunicorn",
            "--bind",
            f"127.0.0.1:{port}",
            "--worker-class",
            "gthread",
            "--workers",
            str(processes),
            "--threads",
            threads,
            "--graceful-timeout",
            "20",
            "core.config.wsgi:application",
        ]
    raise EmbeddedError(f"WEB_SERVER must be granian or gunicorn, not {server!r}.")


def need_number(name: str, value: str, *, least: int, most: int) -> int:
    """Return the number of a setting of the embedded servers. Raises EmbeddedError."""
    if not value.isdecimal() or not least <= int(value) <= most:
        raise EmbeddedError(f"{name} must be a number from {least} to {most}, not {value!r}.")
    return int(value)


def free_port() -> int:
    """Return a free port of the loopback address."""
    return free_ports(1)[0]


def free_ports(number: int) -> list[int]:
    """Return so many free ports of the loopback address, no two the same."""
    with ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(number)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in sockets]


def gives(port: int, path: str, host: str = "127.0.0.1", *, timeout_s: float = 5) -> bool:
    """Return whether a web server, by default on loopback, answers a path with 200."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def listens(place: Path) -> bool:
    """Return whether a process listens at a socket of this machine."""
    with socket.socket(socket.AF_UNIX) as probe:
        return not probe.connect_ex(str(place))
