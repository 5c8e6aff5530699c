"""Limits of strangers, who is none, and processes that answer terminals only."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from core.api import limits as api_limits
from core.api.limits import Limits, refusing_early
from core.staff import devices
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from core.traffic import limits, rates, standing
from tests.support import factories
from tests.support.api import LogText, refused, terminal_api

pytestmark = pytest.mark.django_db

ADDRESS = "192.0.2.7"
OPEN_LIST = "/api/v1/problems/throttled"


@pytest.fixture(autouse=True)
def _few(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One request a second of an address, six at once; five of all, ten at once. Time stands."""
    settings.ANONYMOUS_PER_S, settings.ANONYMOUS_TOTAL_PER_S = 1, 5
    for module in (limits, rates, standing):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 1000.0))


def ask(client: Client, path: str = OPEN_LIST, address: str = ADDRESS, **more: Any) -> Any:
    return client.get(path, REMOTE_ADDR=address, **more)


def statuses(times: int, path: str = OPEN_LIST, **more: Any) -> list[int]:
    client = Client(raise_request_exception=False)
    return [ask(client, path, **more).status_code for _ in range(times)]


def test_an_address_is_limited_and_told_when_to_come_again() -> None:
    client = Client()
    assert [ask(client).status_code for _ in range(6)] == [200] * 6
    response = ask(client, headers={"accept-language": "es"})
    problem = refused(response, 429, "throttled")
    assert response.headers["Retry-After"] == "1"
    assert problem["transient"]
    assert problem["title"].startswith("Demasiadas")
    assert ask(client, address="192.0.2.8").status_code == 200
    page = ask(client, "/check", headers={"accept-language": "en"})
    assert (page.status_code, page.content) == (429, b"Too many requests; wait a little.")
    assert ask(client, "/livez").status_code == 200


def test_all_addresses_together_are_limited() -> None:
    client = Client()
    answers = [ask(client, address=f"198.51.100.{n}").status_code for n in range(15)]
    assert answers == [*[200] * 10, *[429] * 5]


def test_what_is_dear_takes_more(settings: Any) -> None:
    settings.ANONYMOUS_PER_S = 2  # twelve of one at once
    settings.ANONYMOUS_TOTAL_PER_S = 100
    assert statuses(2, "/api/v1/log/record.pdf") == [422, 429]


def test_what_does_not_exist_is_limited_too() -> None:
    assert statuses(7, "/nowhere") == [*[404] * 6, 429]


def test_a_process_has_few_places_for_strangers(settings: Any) -> None:
    settings.ANONYMOUS_AT_ONCE = 1
    entered, leave = threading.Event(), threading.Event()

    def slow(request: HttpRequest) -> HttpResponse:
        entered.set()
        leave.wait(60)
        return HttpResponse()

    middleware = Limits(slow)
    first = threading.Thread(target=middleware, args=(RequestFactory().get(OPEN_LIST),))
    first.start()
    assert entered.wait(60)
    assert middleware(RequestFactory().get(OPEN_LIST)).status_code == 429
    leave.set()
    first.join()
    assert middleware(RequestFactory().get(OPEN_LIST)).status_code == 200


def test_who_has_proved_who_they_are_is_no_stranger() -> None:
    point = factories.point()
    user = User.objects.get(pk=factories.staff(Role.AUDITOR).user_id)
    headers = {"Authorization": f"Bearer {session_start(user=user, verified=True)[1]}"}
    assert statuses(7) == [*[200] * 6, 429]
    client = Client()
    answers = [ask(client, "/api/v1/proposals", headers=headers).status_code for _ in range(20)]
    assert answers == [200] * 20
    assert ask(client, headers=headers).status_code == 200  # public things, too
    api = terminal_api(point)
    assert [api.get("terminal").status_code for _ in range(20)] == [200] * 20


@pytest.mark.parametrize("scheme", ["Terminal", "Bearer"])
def test_invented_tokens_are_limited_by_address_and_keep_no_terminal_out(
    scheme: str, settings: Any
) -> None:
    settings.ANONYMOUS_PER_S = settings.ANONYMOUS_TOTAL_PER_S = 10_000
    client, point = Client(), factories.point()
    own = {"Authorization": f"Terminal {point.token}", "X-Operator-Session": point.session_token}
    assert ask(client, "/api/v1/terminal", headers=own).status_code == 200
    answers = [
        ask(client, "/api/v1/terminal", headers={"Authorization": f"{scheme} {n}"}).status_code
        for n in range(210)
    ]
    assert answers == [*[401] * 199, *[429] * 11]  # the first of 200 was its own
    assert ask(client, "/api/v1/terminal", headers=own).status_code == 200
    other = ask(client, "/api/v1/terminal", address="192.0.2.8", headers={"Authorization": "x"})
    assert other.status_code == 401


def test_sign_ons_of_one_address_come_to_the_view_at_their_own_rate() -> None:
    client, point = Client(), factories.point()

    def signs_on(address: str = ADDRESS) -> int:
        path = "/api/v1/staff/sessions"
        kind = "application/json"
        return client.post(path, {}, content_type=kind, REMOTE_ADDR=address).status_code

    assert [signs_on() for _ in range(65)] == [*[422] * 60, *[429] * 5]
    assert signs_on("192.0.2.8") == 422
    own = {"Authorization": f"Terminal {point.token}", "X-Operator-Session": point.session_token}
    assert ask(client, "/api/v1/terminal", headers=own).status_code == 200


def test_an_invented_token_opens_no_other_limit() -> None:
    assert statuses(7, headers={"Authorization": "Bearer x"}) == [*[200] * 6, 429]


def test_a_known_device_comes_to_the_sign_on_in_a_flood() -> None:
    user = User.objects.get(pk=factories.staff(Role.STEWARDS).user_id)
    client = Client()
    assert statuses(7, "/admin/login/")[-1] == 429
    name = devices.cookie_name(user.username)
    client.cookies[name] = devices.device_token(user)
    answer = client.post("/admin/login/", {"username": user.username}, REMOTE_ADDR=ADDRESS)
    assert answer.status_code == 200
    client.cookies[name] = "invented"
    assert client.post("/admin/login/", {}, REMOTE_ADDR=ADDRESS).status_code == 429
    body = {"username": user.username, "password": "x" * 12}
    signing_on = Client().post(
        "/api/v1/staff/sessions", body, content_type="application/json", REMOTE_ADDR=ADDRESS
    )
    refused(signing_on, 401, "sign_on_refused")


def test_a_process_for_sales_answers_terminals_only(settings: Any) -> None:
    settings.PROCESS_ROLE, settings.ANONYMOUS_TOTAL_PER_S = "sales", 100
    point = factories.point()
    assert terminal_api(point).get("terminal").status_code == 200
    client = Client()
    for path in ("/terminal/", "/terminal/player/", "/livez", OPEN_LIST):
        assert ask(client, path, address="192.0.2.9").status_code == 200, path
    enrolment = client.post("/api/v1/terminal/enrolment", {}, content_type="application/json")
    assert enrolment.status_code == 422
    refused(ask(client, "/api/v1/log", address="192.0.2.9"), 421, "misdirected")
    token = {"Authorization": f"Terminal {point.token}"}
    refused(ask(client, "/api/v1/schema", headers=token), 421, "misdirected")
    for path in ("/", "/check", "/admin/login/"):
        assert ask(client, path, address="192.0.2.8").status_code == 421, path


def test_refusals_of_a_flood_are_one_line_a_second(log_text: LogText) -> None:
    client = Client()
    for _ in range(20):
        ask(client)
    lines = [line for line in log_text.events("request") if line["status"] == 429]
    assert [line["throttled"] for line in lines] == [1]


def _early(path: str = OPEN_LIST, **more: str) -> tuple[str, bytes]:
    """Ask the application through the early refusal; an answer of the application is "200"."""
    answered: list[str] = []

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        start("200 OK", [])
        return [b""]

    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "REMOTE_ADDR": ADDRESS, **more}
    body = b"".join(refusing_early(application)(environ, lambda status, _: answered.append(status)))
    return answered[0][:3], body


def test_who_was_just_refused_is_refused_without_the_application() -> None:
    assert _early()[0] == "200"
    statuses(7)
    status, body = _early()
    assert (status, b'"code": "throttled"' in body) == ("429", True)
    assert _early(REMOTE_ADDR="192.0.2.8")[0] == "200"
    assert _early("/readyz")[0] == "200"
    assert _early("/readyzz")[0] == "429"
    assert _early("/api/v1/staff/sessions")[0] == "200"
    assert _early(HTTP_AUTHORIZATION="Bearer x")[0] == "200"
    assert _early(HTTP_COOKIE="device_1=x")[0] == "200"
    limits.clear()
    assert _early()[0] == "200"


@pytest.mark.parametrize("token", ["", "Terminal x"])
def test_probes_are_limited_by_address_with_whatever_token(token: str) -> None:
    """Before, nothing limited them: an invented terminal asked the sales' database at will."""
    headers = {"Authorization": token} if token else {}
    assert statuses(203, "/metrics", headers=headers) == [*[403] * 200, *[429] * 3]
    assert _early("/metrics", HTTP_AUTHORIZATION=token)[0] == "429"
    assert ask(Client(), "/metrics", address="192.0.2.8").status_code == 403


@pytest.mark.parametrize("path", ["/livezz", "/readyz/", "/metrics/1"])
def test_what_begins_like_a_probe_is_none(path: str) -> None:
    assert statuses(7, path) == [*[404] * 6, 429]


def test_invented_tokens_of_many_addresses_are_limited_in_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(api_limits, "PRESENTING_IN_ALL", rates.Rate(per_s=1, burst=5))
    client, point = Client(), factories.point()
    own = {"Authorization": f"Terminal {point.token}", "X-Operator-Session": point.session_token}
    assert ask(client, "/api/v1/terminal", headers=own).status_code == 200

    def invented(number: int) -> int:
        headers = {"Authorization": f"Terminal {number}"}
        address = f"198.51.100.{number}"
        return int(ask(client, "/api/v1/terminal", address, headers=headers).status_code)

    assert [invented(number) for number in range(8)] == [*[401] * 4, *[429] * 4]
    assert ask(client, "/api/v1/terminal", headers=own).status_code == 200
    assert _early("/api/v1/terminal", HTTP_AUTHORIZATION="Terminal 9")[0] == "429"
    assert _early("/api/v1/terminal", HTTP_AUTHORIZATION=own["Authorization"])[0] == "200"
    assert _early(REMOTE_ADDR="192.0.2.8")[0] == "200"


def test_a_terminal_at_work_stays_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or it would compete with invented ones every quarter of an hour."""
    now_s = 1000.0
    monkeypatch.setattr(standing, "time", SimpleNamespace(monotonic=lambda: now_s))
    monkeypatch.setattr(api_limits, "PRESENTING", rates.Rate(per_s=0.0001, burst=1))
    api = terminal_api(factories.point())
    for _ in range(4):
        assert api.get("terminal").status_code == 200
        now_s += 800
