"""Reports go out over SMTP with TLS and a sign-on, and what the server refuses is said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.reports.mailing import mails_send, order_make
from core.reports.models import ReportMail
from core.staff.powers import Role
from tests.support import factories
from tests.support.processes.mail_server import PASSWORD, USER, MailServer, mail_server

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    """A server whose certificate this process believes, and an order of yesterday's report."""
    with mail_server(tmp_path) as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS, settings.MAIL_DOMAINS = True, ["example.org"]
        settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = USER, PASSWORD
        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
        order_make(
            by=factories.staff(Role.AUDITOR),
            report="sales-by-day",
            every="day",
            kind="csv",
            address="box@example.org",
        )
        yield server


def _night() -> tuple[str, str]:
    """Send what is due; return what became of the one mail, and its fault."""
    mails_send(natural_day(clock.now()))
    mail = ReportMail.objects.get()
    return mail.state, mail.fault


def test_a_report_goes_out_over_tls_by_who_signed_on(server: MailServer) -> None:
    assert _night() == ("sent", "")
    (mail,) = server.taken
    assert (mail["To"], mail["From"]) == ("box@example.org", "lototrot@localhost")
    parts = {part.get_filename(): part for part in mail.walk()}
    day = natural_day(clock.now())
    content = parts[f"sales-by-day-{day}-{day}.csv"].get_payload(decode=True)
    assert isinstance(content, bytes) and content.startswith(b"day,")
    assert server.verbs.index("STARTTLS") < server.verbs.index("AUTH")


@pytest.mark.parametrize(
    ("verb", "answer", "state"),
    [
        ("RCPT", "550 5.1.1 no such box", "refused"),
        ("DATA", "554 5.7.1 not wanted", "refused"),
        ("MAIL", "553 5.7.1 not your address", "failed"),
        ("RCPT", "450 4.2.0 come later", "failed"),
        ("DATA", "451 4.3.0 come later", "failed"),
        ("AUTH", "535 5.7.8 wrong password", "failed"),
    ],
)
def test_a_lasting_refusal_is_the_end_and_another_is_tried_again(
    server: MailServer, verb: str, answer: str, state: str
) -> None:
    server.answers[verb] = answer
    assert _night() == (state, answer)
    assert server.verbs[-1] == "QUIT", "the connection is left open"
    server.answers.clear()
    assert _night() == ((state, answer) if state == "refused" else ("sent", ""))
    assert len(server.taken) == (0 if state == "refused" else 1)


@pytest.mark.parametrize("verb", ["EHLO", "RCPT", "DATA"])
def test_a_server_that_hangs_up_is_tried_again(server: MailServer, verb: str) -> None:
    server.answers[verb] = None
    assert _night() == ("failed", "SMTPServerDisconnected")
    server.answers.clear()
    assert _night() == ("sent", "")


def test_nothing_is_told_to_a_server_that_is_another_one(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    assert _night() == ("failed", "SSLCertVerificationError")
    assert "AUTH" not in server.verbs and server.taken == []


def test_nothing_is_told_to_a_server_without_tls(server: MailServer) -> None:
    server.answers["STARTTLS"] = "454 4.7.0 not now"
    assert _night()[0] == "failed"
    assert "AUTH" not in server.verbs and server.taken == []
    assert server.verbs[-1] == "QUIT", "the connection is left open"
