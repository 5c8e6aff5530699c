"""Speak TLS as PostgreSQL does, before the embedded server, whose programs were built without.

The client is libpq as the program uses it: it asks for TLS, verifies the certificate and the name
of the host, and only then sends a password.
"""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_TLS_WANTED = bytes.fromhex("0000000804d2162f")


@dataclass(frozen=True, slots=True)
class Front:
    """The port on loopback, and the file of the authority that certifies `127.0.0.1` alone."""

    port: int
    authority: Path


def authority(file: Path) -> tuple[x509.Name, ec.EllipticCurvePrivateKey]:
    """Make a certificate authority, write its certificate to `file`, and return name and key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, file.stem)])
    basic = x509.BasicConstraints(ca=True, path_length=None)
    certificate = _builder(name, name, key).add_extension(basic, critical=True)
    file.write_bytes(certificate.sign(key, hashes.SHA256()).public_bytes(_PEM))
    return name, key


_PEM = serialization.Encoding.PEM


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days_left: int = 1
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now + timedelta(days=days_left))
    )


def _context(folder: Path, days_left: int) -> ssl.SSLContext:
    name, key = authority(folder / "ca.pem")
    own = ec.generate_private_key(ec.SECP256R1())
    host = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = _builder(x509.Name([]), name, own, days_left).add_extension(host, critical=True)
    file = folder / "server.pem"
    private = own.private_bytes(
        _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + certificate.sign(key, hashes.SHA256()).public_bytes(_PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@contextmanager
def tls_front(folder: Path, server: Path, *, days_left: int = 1) -> Iterator[Front]:
    """Pass on what comes by TLS to the socket `server` of PostgreSQL. What is plain is refused.

    Its certificate is good for so many days more; below zero it has ended.
    """
    context = _context(folder, days_left)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_accept, args=(listening, context, server), daemon=True).start()
        yield Front(listening.getsockname()[1], folder / "ca.pem")
        listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket, context: ssl.SSLContext, server: Path) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            threading.Thread(target=_serve, args=(client, context, server), daemon=True).start()


def _serve(client: socket.socket, context: ssl.SSLContext, server: Path) -> None:
    with client, suppress(OSError), socket.socket(socket.AF_UNIX) as behind:
        if client.recv(len(_TLS_WANTED), socket.MSG_WAITALL) != _TLS_WANTED:
            return
        client.sendall(b"S")
        with context.wrap_socket(client, server_side=True) as line:
            behind.connect(str(server))
            back = threading.Thread(target=_copy, args=(behind, line), daemon=True)
            back.start()
            _copy(line, behind)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while part := source.recv(1 << 16):
            target.sendall(part)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
