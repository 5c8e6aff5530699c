"""Terminals in one thread: they wait and repeat as the shipped one, and nobody is forgotten."""

import asyncio
import json
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.tools.cluster import proxy
from tests.drills.crowd import Goods
from tests.drills.crowds import thousands
from tests.drills.crowds.thousands import AGAIN_S, PATIENCE_S, Thousands

GOODS = Goods([{"contest": 1}], [(1, 50)])
_SILENT, _CUT, _SOLD = "silent", "cut", "201 Created"


def test_the_pauses_are_those_of_the_shipped_terminal() -> None:
    assert sorted(AGAIN_S) == AGAIN_S and AGAIN_S[0] < PATIENCE_S < AGAIN_S[-1]
    with pytest.raises(ValueError, match="has no AGAIN_H"):
        thousands._shipped_s("outbox.js", "AGAIN_H")


class Server:
    """It answers each terminal's tries in turn as told, then well. `asked` has what each sent."""

    def __init__(self, *first: str) -> None:
        self.asked: dict[str, list[dict[str, Any]]] = {}
        self._first = first

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                lines = dict(line.split(": ", 1) for line in head.split("\r\n")[1:-2])
                body = json.loads(await reader.readexactly(int(lines["Content-Length"])))
                asked = self.asked.setdefault(lines["Authorization"], [])
                asked.append(body)
                reply = self._first[len(asked) - 1] if len(asked) <= len(self._first) else _SOLD
                if reply == _CUT:
                    break
                if reply != _SILENT:
                    answer = json.dumps({"transient": reply.startswith("503")}).encode()
                    length = f"Content-Length: {len(answer)}\r\n\r\n"
                    writer.write(f"HTTP/1.1 {reply}\r\n{length}".encode() + answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.transport.abort()  # at once, as the loop may be ending


def sold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server, enough: Callable[[], bool]
) -> Thousands:
    """Sell at a server from three terminals until it is enough; return them."""
    monkeypatch.setattr(thousands, "CUSTOMERS_EVERY_S", (0.0, 0.02))
    monkeypatch.setattr(thousands, "AGAIN_S", [0.01])
    monkeypatch.setattr(thousands, "PATIENCE_S", 0.5)
    monkeypatch.setattr(thousands, "_ENTERS_S", 0.0)
    monkeypatch.setattr(Thousands, "_next", Thousands._sale)
    listening = proxy.Listening("127.0.0.1", 0, 0)
    proxy._certify(tmp_path, listening.address)
    secured = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secured.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    ready, over = threading.Event(), threading.Event()
    ports: list[int] = []

    async def serve() -> None:
        running = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=secured)
        async with running:
            ports.append(running.sockets[0].getsockname()[1])
            ready.set()
            while not over.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(30)
    crowd = Thousands(
        f"https://127.0.0.1:{ports[0]}",
        [{"Authorization": f"Terminal {n}"} for n in range(3)],
        GOODS,
        ["127.0.0.1"],
        certificate=str(tmp_path / "certificate.pem"),
        seed=1,
    )
    crowd.start()
    try:
        for _ in range(3000):
            if enough():
                break
            threading.Event().wait(0.01)
        else:
            raise AssertionError(f"not enough: {crowd.answers}")
    finally:
        crowd.pause()
        over.set()
        thread.join()
    return crowd


def test_what_is_not_answered_is_repeated_under_the_same_uuid_until_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(_CUT, "503 Service Unavailable", _SILENT)
    crowd = sold(
        tmp_path,
        monkeypatch,
        server,
        lambda: len(server.asked) == 3 and all(len(each) > 5 for each in server.asked.values()),
    )
    for asked in server.asked.values():
        uuids = [body["uuid"] for body in asked]
        assert len(set(uuids[:4])) == 1 and len(set(uuids[3:])) == len(uuids) - 3
    assert crowd.answers.faults == {"no answer": 6, "503": 3}
    assert crowd.answers.answered["sale"].keys() <= crowd.answers.asked["sale"]
    assert not crowd.answers.refused and crowd.not_heard_since(0.0) == 0


def test_a_terminal_that_is_locked_out_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(*["503 Service Unavailable"] * 10_000)
    crowd = sold(
        tmp_path,
        monkeypatch,
        server,
        lambda: len(server.asked) == 3 and all(len(each) > 3 for each in server.asked.values()),
    )
    assert crowd.not_heard_since(0.0) == 3
    assert not crowd.answers.tried_ok


def test_a_refusal_for_good_is_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(*["409 Conflict"] * 10_000)
    crowd = sold(tmp_path, monkeypatch, server, lambda: len(server.asked) == 3)
    assert crowd.answers.refused_for_good["409"] >= 1
    assert not crowd.answers.faults
