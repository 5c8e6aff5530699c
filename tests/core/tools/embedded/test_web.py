"""Say how the web server is run, and notice whether one answers."""

import socket
from pathlib import Path

import pytest

from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.stack import Stack
from core.tools.embedded.web import free_port, free_ports, gives, listens, web_command


def test_the_server_is_one_of_two_and_terminals_have_more_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("WEB_THREADS", raising=False)
    for server, module in (("granian", "core.config.serving"), ("gunicorn", "gunicorn")):
        monkeypatch.setenv("WEB_SERVER", server)
        command = web_command(8000, 3)
        assert command[2] == module
        assert command[command.index("--workers") + 1] == "3"
        threads = command.index("--blocking-threads" if server == "granian" else "--threads") + 1
        assert command[threads] == "6"
        assert web_command(8000, 3, name="sales")[threads] == "16"
        monkeypatch.setenv("WEB_THREADS", "4")
        assert web_command(8000, 3, name="sales")[threads] == "4"
        monkeypatch.delenv("WEB_THREADS")
    monkeypatch.setenv("WEB_SERVER", "uwsgi")
    with pytest.raises(EmbeddedError, match="granian or gunicorn"):
        web_command(8000, 1)
    monkeypatch.setenv("WEB_SERVER", "granian")
    for threads in ("many", "0", "-1", "4.5"):
        monkeypatch.setenv("WEB_THREADS", threads)
        with pytest.raises(EmbeddedError, match="WEB_THREADS must be a number from 1 to 1000"):
            web_command(8000, 1)


@pytest.mark.parametrize("port", ["http", "65536", "-1"])
def test_a_wrong_port_is_refused_by_its_name(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", port)
    with pytest.raises(EmbeddedError, match="PORT must be a number from 0 to 65535"):
        Stack()


def test_nobody_answers_at_a_free_port_and_at_a_dead_socket(tmp_path: Path) -> None:
    assert not gives(free_port(), "/readyz")
    place = tmp_path / "s"
    assert not listens(place)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        server.listen()
        assert listens(place)
    assert not listens(place)


def test_ports_asked_for_together_are_not_the_same() -> None:
    # One after the other, of 300 two would be the same in 19 of 20 runs.
    assert len(set(free_ports(300))) == 300
