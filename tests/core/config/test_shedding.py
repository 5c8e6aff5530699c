"""Refuse what waited too long: first strangers, then what terminals read, sales last."""

import json
import time
from collections.abc import Iterable
from typing import Any

import pytest

from core.config.shedding import shedding

TERMINAL = {"HTTP_AUTHORIZATION": "Terminal abc"}
STAFF = {"HTTP_AUTHORIZATION": "Bearer abc"}


def asked(method: str, waited_s: float | None, **more: str) -> tuple[str, bytes]:
    """Return status and body of a request that the proxy took `waited_s` ago."""
    status: list[str] = []

    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return [b"answered"]

    environ = {"REQUEST_METHOD": method, "PATH_INFO": "/api/v1/clock", **more}
    if waited_s is not None:
        environ["HTTP_X_REQUEST_START"] = f"t={time.time() - waited_s:.3f}"
    answer = shedding(application)(environ, lambda line, headers: status.append(line))
    return status[0], b"".join(answer)


@pytest.mark.parametrize(
    ("method", "who", "answered_s", "refused_s"),
    [("POST", TERMINAL, 9, 11), ("GET", TERMINAL, 4, 6), ("POST", STAFF, 2, 4), ("GET", {}, 2, 4)],
)
def test_sales_are_waited_for_longest(
    method: str, who: dict[str, str], answered_s: float, refused_s: float
) -> None:
    assert asked(method, answered_s, **who) == ("200 OK", b"answered")
    status, body = asked(method, refused_s, **who)
    assert status == "503 Service Unavailable"
    problem = json.loads(body)
    assert (problem["code"], problem["transient"]) == ("busy", True)


def test_who_does_not_say_when_a_request_came_has_it_answered() -> None:
    assert asked("GET", None)[0] == "200 OK"
    assert asked("GET", None, HTTP_X_REQUEST_START="yesterday")[0] == "200 OK"
    assert asked("GET", None, HTTP_X_REQUEST_START="nan")[0] == "200 OK"


@pytest.mark.parametrize("apart_s", [-3600, 61, 3600])
@pytest.mark.parametrize("who", [TERMINAL, STAFF, {}])
def test_clocks_of_proxy_and_process_that_differ_stop_nothing(
    apart_s: float, who: dict[str, str]
) -> None:
    assert asked("POST", apart_s, **who)[0] == "200 OK"
    assert asked("GET", apart_s, **who)[0] == "200 OK"
