"""See nobody connect through a pooler, whose sessions are of several persons; a relay is let be."""

import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.test import Client

from core.api import problems
from core.config import startup
from core.database.engine.own_session import SessionPooled
from core.journal.models import Act
from core.kernel.errors import Unavailable
from core.staff.models import Proposal
from core.staff.powers import Role
from core.tools.embedded.server import ROOT
from tests.support import factories
from tests.support.concurrency import pooling
from tests.support.databases import Database

PEOPLE = 6
needs_pooler = pytest.mark.skipif(not pooling.PGBOUNCER, reason=pooling.MISSING)


@needs_pooler
@pytest.mark.parametrize(
    ("mode", "drops"), [("transaction", "options"), ("transaction", ""), ("session", "options")]
)
def test_nobody_connects_through_a_pooler(
    own_database: Database, tmp_path: Path, mode: str, drops: str
) -> None:
    """Whether it leaves the settings of sessions out, or refuses who has any."""
    with (
        pooling.pooler(tmp_path, own_database.app_url, mode=mode, drops=drops) as url,
        pooling.used(url),
    ):
        with pytest.raises(SessionPooled, match="session_pooled") as refused:
            connection.ensure_connection()
        assert isinstance(problems.domain_error(refused.value), Unavailable)
        with pytest.raises(ImproperlyConfigured, match="session_pooled"):
            startup.verify_server()
        answer = Client().get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["checks"]["database"] == "session_pooled"
        with pytest.raises(SessionPooled), transaction.atomic():
            factories.premises()
    assert connection.is_usable() is False
    connection.ensure_connection()


@needs_pooler
def test_the_web_does_not_start_behind_a_pooler(own_database: Database, tmp_path: Path) -> None:
    with pooling.pooler(tmp_path, own_database.app_url) as url:
        started = subprocess.run(
            [sys.executable, "-c", "import core.config.wsgi"],
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": url, "PROCESS": "web"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert started.returncode == 1
    last = started.stderr.strip().splitlines()[-1]
    assert "the database is not fit to serve: session_pooled" in last


@needs_pooler
def test_acts_through_a_pooler_would_be_of_others(own_database: Database, tmp_path: Path) -> None:
    """Each act is of who did it; its twin, through a pooler that nobody looks for, is not."""
    people = [factories.staff(Role.ORGANISER) for _ in range(PEOPLE)]
    assert pooling.acts_of_others(people, 2) == 0
    assert (
        Proposal.objects.count()
        == Act.objects.filter(source__name="test.pooled").count()
        == 2 * PEOPLE
    )
    with (
        pooling.pooler(tmp_path, own_database.app_url) as url,
        pooling.used(url),
        pooling.unchecked(),
    ):
        assert pooling.acts_of_others(people, 1, kept=False) == PEOPLE - 1
    assert Proposal.objects.count() == 2 * PEOPLE


@contextmanager
def relay(path: str) -> Iterator[int]:
    """Pass bytes on to a socket, as HAProxy does; yield the port."""

    class Passing(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(path)
                back = threading.Thread(target=_pass_on, args=(server, self.request))
                back.start()
                _pass_on(self.request, server)
                back.join()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Passing) as relaying:
        threading.Thread(target=relaying.serve_forever, daemon=True).start()
        try:
            yield relaying.server_address[1]
        finally:
            relaying.shutdown()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    while content := source.recv(65536):
        target.sendall(content)
    target.shutdown(socket.SHUT_WR)


def test_what_only_passes_bytes_on_is_no_pooler(own_database: Database) -> None:
    connection.ensure_connection()
    info = connection.connection.info
    path = f"{info.host}/.s.PGSQL.{info.port}"
    with relay(path) as port:
        url = f"postgresql://127.0.0.1:{port}/{own_database.name}"
        with pooling.used(url):
            startup.verify_server()
            assert connection.connection.info.port == port
            connection.close()
