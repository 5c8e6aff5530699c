"""The boards' files given out from memory, as a browser or a proxy asks for them."""

import asyncio
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from core.api import metrics
from core.screens import live, live_server
from core.screens.management.commands import live as live_command
from core.tools.embedded.server import ROOT
from core.tools.embedded.web import free_port
from tests.support import databases
from tests.support.browser.driver import until
from tests.support.databases import Database


@dataclass(frozen=True, slots=True)
class Served:
    """A process of `manage.py live --listen`: its port, its folder and its database."""

    port: int
    folder: Path
    database: Database


@pytest.fixture(scope="module")
def served(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    """It has a database of this module's own; told to end, it ends well."""
    with django_db_blocker.unblock(), databases.clone() as database:
        it = Served(free_port(), tmp_path_factory.mktemp("live"), database)
        listen = f"127.0.0.1:{it.port}"
        process = subprocess.Popen(
            [
                *(sys.executable, "manage.py", "live"),
                *("--folder", str(it.folder), "--listen", listen),
            ],
            cwd=ROOT,
            env=os.environ | database.environment,
        )
        try:
            until((it.folder / live.PULSE).exists, "the first pulse", 60)
            yield it
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0


def asked(link: socket.socket, request: str) -> tuple[str, dict[str, str], bytes]:
    """First line, headers and body of an answer; the connection stays as the server leaves it."""
    link.sendall(request.encode())
    received = b""
    while b"\r\n\r\n" not in received:
        received += link.recv(65_536)
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    while len(body) < int(headers["content-length"]):
        body += link.recv(65_536)
    return first, headers, body


def get(name: str, more: str = "") -> str:
    return f"GET /live/{name} HTTP/1.1\r\nHost: board\r\n{more}\r\n"


def test_a_board_reads_pulse_and_documents_on_one_connection(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port)) as link:
        first, headers, pulse = asked(link, get("pulse.json"))
        assert first == "HTTP/1.1 200 OK"
        assert headers["cache-control"] == "max-age=1"
        assert headers["access-control-allow-origin"] == "*"
        assert "date" in headers and "content-encoding" not in headers
        for feed in json.loads(pulse)["feeds"].values():
            on_disk = (served.folder / feed["document"]).read_bytes()
            _, plain, document = asked(link, get(feed["document"]))
            assert document == on_disk and "immutable" in plain["cache-control"]
            _, small, packed = asked(link, get(feed["document"], "Accept-Encoding: gzip, br\r\n"))
            assert gzip.decompress(packed) == on_disk
            assert (small["content-encoding"], small["vary"]) == ("gzip", "accept-encoding")
        # It publishes by itself, and what is asked in two parts, or twice at once, is answered.
        until(lambda: asked(link, get("pulse.json"))[2] != pulse, "a later pulse")
        whole = get("pulse.json")
        link.sendall(whole[:20].encode())
        assert asked(link, whole[20:])[0] == "HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        (get("secret.json"), "HTTP/1.1 404 Not Found"),
        (get("../settings.py"), "HTTP/1.1 404 Not Found"),
        ("POST /live/pulse.json HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        ("GET /terminal/ HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        ("GET /live/\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        (get("pulse.json", "Connection: close\r\n"), "HTTP/1.1 200 OK"),
        ("x" * 20_000, ""),
    ],
)
def test_nothing_else_is_given_out_and_such_a_request_is_refused(
    tmp_path: Path, request_text: str, answer: str
) -> None:
    (tmp_path / live.PULSE).write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    assert talk(tmp_path, request_text).partition("\r\n")[0] == answer


def test_what_cannot_be_published_now_does_not_end_the_publisher(
    served: Served,
) -> None:
    pulse = served.folder / live.PULSE

    def stays() -> bool:
        content = pulse.read_bytes()
        time.sleep(2 * live_command.EVERY_S)
        return pulse.read_bytes() == content

    with psycopg.connect(served.database.owner_url, autocommit=True) as owner:
        owner.execute("ALTER TABLE lototrot_contest RENAME TO out_of_sight")
        until(stays, "no pulse any more")
        last = pulse.read_bytes()
        with socket.create_connection(("127.0.0.1", served.port)) as link:
            assert asked(link, get(live.PULSE))[2] == last  # boards see how old it is
        owner.execute("ALTER TABLE out_of_sight RENAME TO lototrot_contest")
    until(lambda: pulse.read_bytes() != last, "a pulse again")


def test_a_file_that_cannot_be_read_keeps_no_other_back(served: Served) -> None:
    name = "lototrot-0123456789abcdef0123.json"

    def given_out() -> bytes:
        with socket.create_connection(("127.0.0.1", served.port)) as link:
            return asked(link, get(live.PULSE))[2]

    (served.folder / name).mkdir()
    first = given_out()
    until(lambda: given_out() != first, "a later pulse in memory")
    later = given_out()
    until(lambda: given_out() != later, "another one")
    assert first_line(served.port, name) == "HTTP/1.1 404 Not Found"
    (served.folder / name).rmdir()
    (served.folder / name).write_text("{}")
    until(
        lambda: first_line(served.port, name) == "HTTP/1.1 200 OK",
        "the file that can be read again",
    )


def first_line(port: int, name: str) -> str:
    with socket.create_connection(("127.0.0.1", port)) as link:
        return asked(link, get(name))[0]


def test_what_cannot_be_read_is_named_and_the_last_pulse_stays(tmp_path: Path) -> None:
    name, pulse = "lototrot-0123456789abcdef0123.json", tmp_path / live.PULSE
    pulse.write_text("{}")
    files = live_server.Files(tmp_path)
    assert files.refresh() == []
    pulse.unlink()
    pulse.mkdir()
    (tmp_path / name).mkdir()
    (tmp_path / name.replace("0", "a")).write_text("{}")
    assert files.refresh() == [name, live.PULSE]
    assert files.answer(name.replace("0", "a"), compressed=False)
    assert files.answer(name, compressed=False) is None
    assert files.answer(live.PULSE, compressed=False)


def test_a_file_that_leaves_while_it_is_read_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "lototrot-0123456789abcdef0123.json").symlink_to(tmp_path / "gone")
    assert live_server.Files(tmp_path).refresh() == []


def test_files_that_cannot_be_read_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged = mock.Mock()
    monkeypatch.setattr(live_command, "logger", logged)
    monkeypatch.setattr(live, "publish", lambda place: True)
    (tmp_path / live.PULSE).mkdir()
    before = metrics.UNREAD._value.get()
    live_command._publish(live_server.Files(tmp_path))
    assert metrics.UNREAD._value.get() == before + 1
    assert logged.error.call_args.args[1] == live.PULSE


def test_a_connection_that_asks_nothing_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_server, "_IDLE_S", 0.01)
    assert talk(tmp_path, "") == ""


def test_a_caller_that_reads_nothing_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answers wait in memory; a connection that is only closed waits for its reader."""
    monkeypatch.setattr(live_server, "_IDLE_S", 0.1)
    name = "lototrot-0123456789abcdef0123.json"
    (tmp_path / name).write_text('"' + "x" * 8_000_000 + '"')

    async def taken() -> int:
        files = live_server.Files(tmp_path)
        files.refresh()
        async with await live_server.serve(files, "127.0.0.1", 0) as server:
            with socket.socket() as link:
                link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                link.connect(server.sockets[0].getsockname())
                link.sendall(get(name).encode())
                await asyncio.sleep(1)
                return await asyncio.to_thread(rest, link)

    def rest(link: socket.socket) -> int:
        count = 0
        try:
            while part := link.recv(65_536):
                count += len(part)
        except ConnectionResetError:
            return count
        return count

    assert asyncio.run(taken()) < 8_000_000


def talk(place: Path, request: str) -> str:
    """Return the server's answer, up to the end of the connection."""

    async def both() -> bytes:
        files = live_server.Files(place)
        files.refresh()
        async with await live_server.serve(files, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            with closing(writer):
                writer.write(request.encode())
                return await asyncio.wait_for(reader.read(), 30)

    return asyncio.run(both()).decode()


def test_what_is_forgotten_on_the_disk_is_forgotten_here(tmp_path: Path) -> None:
    name = "lototrot-0123456789abcdef0123.json"
    (tmp_path / name).write_text("{}")
    files = live_server.Files(tmp_path)
    files.refresh()
    assert files.answer(name, compressed=False)
    (tmp_path / name).unlink()
    files.refresh()
    assert files.answer(name, compressed=False) is None
