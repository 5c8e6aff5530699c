"""Set the language of screens, their content policy and their permissions."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils.translation import get_language, override

from core.screens.middleware import PERMISSIONS, POLICY, Screens, policy


def _page(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_language())


def test_a_view_keeps_its_own_policy() -> None:
    def page(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers={"Content-Security-Policy": "default-src 'none'"})

    answer = Screens(page)(RequestFactory().get("/"))
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'"
    assert answer.headers["Permissions-Policy"] == PERMISSIONS


def test_the_api_is_left_alone() -> None:
    answer = Screens(_page)(RequestFactory().get("/api/v1/clock", {"lang": "es"}))
    assert isinstance(answer, HttpResponse)
    assert not answer.cookies
    assert "Permissions-Policy" not in answer.headers


def test_no_script_can_read_the_cookie_of_the_language() -> None:
    answer = Screens(_page)(RequestFactory().get("/", {"lang": "es"}))
    assert isinstance(answer, HttpResponse)
    cookie = answer.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"


def test_a_page_carries_the_policy_and_the_admin_its_own() -> None:
    answer = Client().get("/livez")
    assert answer["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY
    assert policy("/live") == policy("")
    assert "connect-src 'self' https://cdn.example;" in policy("https://cdn.example/live")
    aside = Screens(_page)(RequestFactory().get("/admin/"))
    assert "Content-Security-Policy" not in aside.headers


def test_the_language_of_the_address_is_kept() -> None:
    with override("ca"):
        answer = Screens(_page)(RequestFactory().get("/", {"lang": "es"}))
        assert isinstance(answer, HttpResponse)
        assert answer.content == b"es"
        assert answer.cookies["django_language"].value == "es"
    with override("ca"):
        answer = Screens(_page)(RequestFactory().get("/", {"lang": "xx"}))
        assert isinstance(answer, HttpResponse)
        assert answer.content == b"ca" and not answer.cookies
