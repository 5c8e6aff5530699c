"""A hot path has the answer and the headers that the whole road gives."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver, resolve

from core.api.views import LeanView
from core.config import hot_paths
from core.config.hot_paths import is_hot
from core.config.routes import _flat
from tests.support import factories

SALE = "/api/v1/lototrot/tickets"
# They differ with every answer.
OWN = {"X-Request-Id", "X-Server-Time"}


@pytest.fixture(params=["hot", "whole"])
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "whole":
        monkeypatch.setattr(hot_paths, "is_hot", lambda _match: False)
    yield request.param


def asked(path: str, body: dict[str, Any], **headers: str) -> tuple[int, dict[str, str], Any]:
    answer = Client().post(path, body, content_type="application/json", headers=headers)
    kept = {name: value for name, value in answer.headers.items() if name not in OWN}
    content = answer.json()
    content.pop("request_id", None)
    return answer.status_code, kept, content


def test_the_views_of_hot_paths_ask_for_a_terminal() -> None:
    """The limits need not ask such a view what it costs strangers."""
    hot = [
        pattern.callback.view_class
        for _, pattern in _flat(get_resolver().url_patterns[:1], "")
        if issubclass(getattr(pattern.callback, "view_class", object), LeanView)
    ]
    assert len(hot) >= 3
    assert all(view.for_terminals and view.asks_credentials for view in hot)
    assert is_hot(resolve(SALE)) and not is_hot(resolve("/api/v1/staff/sessions"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "headers",
    [{}, {"Accept-Language": "en"}, {"Accept-Language": "es", "Cookie": "django_language=en"}],
)
def test_refusals_are_alike_in_every_language(
    headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hot = [
        asked(SALE, {}, **headers),
        asked(SALE, {"uuid": 1}, Authorization="Terminal x", **headers),
    ]
    monkeypatch.setattr(hot_paths, "is_hot", lambda _match: False)
    whole = [
        asked(SALE, {}, **headers),
        asked(SALE, {"uuid": 1}, Authorization="Terminal x", **headers),
    ]
    assert hot == whole
    assert [status for status, _, _ in hot] == [401, 422]


@pytest.mark.django_db
def test_a_sale_has_the_same_headers_on_both_roads(road: str) -> None:
    contest, point = factories.contest(), factories.point()
    factories.acknowledge(contest, point)
    status, headers, ticket = asked(
        SALE,
        {
            "uuid": str(uuid.uuid4()),
            "contest": contest.pk,
            "price_cents": contest.price_cents,
            "amount_cents": contest.price_cents,
            "races": [[1]] * 7,
        },
        Authorization=f"Terminal {point.token}",
        **{"X-Operator-Session": point.session_token},
    )
    assert status == 201 and ticket["code"]
    length = headers.pop("Content-Length")
    assert int(length) > 500
    assert headers == {
        "Content-Type": "application/json",
        "Vary": "Accept-Language",
        "Content-Language": "ca",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


@pytest.mark.django_db
def test_a_host_that_is_not_ours_is_refused(road: str) -> None:
    answer = Client().post(
        SALE, {}, content_type="application/json", headers={"Host": "evil.example"}
    )
    assert answer.status_code == 400


@pytest.mark.django_db
def test_other_methods_and_addresses_take_the_whole_road() -> None:
    assert Client().get(SALE).status_code == 405
    assert Client().post("/api/v1/nowhere").status_code == 404
