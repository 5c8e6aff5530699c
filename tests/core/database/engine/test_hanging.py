"""Leave a server that hangs, and no other."""

import socket
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from core.api import problems
from core.database.engine import hanging
from core.kernel.errors import Unavailable
from tests.support.databases import Database


def test_a_server_that_takes_no_connection_hangs_and_one_that_refuses_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hanging, "PATIENCE_S", 2)  # libpq takes no shorter one
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert hanging._hangs({"host": "127.0.0.1", "port": port})
    assert not hanging._hangs({"host": "127.0.0.1", "port": port})


@pytest.mark.parametrize("hangs", [True, False])
def test_what_waits_for_a_server_that_hangs_fails_as_transient(
    own_database: Database, monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    asked: list[dict[str, Any]] = []

    def answers(parameters: dict[str, Any]) -> bool:
        asked.append(parameters)
        return hangs

    monkeypatch.setattr(hanging, "_hangs", answers)
    with psycopg.connect(own_database.owner_url) as waiting, ThreadPoolExecutor(1) as pool:
        stand_in: Any = SimpleNamespace(
            closed=False,
            info=SimpleNamespace(hostaddr="127.0.0.1", port=5432),
            fileno=waiting.fileno,
        )
        monkeypatch.setattr(hanging, "_open", [stand_in])
        answer = pool.submit(waiting.execute, "SELECT pg_sleep(1)")
        assert hanging.leave_hanging({"dbname": "x"}) == (["127.0.0.1"] if hangs else [])
        assert asked == [{"dbname": "x", "host": "127.0.0.1", "port": 5432}]
        if not hangs:
            assert answer.result().fetchone()
            return
        with pytest.raises(psycopg.OperationalError) as lost:
            answer.result()
        assert isinstance(problems.domain_error(lost.value), Unavailable)
