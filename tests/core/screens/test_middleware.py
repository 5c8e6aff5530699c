"""Set the language of screens, their content policy and their permissions."""

import re

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils.translation import get_language, override

from core.screens.middleware import (
    ADMIN_PERMISSIONS,
    ADMIN_POLICY,
    PERMISSIONS,
    POLICY,
    Screens,
    policy,
)
from core.staff.powers import Role
from tests.support.admin_desk import Desk

HEADERS = (
    "Content-Security-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
    "Cross-Origin-Opener-Policy",
    "X-Content-Type-Options",
    "X-Frame-Options",
)


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
    assert "unsafe" not in ADMIN_POLICY


# Every kind of page: its address, its content policy, and whether it may use the camera.
PAGES = {
    "/": (POLICY, PERMISSIONS),
    "/check": (POLICY, PERMISSIONS),
    "/terminal/": (POLICY, PERMISSIONS),
    "/terminal/player/": (POLICY, PERMISSIONS),
    "/no/such/page": (POLICY, PERMISSIONS),
    "/livez": (POLICY, PERMISSIONS),
    "/admin/login/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/office/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/raceday/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/reports/payments/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/lototrot/contest/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/lototrot/contest/999/change/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/staff/proposal/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/password_change/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/second-factor/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
    "/admin/no/such/page/": (ADMIN_POLICY, ADMIN_PERMISSIONS),
}


@pytest.mark.django_db
@pytest.mark.parametrize("address", PAGES)
def test_every_kind_of_page_has_the_same_headers(address: str) -> None:
    answer = Desk(Role.ORGANISER, Role.CASHIER).client.get(address)
    assert {name: answer.headers.get(name) for name in HEADERS} == {
        "Content-Security-Policy": PAGES[address][0],
        "Permissions-Policy": PAGES[address][1],
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    html = answer.content.decode()
    assert re.findall(r"<style|<script(?![^>]*(?:src=|json))[^>]*>|\son\w+=|\sstyle=", html) == []


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
