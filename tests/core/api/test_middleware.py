"""Log each request in one line, and give it an id and the headers of the clock."""

import uuid

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import RequestFactory

from core.api.middleware import SIMULATED_HEADER, TIME_HEADER, RequestLog, put_header
from tests.support import factories
from tests.support.api import Api, LogText

pytestmark = pytest.mark.django_db


def test_answers_of_the_api_have_the_time_of_the_server(anybody: Api, rf: RequestFactory) -> None:
    factories.time_pass(hours=1)
    answer = anybody.get("clock")
    assert answer.headers[TIME_HEADER].endswith("Z")
    assert answer.headers[SIMULATED_HEADER].startswith("+P")
    page = RequestLog(lambda request: HttpResponse())(rf.get("/somewhere"))
    assert "X-Request-Id" in page.headers
    assert TIME_HEADER not in page.headers


def test_a_line_says_who_did_what_and_how_it_ended(organiser: Api, log_text: LogText) -> None:
    response = organiser.get("premises/P-UNHEARD-OF", secret="in-the-query")
    (line,) = log_text.events("request")
    assert line["route"] == "api/v1/premises/<str:code>"
    assert (line["method"], line["status"]) == ("GET", 404)
    assert line["problem"] == "premises_unknown"
    assert line["staff"] > 0
    assert line["request_id"] == response.headers["X-Request-Id"]
    assert "UNHEARD" not in log_text.getvalue()
    assert "in-the-query" not in log_text.getvalue()


def test_a_request_id_is_taken_when_it_is_one(anybody: Api) -> None:
    mine = str(uuid.uuid4())
    assert Api(**{"X-Request-Id": mine}).get("clock").headers["X-Request-Id"] == mine
    for other in ("short", "x" * 65, "with space!", "línia"):
        assert Api(**{"X-Request-Id": other}).get("clock").headers["X-Request-Id"] != other


def test_successes_are_sampled_and_refusals_always_logged(
    settings: LazySettings, anybody: Api, log_text: LogText
) -> None:
    settings.ACCESS_LOG_EVERY = 0
    quiet = Api()
    for _ in range(5):
        quiet.get("clock")
    assert log_text.events("request") == []
    quiet.get("nowhere")
    assert len(log_text.events("request")) == 1
    settings.ACCESS_LOG_EVERY = 4
    sampled = Api()
    for _ in range(8):
        sampled.get("clock")
    assert len(log_text.events("request")) == 3


def test_headers_of_ours_are_those_that_django_would_set() -> None:
    ours, djangos = HttpResponse(), HttpResponse()
    put_header(ours, "X-Request-Id", "a1")
    put_header(ours, "x-request-id", "b2")
    djangos["X-Request-Id"] = "a1"
    djangos["x-request-id"] = "b2"
    assert [*ours.items()] == [*djangos.items()] and ours["X-REQUEST-ID"] == "b2"
