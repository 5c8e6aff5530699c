"""A mail server on this machine that speaks SMTP over TLS, for tests that send mail for real."""

import base64
import datetime
import email
import ipaddress
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "reports", "a word"


@dataclass
class MailServer:
    """A server that takes mail from who signs on over TLS, and refuses as `answers` says.

    `answers` has a reply by verb (`RCPT`, `DATA`, `AUTH`, ...), given in place of taking it. `None`
    closes the connection without a word. `taken` has the mails, `verbs` what clients said.
    """

    port: int = 0
    certificate: Path = Path()
    answers: dict[str, str | None] = field(default_factory=dict)
    taken: list[Message] = field(default_factory=list)
    verbs: list[str] = field(default_factory=list)


class _Session(socketserver.StreamRequestHandler):
    """A session of one client."""

    server: Any
    secure = signed_on = False

    def handle(self) -> None:
        self._say("220 mail.example.org")
        while line := self.rfile.readline().decode().strip():
            word, _, rest = line.partition(" ")
            verb = word.upper()
            server: MailServer = self.server.known
            server.verbs.append(verb)
            answer = server.answers.get(verb, "")
            if answer is None:
                return
            if answer:
                self._say(answer)
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._take(verb, rest)

    def finish(self) -> None:
        super().finish()
        self.request.close()  # the server closes the connection that it accepted, before TLS

    def _take(self, verb: str, rest: str) -> None:
        match verb:
            case "EHLO":
                offered = "AUTH PLAIN" if self.secure else "STARTTLS"
                self._say(f"250-mail.example.org\r\n250 {offered}")
            case "STARTTLS":
                self._say("220 go on")
                self.request = self.server.context.wrap_socket(self.request, server_side=True)
                self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb")
                self.secure = True
            case "AUTH" if self.secure:
                credentials = base64.b64decode(rest.split()[-1]).decode()
                self.signed_on = credentials == f"\0{USER}\0{PASSWORD}"
                self._say("235 welcome" if self.signed_on else "535 wrong name or password")
            case "MAIL" | "RCPT" if self.signed_on:
                self._say("250 ok")
            case "DATA" if self.signed_on:
                self._say("354 go on")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.known.taken.append(email.message_from_bytes(b"".join(lines)))
                self._say("250 taken")
            case "RSET":
                self._say("250 ok")
            case _:
                self._say("530 sign on over TLS first")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())
        self.wfile.flush()


class _Listening(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


@contextmanager
def mail_server(folder: Path) -> Iterator[MailServer]:
    """Run a server on a free port, whose certificate is written to the folder."""
    certificate, key = _certified(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with _Listening(("127.0.0.1", 0), _Session) as server:
        mails = MailServer(server.server_address[1], certificate)
        server.known, server.context = mails, context
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield mails
        finally:
            server.shutdown()
            thread.join()


def _certified(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for 127.0.0.1 and its key, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail.example.org")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(here, critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "mail.pem", folder / "mail.key"
    certificate.write_bytes(built.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return certificate, secret
